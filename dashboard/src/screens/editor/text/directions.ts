import { Extension } from '@tiptap/core'
import type { Node } from '@tiptap/pm/model'
import { Plugin } from '@tiptap/pm/state'
import { Decoration, DecorationSet } from '@tiptap/pm/view'

/**
 * Shows every block of the text in the direction of its own words. The direction is never stored: the schema has no place for
 * it, and sites decide for themselves. Nested blocks get no direction: a block with its own is ignored when its parent's is
 * determined, and a list's bullets must be where its words begin. The style sheet does the rest for them.
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
    // Code always runs from left to right.
    if (node.type.spec.code !== true) found.push(Decoration.node(position, position + node.nodeSize, AUTO))
  })
  return DecorationSet.create(doc, found)
}
