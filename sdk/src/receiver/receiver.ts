/**
 * A receiver: what a site does with Postrider's webhooks, however it is made. With a store it keeps the posts, and stays level with the service by
 * itself; without one it reads each post from the service when a page asks for it, and a webhook says that what was read is out of date.
 */
import { type Connection, connectionOf } from '../connection-code.ts'
import { createPullClient, type PullClient } from '../pull.ts'
import { pause } from '../transport.ts'
import {
  type IncomingHeaders,
  type RawBody,
  verifyWebhook,
  type WebhookPost,
  WebhookVerificationError,
} from '../webhooks.ts'
import { withPreviews } from './previews.ts'
import { type PullPostsOptions, pullPosts } from './pull-posts.ts'
import { applyChange, applyEvent, type PostEvent, type Posts, removeUnlisted, type Store } from './store.ts'

/** What has changed: a post that was stored, or one that was removed. */
export type Changed = { id: string; slug: string; post: WebhookPost | null }

/** How a site receives. */
export type ReceiverOptions = {
  /** The site's connection code. Default: POSTRIDER_CONNECTION of the environment, or of `.env`, read at the first request. */
  connection?: string | undefined
  /** Where posts are kept. Without it they are read from the service. */
  store?: Store
  /** Called after each change, also when it comes again: to have pages rendered anew. If it throws, the webhook is sent again. */
  onChange?(changed: Changed): void | Promise<void>
  /** Where the site shows a post, an address or a path such as `/blog/SLUG` on the site; Postrider links it and may look there. */
  addressOf?(post: WebhookPost): string | undefined
  /** How what is read from the service is remembered, and the `fetch` to read with. */
  pull?: PullPostsOptions & { fetch?: typeof fetch }
  /** Gets a sentence about what went wrong or has to wait. Default: `console.warn`. */
  log?(message: string): void
}

/** What to answer. 200 means that the event is dealt with; after anything else Postrider sends it again. */
export type Answer = { status: 200 | 401 | 413 | 503; body: Record<string, unknown> }

/** What a site receives with, and what its pages read. */
export type Receiver = {
  posts: Posts
  /** Receives one webhook. `body` must be raw, best as a stream: more than 8 MiB are refused. */
  receive(body: RawBody, headers: IncomingHeaders): Promise<Answer>
  /** `receive` for everything that has `Request` and `Response`. */
  handle(request: Request): Promise<Response>
  /**
   * Fetches what was published before the site was connected or while it was away, and removes what was withdrawn meanwhile. Tries again until it
   * succeeds, so that site and service may start in any order. Without a store there is nothing to fetch.
   */
  catchUp(options?: { signal?: AbortSignal }): Promise<void>
  /** `catchUp` now and every hour; returns what stops it. */
  keepLevel(options?: { everyMs?: number }): () => void
}

const HOUR_MS = 3_600_000
const FIRST_PAUSE_MS = 2_000
const LONGEST_PAUSE_MS = 300_000
const PROBE = 'probe'

/** Makes a receiver. Nothing is read or sent until it is used. */
export function createReceiver(options: ReceiverOptions = {}): Receiver {
  const { store, onChange, addressOf, log = console.warn } = options
  let known: { connection: Connection; client: PullClient } | undefined
  const site = () => (known ??= siteOf(options))
  const remote = store === undefined ? pullPosts(() => site().client, options.pull) : undefined

  async function take(event: PostEvent, sentAt: number): Promise<Answer> {
    const { id, slug } = event.post
    const isNews = store === undefined || (await applyEvent(store, event, sentAt))
    if (!isNews) return { status: 200, body: { ok: true, message: 'Something newer is here already.' } }
    const post = event.event === 'post.deleted' ? null : event.post
    remote?.forget([slug, ...(post?.previous_slugs ?? [])])
    await onChange?.({ id, slug, post })
    const url = post === null ? undefined : addressOf?.(post)
    return { status: 200, body: { ok: true, ...(url === undefined ? {} : { url }) } }
  }

  async function probe(): Promise<Answer> {
    try {
      if (store === undefined) await site().client.digest()
      else await probeStore(store)
      return { status: 200, body: { ok: true, store: store?.name ?? 'pull', previews: true } }
    } catch (error) {
      const place = store === undefined ? `read posts from ${site().connection.url}` : `keep posts in ${store.name}`
      return refusal(503, `The site cannot ${place}: ${reasonOf(error)}`)
    }
  }

  async function receive(body: RawBody, headers: IncomingHeaders): Promise<Answer> {
    let secret: string
    try {
      secret = site().connection.secret
    } catch (error) {
      return refusal(503, reasonOf(error))
    }
    try {
      const { event, sentAt } = await verifyWebhook({ body, headers, secret })
      return event.event === 'site.test' ? await probe() : await take(event, sentAt)
    } catch (error) {
      if (error instanceof WebhookVerificationError) return refusal(error.status, error.message)
      log(`Postrider: a post could not be stored: ${reasonOf(error)}`)
      return refusal(503, `The post could not be stored: ${reasonOf(error)}`)
    }
  }

  async function follow(store: Store, signal: AbortSignal | undefined): Promise<void> {
    const before = await store.readCursor()
    // Without a cursor the service does not say what it has withdrawn.
    let unlisted = before === undefined ? await versionsIn(store) : new Map<string, number>()
    const cursor = await site().client.sync({
      cursor: before,
      log,
      ...(addressOf === undefined ? {} : { addressOf }),
      ...(signal === undefined ? {} : { signal }),
      async onChange(entry) {
        unlisted.delete(entry.post_id)
        if (await applyChange(store, entry))
          await onChange?.({ id: entry.post_id, slug: entry.slug, post: entry.post ?? null })
      },
      async onStartAgain() {
        unlisted = await versionsIn(store)
      },
      async onCursor(next) {
        // While posts may be left to remove, a process that ends begins again.
        if (unlisted.size === 0) await store.writeCursor(next)
      },
    })
    for (const [id, version] of unlisted) await removeUnlisted(store, id, version)
    await store.writeCursor(cursor)
  }

  async function catchUp({ signal }: { signal?: AbortSignal } = {}): Promise<void> {
    if (store === undefined) return
    for (let waitMs = FIRST_PAUSE_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_PAUSE_MS)) {
      try {
        return await follow(store, signal)
      } catch (error) {
        if (signal?.aborted) throw error
        log(`Postrider: the posts could not be fetched, again in ${waitMs / 1_000} s: ${reasonOf(error)}`)
        await pause(waitMs, signal)
      }
    }
  }

  return {
    posts: withPreviews(store ?? (remote as Posts), () => site().client),
    receive,
    async handle(request) {
      const { status, body } = await receive(request.body, request.headers)
      return Response.json(body, { status })
    },
    catchUp,
    keepLevel({ everyMs = HOUR_MS } = {}) {
      const ending = new AbortController()
      const { signal } = ending
      const run = async () => {
        for (;;) {
          await catchUp({ signal })
          await pause(everyMs, signal)
        }
      }
      run().catch((error) => {
        if (!signal.aborted) log(`Postrider: ${reasonOf(error)}`)
      })
      return () => ending.abort()
    },
  }
}

function siteOf({ connection: code, pull }: ReceiverOptions): { connection: Connection; client: PullClient } {
  const connection = connectionOf(code)
  const own = pull?.fetch === undefined ? {} : { fetch: pull.fetch }
  return { connection, client: createPullClient({ baseUrl: connection.url, apiKey: connection.key, ...own }) }
}

/** Writes something that no page shows, and reads it: what has to work when a post comes. */
async function probeStore(store: Store): Promise<void> {
  const kept = { post: null, version: 0, sentAt: Date.now() / 1_000 }
  const before = await store.read(PROBE)
  await store.write(PROBE, kept, before?.revision)
  if ((await store.read(PROBE))?.kept.sentAt === undefined) throw new Error('What was written is not there.')
  await store.list({ limit: 1 })
}

/** The posts that pages show, with their versions. */
async function versionsIn(store: Store): Promise<Map<string, number>> {
  const versions = new Map<string, number>()
  for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const part = await store.list({ limit: 100, ...(after === undefined ? {} : { after }) })
    for (const { id } of part.posts) versions.set(id, (await store.read(id))?.kept.version ?? 0)
    after = part.after
  }
  return versions
}

function refusal(status: 401 | 413 | 503, message: string): Answer {
  return { status, body: { ok: false, message } }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
