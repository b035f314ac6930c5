import type { WebhookPost } from '../webhooks.ts'
import { byNewest, type Kept, type ListedPost, listed, partOf, type Store } from './store.ts'

/** Keeps posts in the memory of this process: for servers that fetch all posts when they start (`keepLevel`), and for tests. */
export function memoryStore(): Store {
  const all = new Map<string, { kept: Kept; revision: number }>()
  let cursor: string | undefined
  let sorted: ListedPost[] | undefined
  const published = () => [...all.values()].flatMap(({ kept }) => kept.post ?? [])
  return {
    name: 'memory',
    read: async (id) => all.get(id),
    async write(id, kept, revision) {
      if (all.get(id)?.revision !== revision) return false
      all.set(id, { kept, revision: Number(revision ?? 0) + 1 })
      sorted = undefined
      return true
    },
    find: async (slug) => bySlug(published(), slug),
    async list(query) {
      sorted ??= published().map(listed).sort(byNewest)
      return partOf(sorted, query)
    },
    readCursor: async () => cursor,
    async writeCursor(next) {
      cursor = next
    },
  }
}

/** The post with the slug now, else the one that had it before. */
function bySlug(posts: WebhookPost[], slug: string): WebhookPost | undefined {
  return posts.find((post) => post.slug === slug) ?? posts.find((post) => post.previous_slugs?.includes(slug))
}
