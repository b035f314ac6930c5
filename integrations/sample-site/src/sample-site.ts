/**
 * A receiving site in one file: verify the webhook, store the post, show it.
 *
 * Events of one post come in order, but a handler that took too long may still be at work when the next one comes, so an older
 * version never replaces a newer one. After a crash on the sender's side an event may come twice: the repeat has the same delivery
 * id and changes nothing. The site answers 200 only after the post is stored.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { verifyWebhook, type WebhookEvent, type WebhookPost, WebhookVerificationError } from '@postrider/sdk/webhooks'
import { indexPage, missingPage, postPage } from './pages.ts'

/** A running sample site. */
export type SampleSite = {
  url: string
  webhookUrl: string
  /** Sets the site's webhook secret; until then the site refuses every webhook. */
  setSecret(secret: string): void
  /** Answers the next `count` webhooks with 500, as a site that is being deployed would. */
  failNext(count: number): void
  close(): Promise<void>
}

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
  const posts = new Map<string, WebhookPost>()
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
      if (!seen.has(deliveryId)) apply(posts, event)
      seen.add(deliveryId)
      return { status: 200, event, deliveryId }
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error
      return { status: error.status, event: undefined, deliveryId: undefined }
    }
  }

  const server = createServer((request, response) => {
    if (request.method !== 'POST') return show(posts, request, response)
    receive(request).then(
      (answered) => {
        onWebhook(answered)
        response.writeHead(answered.status).end()
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

/** Applies an event to the stored posts. Nothing can come between: it does not wait. */
function apply(posts: Map<string, WebhookPost>, event: WebhookEvent): void {
  if (event.event === 'site.test') return
  if (event.event === 'post.deleted') posts.delete(event.post.id)
  else if (event.post.version >= (posts.get(event.post.id)?.version ?? 0)) posts.set(event.post.id, event.post)
}

function show(posts: Map<string, WebhookPost>, request: IncomingMessage, response: ServerResponse): void {
  const [path = '/'] = (request.url ?? '/').split('?')
  const newestFirst = [...posts.values()].sort((a, b) => b.published_at.localeCompare(a.published_at))
  const post = newestFirst.find(({ slug }) => path === `/posts/${encodeURIComponent(slug)}`)
  const html = path === '/' ? indexPage(newestFirst) : post === undefined ? missingPage() : postPage(post)
  const status = path === '/' || post !== undefined ? 200 : 404
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(html)
}
