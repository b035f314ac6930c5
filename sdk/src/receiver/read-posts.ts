/**
 * Reads all posts at once, for a site whose pages are made by a build. A build that cannot read them fails, because the site that it would make has
 * no posts: hosts keep the last one that succeeded.
 */
import { connectionOf } from '../connection-code.ts'
import { createPullClient } from '../pull.ts'
import type { SyncOptions } from '../sync.ts'
import { memoryStore } from './memory.ts'
import { applyChange, type Posts } from './store.ts'

/** How a build reads. */
export type ReadOptions = {
  /** The site's connection code. Default: POSTRIDER_CONNECTION of the environment, or of `.env`. */
  connection?: string | undefined
  /** The `fetch` to read with. */
  fetch?: typeof fetch
  /** Gets a sentence when the build has to wait for the rate limit. Default: `console.warn`. */
  log?(message: string): void
}

/** What the pages of a build read. */
export type BuildPosts = Posts & {
  /** Every address that needs a page: the slugs of the posts, and those that posts had before, for pages that redirect. */
  slugs(): Promise<string[]>
}

/** The posts of the site, which are read once, when the first page asks for them: a hundred per request. */
export function readPosts(options: ReadOptions = {}): BuildPosts {
  const store = memoryStore()
  const addresses = new Map<string, string[]>()
  let reading: Promise<unknown> | undefined
  const posts = async () => {
    reading ??= followChanges(options, {
      async onChange(entry) {
        const { post_id, post } = entry
        await applyChange(store, entry)
        addresses.set(post_id, post === undefined ? [] : [post.slug, ...(post.previous_slugs ?? [])])
      },
    })
    await reading
    return store
  }
  return {
    find: async (slug) => (await posts()).find(slug),
    list: async (query) => (await posts()).list(query),
    async slugs() {
      await posts()
      return [...new Set([...addresses.values()].flat())]
    },
  }
}

/**
 * `sync` for builds: nothing is confirmed, because what was built is not online yet. Rejects with a sentence that says what stops the build.
 */
export async function followChanges(
  { connection, fetch, log }: ReadOptions,
  options: Pick<SyncOptions, 'cursor' | 'onChange' | 'onCursor' | 'onStartAgain'>,
): Promise<string> {
  const { url, key } = connectionOf(connection)
  const client = createPullClient({ baseUrl: url, apiKey: key, ...(fetch === undefined ? {} : { fetch }) })
  try {
    return await client.sync({ ...options, confirm: false, ...(log === undefined ? {} : { log }) })
  } catch (error) {
    throw new Error(
      `The posts could not be read from ${url}: ${reasonOf(error)} The build stops here, so that the site that is online stays as it is.`,
      { cause: error },
    )
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { message, cause } = error
  const detail = cause instanceof Error && cause.message !== '' ? `${message} (${cause.message})` : message
  return /[.!?]$/.test(detail) ? detail : `${detail}.`
}
