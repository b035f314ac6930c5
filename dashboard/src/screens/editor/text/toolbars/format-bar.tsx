import { type Editor, Extension } from '@tiptap/core'
import { NodeSelection } from '@tiptap/pm/state'
import { CellSelection } from '@tiptap/pm/tables'
import { Bold, Code, Heading2, Heading3, Highlighter, Italic, Link, Quote, Strikethrough } from 'lucide-react'
import type { Asking } from '../address-dialog.tsx'
import { useOfEditor } from '../use-editor.ts'
import { Floating, selectionRect } from './floating.tsx'
import { Line, Tool } from './tool.tsx'

type FormatBarProps = { editor: Editor; ask: (asking: Asking) => void }

/** The formats of the selected words. */
export function FormatBar({ editor, ask }: FormatBarProps) {
  const is = useOfEditor(editor, (now) => ({
    bold: now.isActive('bold'),
    italic: now.isActive('italic'),
    strike: now.isActive('strike'),
    code: now.isActive('code'),
    highlight: now.isActive('highlight'),
    link: now.isActive('link'),
    heading2: now.isActive('heading', { level: 2 }),
    heading3: now.isActive('heading', { level: 3 }),
    quote: now.isActive('blockquote'),
  }))
  const run = () => editor.chain().focus()
  return (
    <Floating editor={editor} label="Format" placement="top" when={hasWords} beside={selectionRect}>
      <Tool label="Bold" keys="mod+b" icon={<Bold />} pressed={is.bold} act={() => run().toggleBold().run()} />
      <Tool label="Italic" keys="mod+i" icon={<Italic />} pressed={is.italic} act={() => run().toggleItalic().run()} />
      <Tool
        label="Strike through"
        keys="mod+shift+s"
        icon={<Strikethrough />}
        pressed={is.strike}
        act={() => run().toggleStrike().run()}
      />
      <Tool
        label="Highlight"
        keys="mod+shift+h"
        icon={<Highlighter />}
        pressed={is.highlight}
        act={() => run().toggleHighlight().run()}
      />
      <Tool label="Code" keys="mod+e" icon={<Code />} pressed={is.code} act={() => run().toggleCode().run()} />
      <Tool label="Link" keys="mod+k" icon={<Link />} pressed={is.link} act={() => ask({ kind: 'link' })} />
      <Line />
      <Tool
        label="Heading"
        keys="mod+alt+2"
        icon={<Heading2 />}
        pressed={is.heading2}
        act={() => run().toggleHeading({ level: 2 }).run()}
      />
      <Tool
        label="Smaller heading"
        keys="mod+alt+3"
        icon={<Heading3 />}
        pressed={is.heading3}
        act={() => run().toggleHeading({ level: 3 }).run()}
      />
      <Tool
        label="Quote"
        keys="mod+shift+b"
        icon={<Quote />}
        pressed={is.quote}
        act={() => run().toggleBlockquote().run()}
      />
    </Floating>
  )
}

/** Opens the dialog of a link by ⌘K or Ctrl K where there are words to link, or a link; elsewhere the key has its usual meaning. */
export function linkKey(ask: FormatBarProps['ask']): Extension {
  return Extension.create({
    name: 'linkKey',
    addKeyboardShortcuts: () => ({
      'Mod-k'({ editor }) {
        const can = hasWords(editor) || editor.isActive('link')
        if (can) ask({ kind: 'link' })
        return can
      },
    }),
  })
}

function hasWords({ state: { selection, doc } }: Editor): boolean {
  if (selection.empty || selection instanceof NodeSelection || selection instanceof CellSelection) return false
  if (selection.$from.parent.type.spec.code === true) return false
  return doc.textBetween(selection.from, selection.to, ' ', ' ').trim() !== ''
}
