/** The toolbars beside the selection: formats, a table's rows and columns, a picture. All can be reached by keyboard. */
import { autoUpdate, computePosition, flip, offset, type Placement, shift } from '@floating-ui/dom'
import { type Editor, Extension, posToDOMRect } from '@tiptap/core'
import { NodeSelection } from '@tiptap/pm/state'
import { CellSelection, isInTable } from '@tiptap/pm/tables'
import { clsx } from 'clsx'
import {
  BetweenHorizontalStart,
  BetweenVerticalStart,
  Bold,
  Code,
  Heading2,
  Heading3,
  Highlighter,
  ImageOff,
  Italic,
  Link,
  PanelTop,
  PenLine,
  Quote,
  Strikethrough,
  TableColumnsSplit,
  TableRowsSplit,
  Trash2,
} from 'lucide-react'
import { Toolbar } from 'radix-ui'
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { keysOf } from '../../../../ui/keys.tsx'
import { Tooltip } from '../../../../ui/tooltip.tsx'
import type { Asking } from '../address-dialog.tsx'
import { useOfEditor } from '../use-editor.ts'

type FloatingProps = {
  editor: Editor
  label: string
  /** Whether it is shown while the text has the focus. */
  when: (editor: Editor) => boolean
  /** The place beside which it floats. */
  beside: (editor: Editor) => DOMRect
  placement: Placement
  children: ReactNode
}

/** A toolbar at a place in the text, shown while the text or the toolbar itself has the focus. Alt+F10 moves the focus to it. */
function Floating({ editor, label, when, beside, placement, children }: FloatingProps) {
  const bar = useRef<HTMLDivElement>(null)
  const [shown, setShown] = useState(false)
  const look = useEffectEvent(() => {
    if (editor.isDestroyed) return
    const focused = editor.view.hasFocus() || bar.current?.contains(document.activeElement) === true
    setShown(editor.isEditable && focused && when(editor))
  })
  useEffect(() => {
    // The blur event comes while the focus is still moving, perhaps from the text to the toolbar: check afterwards.
    const changed = () => (editor.view.hasFocus() ? look() : setTimeout(() => look()))
    editor.on('transaction', changed).on('focus', changed)
    return () => void editor.off('transaction', changed).off('focus', changed)
  }, [editor])

  const rect = useEffectEvent(() => beside(editor))
  useEffect(() => {
    const element = bar.current
    if (!shown || element === null) return
    const reference = { getBoundingClientRect: () => rect(), contextElement: editor.view.dom }
    const place = async () => {
      const { x, y } = await computePosition(reference, element, {
        placement,
        strategy: 'fixed',
        // Beside the text, not over what stands next to it; on a phone the window is the limit.
        middleware: [offset(8), flip({ padding: 64 }), shift({ boundary: editor.view.dom }), shift({ padding: 8 })],
      })
      element.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`
    }
    const stop = autoUpdate(reference, element, () => void place())
    editor.on('transaction', place)
    return () => {
      stop()
      editor.off('transaction', place)
    }
  }, [editor, shown, placement])

  const keys = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'F10' || !event.altKey || !shown) return
    event.preventDefault()
    bar.current?.querySelector<HTMLElement>('button')?.focus()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => keys(event)
    const { dom } = editor.view
    dom.addEventListener('keydown', listen)
    return () => dom.removeEventListener('keydown', listen)
  }, [editor])

  if (!shown) return null
  return (
    <Toolbar.Root
      ref={bar}
      aria-label={label}
      // A mouse press must not move the focus, or the selection would be lost.
      onMouseDown={(event) => event.preventDefault()}
      onBlur={() => setTimeout(look)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        editor.commands.focus()
      }}
      className="fixed top-0 left-0 z-30 flex max-w-[calc(100vw-1rem)] animate-appear flex-wrap gap-0.5 rounded-lg bg-raised p-1 shadow-float"
    >
      {children}
    </Toolbar.Root>
  )
}

/** `keys`: what does the same in the text, as in `Keys`. */
type ToolProps = { label: string; icon: ReactNode; keys?: string; pressed?: boolean; act: () => void }

function Tool({ label, icon, keys, pressed, act }: ToolProps) {
  const name = keys === undefined ? label : `${label} (${keysOf(keys).join(' ')})`
  return (
    <Tooltip text={name}>
      <Toolbar.Button
        aria-label={label}
        aria-pressed={pressed}
        onClick={act}
        className={clsx(
          'grid size-8 place-items-center rounded-md [&_svg]:size-4',
          pressed === true ? 'bg-ink text-on-ink' : 'text-quiet hover:bg-hover hover:text-ink',
        )}
      >
        {icon}
      </Toolbar.Button>
    </Tooltip>
  )
}

function Line() {
  return <Toolbar.Separator className="mx-0.5 my-1.5 w-px bg-line" />
}

const selectionRect = ({ view, state: { selection } }: Editor) => posToDOMRect(view, selection.from, selection.to)

type BarProps = { editor: Editor; ask: (asking: Asking) => void }

/** The formats of the selected words. */
export function FormatBar({ editor, ask }: BarProps) {
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
export function linkKey(ask: BarProps['ask']): Extension {
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

/** The rows and columns of the table around the caret. */
export function TableBar({ editor }: Pick<BarProps, 'editor'>) {
  const run = () => editor.chain().focus()
  return (
    <Floating
      editor={editor}
      label="Table"
      placement="bottom-start"
      when={({ state }) => isInTable(state)}
      beside={tableRect}
    >
      <Tool label="Add a row" icon={<BetweenHorizontalStart />} act={() => run().addRowAfter().run()} />
      <Tool label="Add a column" icon={<BetweenVerticalStart />} act={() => run().addColumnAfter().run()} />
      <Tool label="Delete the row" icon={<TableRowsSplit />} act={() => run().deleteRow().run()} />
      <Tool label="Delete the column" icon={<TableColumnsSplit />} act={() => run().deleteColumn().run()} />
      <Tool label="First row is a heading" icon={<PanelTop />} act={() => run().toggleHeaderRow().run()} />
      <Line />
      <Tool label="Delete the table" icon={<Trash2 />} act={() => run().deleteTable().run()} />
    </Floating>
  )
}

function tableRect(editor: Editor): DOMRect {
  const { node } = editor.view.domAtPos(editor.state.selection.from)
  const element = node instanceof Element ? node : node.parentElement
  return element?.closest('table')?.getBoundingClientRect() ?? selectionRect(editor)
}

/** The selected picture. */
export function ImageBar({ editor, ask }: BarProps) {
  return (
    <Floating editor={editor} label="Picture" placement="top" when={isImage} beside={selectionRect}>
      <Tool label="Address and description" icon={<PenLine />} act={() => ask({ kind: 'image' })} />
      <Tool label="Remove the picture" icon={<ImageOff />} act={() => editor.chain().focus().deleteSelection().run()} />
    </Floating>
  )
}

function isImage({ state: { selection } }: Editor): boolean {
  return selection instanceof NodeSelection && selection.node.type.name === 'image'
}
