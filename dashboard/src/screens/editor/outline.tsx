import type { Editor } from '@tiptap/core'
import { TextSelection } from '@tiptap/pm/state'
import type { Body } from './draft.ts'

type Heading = { text: string; level: number }

/** The headings of the text. While the rich text is shown, choosing one scrolls to it. */
export function Outline({ body, editor }: { body: Body; editor: Editor | undefined }) {
  const headings = body.form === 'json' ? headingsOf(body.value) : []
  if (headings.length === 0) return <p className="text-sm text-faint">Headings of the text appear here.</p>
  const top = Math.min(...headings.map(({ level }) => level))
  return (
    <ol className="-mx-2 grid">
      {headings.map(({ text, level }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a heading is known by its place; two may have the same text
        <li key={index} className={INDENTS[Math.min(level - top, 3)]}>
          <button
            type="button"
            disabled={editor === undefined}
            onClick={() => editor && goTo(editor, index)}
            dir="auto"
            className="clip block w-full rounded-md px-2 py-1 text-left text-quiet enabled:hover:bg-hover enabled:hover:text-ink"
          >
            {text || '(empty heading)'}
          </button>
        </li>
      ))}
    </ol>
  )
}

const INDENTS = ['', 'pl-3', 'pl-6', 'pl-9']

type PlainNode = { type: string; attrs?: object; content?: readonly PlainNode[]; text?: string }

function headingsOf(node: PlainNode): Heading[] {
  if (node.type === 'heading') return [{ text: plainText(node), level: Number(Reflect.get(node.attrs ?? {}, 'level')) }]
  return (node.content ?? []).flatMap(headingsOf)
}

function plainText({ text = '', content = [] }: PlainNode): string {
  return text + content.map(plainText).join('')
}

function goTo(editor: Editor, wanted: number): void {
  let index = 0
  editor.state.doc.descendants((node, position) => {
    if (node.type.name !== 'heading') return true
    if (index === wanted) {
      const { tr, doc } = editor.state
      editor.view.dispatch(tr.setSelection(TextSelection.create(doc, position + 1 + node.content.size)))
      editor.view.focus()
      const element = editor.view.nodeDOM(position)
      if (element instanceof Element) element.scrollIntoView({ block: 'center' })
    }
    index += 1
    return false
  })
}
