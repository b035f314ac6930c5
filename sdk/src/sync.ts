/** Keeping a site level with the service by following its changes. */
import { PostriderError } from './errors.ts'
import type { components } from './generated/api.ts'
import { pause } from './transport.ts'
import type { WebhookPost } from './webhooks.ts'

type Schemas = components['schemas']
type PostChange = Schemas['PostChange']
type Confirmation = Schemas['Confirmation']

/** What the site does with the changes, and where it begins. */
export type SyncOptions = {
  /** What the last call resolved with; undefined for everything that the site may show. */
  cursor?: string | undefined
  /** Called for each change, one after the other. `post` is there unless the post is `deleted`. If it throws, the call ends with that. */
  onChange(change: PostChange): void | Promise<void>
  /** Called when a part of the changes has been handled, with the cursor to go on from if this process ends. */
  onCursor?(cursor: string): void | Promise<void>
  /**
   * Called when the cursor was too old: everything that the site may show follows. Posts that it has and that do not follow were removed
   * in between.
   */
  onStartAgain?(): void | Promise<void>
  /** Whether to confirm what was handled, so that it is not sent by webhook as well. Default true. */
  confirm?: boolean
  /** Where the site shows a post, an address or a path; confirmations say so. */
  addressOf?(post: WebhookPost): string | undefined
  /** Gets a sentence when the call has to wait for the rate limit. Default: `console.warn`. */
  log?(message: string): void
  signal?: AbortSignal
}

type Calls = {
  changes(
    query: { cursor?: string; limit: number; include: 'body' },
    options: { signal?: AbortSignal },
  ): Promise<Schemas['PostChanges']>
  confirmMany(confirmations: Confirmation[], options: { signal?: AbortSignal }): Promise<unknown>
}

const LIMIT = 100

/** What the service takes for an address or a path. One that it would refuse must not keep a site from getting on. */
const ADDRESS = /^(?:https?:\/\/|\/)[^\s/\\]\S{0,2000}$/i

/** Hands over every change since the cursor, a hundred per request; resolves with the next cursor. Waits for rate limits, and says so. */
export async function syncPosts(calls: Calls, options: SyncOptions): Promise<string> {
  const { onChange, onCursor, onStartAgain, confirm = true, addressOf, signal } = options
  const callOptions = signal === undefined ? {} : { signal }
  let { cursor } = options
  for (;;) {
    const at = cursor === undefined ? {} : { cursor }
    let page: Schemas['PostChanges']
    try {
      page = await patiently(options, () => calls.changes({ ...at, limit: LIMIT, include: 'body' }, callOptions))
    } catch (error) {
      if (!(error instanceof PostriderError && error.status === 410)) throw error
      cursor = undefined
      await onStartAgain?.()
      continue
    }
    const handled: Confirmation[] = []
    for (const change of page.changes) {
      await onChange(change)
      if (change.event === 'deleted') continue
      const { post_id, post, version } = change
      const url = post && addressOf?.(post)
      const isAddress = typeof url === 'string' && ADDRESS.test(url)
      handled.push({
        post_id,
        status: 'delivered',
        version: post?.version ?? version,
        ...(isAddress ? { published_url: url } : {}),
      })
    }
    if (confirm && handled.length > 0) await patiently(options, () => calls.confirmMany(handled, callOptions))
    cursor = page.cursor
    await onCursor?.(cursor)
    if (!page.more) return cursor
  }
}

/** A call that waits for as long as the rate limit says. */
async function patiently<Result>(
  { log = console.warn, signal }: SyncOptions,
  call: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof PostriderError) || error.status !== 429 || error.retryAfter === undefined) throw error
      log(`Postrider: the rate limit is reached; going on in ${error.retryAfter} s.`)
      await pause(error.retryAfter * 1_000, signal)
    }
  }
}
