/** Pasting nothing but a video's address into an empty paragraph embeds the video; one undo turns it back into the address. */
import { Extension } from '@tiptap/core'
import { closeHistory } from '@tiptap/pm/history'
import type { Slice } from '@tiptap/pm/model'
import { Plugin } from '@tiptap/pm/state'
import type { EditorView } from '@tiptap/pm/view'
import { embedOf } from './addresses.ts'

/** The extension. */
export const embedPaste = Extension.create({
  name: 'embedPaste',
  addProseMirrorPlugins() {
    const handlePaste = (view: EditorView, { clipboardData }: ClipboardEvent, plain: Slice): boolean => {
      const address = clipboardData?.getData('text/plain').trim() ?? ''
      const attrs = /\s/.test(address) ? undefined : embedOf(address)
      const { $from, empty } = view.state.selection
      const isAlone = empty && $from.parent.type.name === 'paragraph' && $from.parent.content.size === 0
      const embed = view.state.schema.nodes.embed
      if (attrs === undefined || !isAlone || embed === undefined) return false
      const begin = $from.before()
      view.dispatch(view.state.tr.replaceSelection(plain))
      const { tr, doc } = view.state
      tr.replaceRangeWith(begin, begin + (doc.nodeAt(begin)?.nodeSize ?? 0), embed.create(attrs))
      view.dispatch(closeHistory(tr).scrollIntoView())
      return true
    }
    return [new Plugin({ props: { handlePaste } })]
  },
})
