/** The menu that opens with a slash. The text keeps the focus and passes its keys to the menu. */
import { type Editor, Extension } from '@tiptap/core'
import { Suggestion, type SuggestionProps } from '@tiptap/suggestion'
import { clsx } from 'clsx'
import { useEffect, useId, useRef, useSyncExternalStore } from 'react'
import type { Asking } from './address-dialog.tsx'
import { type Block, blocksFor } from './blocks.tsx'

type Open = { props: SuggestionProps<Block, Block>; selected: number }

/** The state of one editor's menu, and the extension that drives it. */
export type Slash = {
  extension: (ask: (kind: Asking['kind']) => void) => Extension
  subscribe: (listener: () => void) => () => void
  open: () => Open | undefined
  select: (index: number) => void
}

/** Makes the menu of an editor. */
export function createSlashMenu(): Slash {
  let open: Open | undefined
  const listeners = new Set<() => void>()
  const show = (next: Open | undefined) => {
    open = next
    for (const listener of listeners) listener()
  }
  const select = (index: number) => {
    if (open === undefined) return
    const { length } = open.props.items
    show({ ...open, selected: (index + length) % Math.max(1, length) })
  }
  const press = ({ key }: KeyboardEvent): boolean => {
    if (open === undefined || open.props.items.length === 0) return false
    const { props, selected } = open
    if (key === 'ArrowDown') select(selected + 1)
    else if (key === 'ArrowUp') select(selected - 1)
    else if (key === 'Enter' || key === 'Tab') {
      const item = props.items[selected]
      if (item !== undefined) props.command(item)
    } else return false
    return true
  }
  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    open: () => open,
    select,
    extension: (ask) =>
      Extension.create({
        name: 'slash',
        addProseMirrorPlugins() {
          return [
            Suggestion<Block, Block>({
              editor: this.editor,
              char: '/',
              allow: ({ state, range }) => state.doc.resolve(range.from).parent.type.spec.code !== true,
              items: ({ query }) => blocksFor(query),
              command: ({ editor, range, props: block }) => {
                const chain = editor.chain().focus().deleteRange(range)
                if ('run' in block) block.run(chain).run()
                else {
                  chain.run()
                  ask(block.asks)
                }
              },
              render: () => ({
                onStart: (props) => show({ props, selected: 0 }),
                onUpdate: (props) => show({ props, selected: 0 }),
                onExit: () => show(undefined),
                onKeyDown: ({ event }) => press(event),
              }),
            }),
          ]
        },
      }),
  }
}

/** The menu, where the slash is. */
export function SlashMenu({ menu, editor }: { menu: Slash; editor: Editor }) {
  const open = useSyncExternalStore(menu.subscribe, menu.open)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  const { props, selected = 0 } = open ?? {}
  const items = props?.items ?? []
  const shown = props !== undefined && items.length > 0

  useEffect(() => {
    if (!shown || props === undefined || list.current === null) return
    return props.mount(list.current)
  }, [shown, props])
  useEffect(() => {
    const { dom } = editor.view
    if (shown) dom.setAttribute('aria-activedescendant', `${id}-${selected}`)
    list.current?.children[selected]?.scrollIntoView({ block: 'nearest' })
    return () => dom.removeAttribute('aria-activedescendant')
  }, [editor, shown, selected, id])

  if (!shown) return null
  return (
    <div
      ref={list}
      role="listbox"
      aria-label="Insert"
      className="z-30 max-h-72 min-w-60 animate-appear overflow-y-auto rounded-lg bg-raised p-1 shadow-float"
    >
      {items.map((block, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the text has the focus and its keys choose
        <div
          key={block.name}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === selected}
          onMouseDown={(event) => event.preventDefault()}
          onMouseMove={() => index === selected || menu.select(index)}
          onClick={() => props.command(block)}
          className={clsx(
            'flex h-9 cursor-default items-center gap-2.5 rounded-md px-2.5 [&_svg]:size-4 [&_svg]:text-faint',
            index === selected && 'bg-hover',
          )}
        >
          {block.icon}
          <span className="flex-1">{block.name}</span>
          {block.keys !== undefined && <span className="font-mono text-xs text-faint">{block.keys}</span>}
        </div>
      ))}
    </div>
  )
}
