import { Extension } from '@tiptap/core'
import { Plugin } from '@tiptap/pm/state'
import { Decoration, DecorationSet } from '@tiptap/pm/view'

/** Shows a placeholder in empty header cells of tables, for the eye and for screen readers. */
export const emptyHeadings = Extension.create({
  name: 'emptyHeadings',
  addProseMirrorPlugins: () => [
    new Plugin({
      props: {
        decorations({ doc }) {
          const found: Decoration[] = []
          doc.descendants((node, position) => {
            if (node.type.name === 'tableHeader' && node.content.size === 2)
              // Inside its empty paragraph.
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
