/** A page of a list, and how many pages and items the list has. */
type Page<Item> = { items: readonly Item[]; pages: number; total: number }

/**
 * Every item of a list that is read in pages of `limit` items, each item once, although the list may change meanwhile. When `total` has
 * fallen, what followed the removed items is on earlier pages now, so as many are read again. Only an item that moves up further
 * than `total` fell can be missed.
 */
export async function* allPages<Item extends { id: string }>(
  limit: number,
  read: (page: number) => Promise<Page<Item>>,
): AsyncGenerator<Item> {
  const seen = new Set<string>()
  let before: number | undefined
  for (let page = 1; ; ) {
    const { items, pages, total } = await read(page)
    const removed = Math.max(0, (before ?? total) - total)
    before = total
    if (removed > 0 && page > 1) {
      page = Math.max(1, page - Math.ceil(removed / limit))
      continue
    }
    for (const item of items) {
      if (seen.has(item.id)) continue
      seen.add(item.id)
      yield item
    }
    if (page >= pages) return
    page += 1
  }
}

/** Every item of a list that is read from one cursor to the next. */
export async function* allByCursor<Item>(
  read: (from: { cursor?: string }) => Promise<{ items: readonly Item[]; next: string | null }>,
): AsyncGenerator<Item> {
  for (let from: { cursor?: string } | undefined = {}; from !== undefined; ) {
    const { items, next }: { items: readonly Item[]; next: string | null } = await read(from)
    yield* items
    from = next === null ? undefined : { cursor: next }
  }
}
