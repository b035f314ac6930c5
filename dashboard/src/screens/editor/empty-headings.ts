import { Extension } from '@tiptap/core'
import { Plugin } from '@tiptap/pm/state'
import { Decoration, DecorationSet } from '@tiptap/pm/view'

/** A heading of a table that nothing has been written in yet says what it is, to the eye and to screen readers. */
export const emptyHeadings = Extension.create({
  name: 'emptyHeadings',
  addProseMirrorPlugins: () => [
    new Plugin({
      props: {
        decorations({ doc }) {
          const found: Decoration[] = []
          doc.descendants((node, position) => {
            if (node.type.name === 'tableHeader' && node.content.size === 2)
              // Within its empty paragraph.
              found.push(Decoration.widget(position + 2, placeholder, { ignoreSelection: true }))
            return !node.isTextblock
          })
          return DecorationSet.create(doc, found)
        },
      },
    }),
  ],
})

function placeholder(): HTMLElement {
  const hint = document.createElement('span')
  hint.className = 'prose-hint'
  hint.textContent = 'Heading'
  return hint
}
