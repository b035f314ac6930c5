/** Says where a picture cannot be loaded; otherwise one without a description would be invisible. */
import { Extension } from '@tiptap/core'
import type { Node } from '@tiptap/pm/model'
import { Plugin, PluginKey } from '@tiptap/pm/state'
import { Decoration, DecorationSet } from '@tiptap/pm/view'

/** The addresses that could not be loaded. */
const key = new PluginKey<ReadonlySet<string>>('missingPictures')

/** The extension. */
export const missingPictures = Extension.create({
  name: 'missingPictures',
  addProseMirrorPlugins: () => [
    new Plugin<ReadonlySet<string>>({
      key,
      state: {
        init: () => new Set(),
        apply: (transaction, missing) => transaction.getMeta(key) ?? missing,
      },
      props: {
        decorations: (state) => DecorationSet.create(state.doc, notesOf(state.doc, key.getState(state))),
      },
      view(view) {
        const look = (event: Event) => {
          const src = event.target instanceof HTMLImageElement ? event.target.getAttribute('src') : null
          const missing = new Set(key.getState(view.state))
          if (src === null || (event.type === 'error') === missing.has(src)) return
          if (!missing.delete(src)) missing.add(src)
          view.dispatch(view.state.tr.setMeta(key, missing).setMeta('addToHistory', false))
        }
        // Neither event bubbles.
        for (const type of ['load', 'error']) view.dom.addEventListener(type, look, true)
        return {
          destroy() {
            for (const type of ['load', 'error']) view.dom.removeEventListener(type, look, true)
          },
        }
      },
    }),
  ],
})

function notesOf(doc: Node, missing: ReadonlySet<string> = new Set()): Decoration[] {
  const notes: Decoration[] = []
  if (missing.size > 0)
    doc.descendants((node, at) => {
      const src = node.type.name === 'image' ? String(node.attrs.src) : ''
      if (missing.has(src)) notes.push(Decoration.widget(at + 1, () => noteOf(src), { key: src, side: -1 }))
    })
  return notes
}

function noteOf(src: string): HTMLElement {
  const note = document.createElement('span')
  note.className = 'missing-picture'
  note.contentEditable = 'false'
  note.textContent = `This picture cannot be loaded: ${src}`
  return note
}
