import { Extension } from '@tiptap/core'
import type { Node } from '@tiptap/pm/model'
import { Plugin } from '@tiptap/pm/state'
import { Decoration, DecorationSet } from '@tiptap/pm/view'

/**
 * Every block of the text runs in the direction of its own words. Only shown and never stored: the schema has no place for
 * it, and sites decide for themselves. Blocks within blocks have none of their own, since what has one does not count for
 * what is around it, and a list's bullets stand where its words begin; the style sheet does the rest for them.
 */
export const directions = Extension.create({
  name: 'directions',
  addProseMirrorPlugins() {
    const plugin: Plugin<DecorationSet> = new Plugin({
      state: {
        init: (_, { doc }) => directionsOf(doc),
        apply: (tr, before) => (tr.docChanged ? directionsOf(tr.doc) : before),
      },
      props: { decorations: (state) => plugin.getState(state) },
    })
    return [plugin]
  },
})

const AUTO = { dir: 'auto' }

function directionsOf(doc: Node): DecorationSet {
  const found: Decoration[] = []
  doc.forEach((node, position) => {
    // Programs run from left to right, whatever they are about.
    if (node.type.spec.code !== true) found.push(Decoration.node(position, position + node.nodeSize, AUTO))
  })
  return DecorationSet.create(doc, found)
}
