/** Rows of a list: the current one for the keyboard, and the chosen ones. */
import { useCallback, useMemo, useRef, useState } from 'react'
import { useAction } from './actions.ts'

/** What rows need. The functions keep their identity, so that unchanged rows need not render. */
export type Rows<Item extends { id: string }> = {
  current: string | undefined
  chosen: ReadonlyMap<string, Item>
  /** The focus is in this row. */
  enter: (id: string) => void
  /** Chooses or unchooses a row; `through`: with all rows since the one clicked before. */
  toggle: (item: Item, through?: boolean) => void
  toggleAll: () => void
  /** Unchooses these rows; without them, all. */
  clear: (ids?: readonly string[]) => void
}

const anyOne = () => true

/**
 * The rows of a list, with `j`, `k`, `x` and Enter. A row's element has its id in `data-row`, and the link that opens it has
 * `data-open`. Rows stay chosen while the list shows another page. `noun`: what a row is, in one word. `mayChoose`, which must
 * keep its identity, says which rows can be chosen at all.
 */
export function useRows<Item extends { id: string }>(
  items: readonly Item[],
  noun: string,
  mayChoose: (item: Item) => boolean = anyOne,
): Rows<Item> {
  const [current, setCurrent] = useState<string>()
  const [chosen, setChosen] = useState<ReadonlyMap<string, Item>>(new Map())
  const shown = useRef(items)
  shown.current = items
  const last = useRef<string>(undefined)
  const place = items.findIndex(({ id }) => id === current)
  const group = `${noun.slice(0, 1).toUpperCase()}${noun.slice(1)} rows`

  const go = (to: number) => {
    const item = items[Math.max(0, Math.min(to, items.length - 1))]
    if (item === undefined) return
    setCurrent(item.id)
    const row = rowOf(item.id)
    row?.querySelector<HTMLElement>('[data-open]')?.focus({ preventScroll: true })
    row?.scrollIntoView({ block: 'nearest' })
  }
  useAction({ does: 'Next row', group, keys: 'j', hidden: true }, () => go(place + 1))
  useAction({ does: 'Previous row', group, keys: 'k', hidden: true }, () => go(place < 0 ? 0 : place - 1))
  useAction({ does: `Open the ${noun}`, group, keys: 'enter', hidden: true }, () => {
    if (place >= 0)
      rowOf(items[place]?.id ?? '')
        ?.querySelector<HTMLElement>('[data-open]')
        ?.click()
  })

  const toggle = useCallback(
    (item: Item, through = false) => {
      const rows = shown.current
      const from = through ? rows.findIndex(({ id }) => id === last.current) : -1
      const to = rows.findIndex(({ id }) => id === item.id)
      last.current = item.id
      setChosen((before) => {
        const next = new Map(before)
        const choose = !before.has(item.id)
        const touched = from < 0 || to < 0 ? [item] : rows.slice(Math.min(from, to), Math.max(from, to) + 1)
        for (const one of touched.filter(mayChoose)) choose ? next.set(one.id, one) : next.delete(one.id)
        return next
      })
    },
    [mayChoose],
  )
  useAction({ does: `Select the ${noun}`, group, keys: 'x', hidden: true }, () => {
    const item = items[place]
    if (item !== undefined) toggle(item)
  })

  const toggleAll = useCallback(() => {
    const rows = shown.current.filter(mayChoose)
    setChosen((before) => {
      const next = new Map(before)
      const all = rows.every(({ id }) => before.has(id))
      for (const one of rows) all ? next.delete(one.id) : next.set(one.id, one)
      return next
    })
  }, [mayChoose])
  const clear = useCallback(
    (ids?: readonly string[]) =>
      setChosen((before) => new Map([...before].filter(([id]) => ids !== undefined && !ids.includes(id)))),
    [],
  )
  return useMemo(
    () => ({ current, chosen, enter: setCurrent, toggle, toggleAll, clear }),
    [current, chosen, toggle, toggleAll, clear],
  )
}

function rowOf(id: string): HTMLElement | null {
  return document.querySelector(`[data-row="${CSS.escape(id)}"]`)
}
