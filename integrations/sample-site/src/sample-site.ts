/**
 * A receiving site: verify the webhook, store the post, show it.
 *
 * Events of one post come in order, but a handler that took too long may still be at work when the next one comes, so an older
 * version never replaces a newer one. After a crash on the sender's side an event may come twice: the repeat has the same delivery
 * id and changes nothing. The site answers 200 only after the post is stored.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createPullClient } from '@postrider/sdk'
import { verifyWebhook, type WebhookEvent, type WebhookPost, WebhookVerificationError } from '@postrider/sdk/webhooks'
import { CONTENT_SECURITY_POLICY, indexPage, type KeptPost, missingPage, pathOf, postPage, STYLE } from './pages.ts'

/** A running sample site. */
export type SampleSite = {
  url: string
  webhookUrl: string
  /** Sets the site's webhook secret; until then the site refuses every webhook. */
  setSecret(secret: string): void
  /** Fetches every post that is published already; resolves with how many there are. Throws PostriderError. */
  catchUp(from: Service): Promise<number>
  /** Answers the next `count` webhooks with 500, as a site that is being deployed would. */
  failNext(count: number): void
  close(): Promise<void>
}

/** The service that sends to the site: its address, and the site's API key. */
export type Service = { url: string; key: string }

/** A webhook the site has answered. */
export type Answered = { status: number; event: WebhookEvent | undefined; deliveryId: string | undefined }

/** Starts the site on `port` (0: any free one) of the loopback address. */
export async function startSampleSite({
  port = 0,
  onWebhook = () => {},
}: {
  port?: number
  onWebhook?: (answered: Answered) => void
} = {}): Promise<SampleSite> {
  const kept: Kept = { name: 'Sample site', posts: new Map() }
  const seen = new Set<string>()
  let secret = ''
  let failures = 0

  async function receive(request: IncomingMessage): Promise<Answered> {
    try {
      const { event, deliveryId } = await verifyWebhook({ body: request, headers: request.headers, secret })
      if (failures > 0) {
        failures -= 1
        return { status: 500, event, deliveryId }
      }
      if (!seen.has(deliveryId)) apply(kept, event)
      seen.add(deliveryId)
      return { status: 200, event, deliveryId }
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error
      return { status: error.status, event: undefined, deliveryId: undefined }
    }
  }

  const server = createServer((request, response) => {
    if (request.method !== 'POST') return show(kept, request, response)
    receive(request).then(
      (answered) => {
        onWebhook(answered)
        response
          .writeHead(answered.status, { 'content-type': 'application/json' })
          .end(JSON.stringify(saysOf(answered)))
      },
      () => response.writeHead(400, { connection: 'close' }).end(),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const url = `http://localhost:${(server.address() as AddressInfo).port}` // it listens on TCP
  return {
    url,
    webhookUrl: `${url}/webhooks`,
    setSecret: (value) => {
      secret = value
    },
    catchUp: (from) => catchUp(kept, from),
    failNext: (count) => {
      failures = count
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** What the site has: its name, which nearly every event carries, and its posts by id. */
type Kept = { name: string; posts: Map<string, KeptPost> }

/** What the answer says besides its status: of a test where posts are kept, of a post where it is shown. */
function saysOf({ status, event }: Answered): object {
  if (status !== 200 || event === undefined) return { ok: false }
  if (event.event === 'site.test') return { ok: true, store: 'memory' }
  return { ok: true, ...(event.event !== 'post.deleted' && { url: pathOf(event.post) }) }
}

/** Applies an event. Nothing can come between: it does not wait. */
function apply(kept: Kept, event: WebhookEvent): void {
  if ('name' in event.site) kept.name = event.site.name
  if (event.event === 'site.test') return
  if (event.event === 'post.deleted') kept.posts.delete(event.post.id)
  else keep(kept, event.post)
}

function keep({ posts }: Kept, post: WebhookPost): void {
  if (post.version >= (posts.get(post.id)?.version ?? 0)) posts.set(post.id, { ...post, arrivedAt: new Date() })
}

/** Fetches what was published before the site ran. It does not confirm what it gets: after its end the posts are gone. */
async function catchUp(kept: Kept, { url, key }: Service): Promise<number> {
  const postrider = createPullClient({ baseUrl: url, apiKey: key })
  let fetched = 0
  for await (const { slug } of postrider.all()) {
    keep(kept, await postrider.get(slug))
    fetched += 1
  }
  return fetched
}

/** What a visitor of `path` gets. */
function pageAt(
  path: string,
  { name, posts }: Kept,
): { status: number; type?: string; location?: string; text: string } {
  if (path === STYLE.path) return { status: 200, type: 'text/css', text: STYLE.text }
  const newestFirst = [...posts.values()].sort((a, b) => b.published_at.localeCompare(a.published_at))
  if (path === '/') return { status: 200, text: indexPage(name, newestFirst) }
  const post = newestFirst.find((one) => path === pathOf(one))
  if (post !== undefined) return { status: 200, text: postPage(name, post) }
  const moved = newestFirst.find(({ previous_slugs: slugs = [] }) => slugs.some((slug) => path === pathOf({ slug })))
  if (moved !== undefined) return { status: 308, location: pathOf(moved), text: '' }
  return { status: 404, text: missingPage(name) }
}

function show(kept: Kept, request: IncomingMessage, response: ServerResponse): void {
  const [path = '/'] = (request.url ?? '/').split('?')
  const { status, type = 'text/html', location, text } = pageAt(path, kept)
  response
    .writeHead(status, {
      ...(location === undefined ? {} : { location }),
      'content-type': `${type}; charset=utf-8`,
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    })
    .end(text)
}
