/**
 * Converts pasted Markdown to formatted text, by the service's rules. The plain text appears at once; the service's answer
 * replaces it in a separate undo step, so that one undo restores the plain text. Without an answer the plain text stays.
 */
import { Extension } from '@tiptap/core'
import { closeHistory } from '@tiptap/pm/history'
import { Fragment, Node, Slice } from '@tiptap/pm/model'
import { Plugin, type Transaction } from '@tiptap/pm/state'
import type { EditorView } from '@tiptap/pm/view'
import { api } from '../../../api.ts'
import { toast } from '../../../ui/toast.tsx'

const SIGNS = [
  /^#{1,6} \S/m,
  /^\s{0,3}([-*+]|\d+[.)]) \S.*\n\s*([-*+]|\d+[.)]) \S/m,
  /^> ?\S/m,
  /^(```|~~~)/m,
  /^\|.+\|\s*\n\|[\s:|-]+\|/m,
  /!?\[[^\]\n]+\]\([^)\s]+\)/,
  /(\*\*|__)\S[^\n]*?\1/,
]

/** Whether a text was probably written as Markdown. */
function looksLikeMarkdown(text: string): boolean {
  return SIGNS.some((sign) => sign.test(text))
}

/** The extension. */
export const markdownPaste = Extension.create({
  name: 'markdownPaste',
  addProseMirrorPlugins() {
    const { editor } = this
    const handlePaste = (view: EditorView, { clipboardData }: ClipboardEvent, plain: Slice): boolean => {
      const text = clipboardData?.getData('text/plain') ?? ''
      // A text with HTML beside it was formatted where it was copied.
      if (clipboardData?.types.includes('text/html') !== false || !looksLikeMarkdown(text)) return false
      if (view.state.selection.$from.parent.type.spec.code === true) return false

      const inEmptyBlock = view.state.selection.$from.parent.content.size === 0
      const paste = view.state.tr.replaceSelection(plain)
      let from = paste.mapping.map(view.state.selection.from, -1)
      let to = paste.selection.to
      view.dispatch(paste.scrollIntoView())
      const follow = ({ transaction }: { transaction: Transaction }) => {
        from = transaction.mapping.map(from, -1)
        to = transaction.mapping.map(to, 1)
      }
      editor.on('transaction', follow)
      const replace = (json: unknown) => {
        if (view.isDestroyed || to <= from) return
        const { doc, schema, tr } = view.state
        const { content } = Node.fromJSON(schema, json)
        const [$from, $to] = [doc.resolve(from), doc.resolve(to)]
        const whole =
          inEmptyBlock && $from.depth > 0 && $from.parentOffset === 0 && $to.parentOffset === $to.parent.content.size
        if (whole) tr.replaceRange($from.before(), $to.after(), new Slice(Fragment.from(content), 0, 0))
        else tr.replaceRange(from, to, Slice.maxOpen(content))
        view.dispatch(closeHistory(tr).scrollIntoView())
      }
      api.posts
        .convert({ markdown: text })
        .then(({ json, warnings = [] }) => {
          replace(json)
          if (warnings.length > 0) toast({ tone: 'failed', text: warnings.map(({ message }) => message).join(' ') })
        })
        .catch(() => {})
        .finally(() => editor.off('transaction', follow))
      return true
    }
    return [new Plugin({ props: { handlePaste } })]
  },
})
