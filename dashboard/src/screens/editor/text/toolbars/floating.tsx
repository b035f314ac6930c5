/** Toolbars beside the selection. All can be reached by keyboard. */
import { autoUpdate, computePosition, flip, offset, type Placement, shift } from '@floating-ui/dom'
import { type Editor, posToDOMRect } from '@tiptap/core'
import { Toolbar } from 'radix-ui'
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'

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
export function Floating({ editor, label, when, beside, placement, children }: FloatingProps) {
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

/** The place of the selection. */
export const selectionRect = ({ view, state: { selection } }: Editor) =>
  posToDOMRect(view, selection.from, selection.to)
