/** What shows that an installation works, told to the service alone: a post reaches a site. */
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { createClient, type PostriderClient } from '@postrider/sdk'

/** How long something may take that takes seconds; a machine may be busy. */
const PATIENCE_MS = 300_000

/** Slow enough for the limit of requests that an account has in production. */
const ASK_EVERY_MS = 500

/** At the first attempt, or at a later one. */
const DELIVERED = ['delivered', 'delivered_retry']

/** Registers an account and connects a site at this port. Resolves with its client and the secret of the site. */
export async function connectSite(url: string, sitePort: number): Promise<{ client: PostriderClient; secret: string }> {
  const client = createClient({ baseUrl: url })
  await client.auth.register({ name: 'Ada', email: 'ada@example.com', password: 'correct horse' })
  const site = `http://localhost:${sitePort}`
  const connected = await client.sites.create({ name: 'Sample site', url: site, webhook_url: `${site}/webhooks` })
  return { client, secret: connected.webhook_secret }
}

/** Publishes a post. Resolves with its id. */
export async function publish(client: PostriderClient, title: string): Promise<string> {
  const { id } = await client.posts.create({ title, body: { markdown: 'First **words**.' }, status: 'published' })
  return id
}

/** Resolves once the site shows a post of this title and the service says that it is delivered. */
export async function untilDelivered(
  client: PostriderClient,
  sitePort: number,
  id: string,
  title: string,
): Promise<void> {
  await until(`"${title}" is delivered`, async () => {
    const { deliveries } = await client.posts.get(id)
    if (deliveries.length !== 1 || !DELIVERED.includes(deliveries[0]?.status ?? '')) return false
    return (await (await fetch(`http://localhost:${sitePort}/`)).text()).includes(title)
  })
}

/** Asks again until the answer is yes. Rejects with what did not come about after five minutes. */
export async function until(what: string, ask: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  while (!(await ask())) {
    if (Date.now() > deadline) throw new Error(`After five minutes it is still not so: ${what}.`)
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS))
  }
}

/** Throws unless the service answers these paths with what a browser expects. */
export async function assertServes(url: string, paths: Record<string, RegExp>): Promise<void> {
  for (const [path, content] of Object.entries(paths)) {
    // Not fetch, which says of itself that it does not navigate.
    const request = get(url + path, { headers: { accept: 'text/html,*/*' } })
    const [answer] = (await once(request, 'response')) as [IncomingMessage]
    const body = await text(answer)
    if (answer.statusCode !== 200 || !content.test(body))
      throw new Error(`GET ${path} answered ${answer.statusCode}, without ${content}: ${body.slice(0, 200)}`)
  }
}

/** A port that was free just now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  return address.port
}

/** A PNG of two by one pixels. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAD0lEQVQImWP4z8Dwn4EBAAj+Af/KOtJRAAAAAElFTkSuQmCC'

/** Uploads a picture and fetches it as WebP: what opens pictures was made for this platform, and is there. */
export async function assertTakesPictures(serviceUrl: string, client: PostriderClient): Promise<void> {
  const { width, url } = await client.media.upload(new Blob([Buffer.from(PICTURE, 'base64')]))
  const answer = await fetch(`${serviceUrl}${new URL(url).pathname}?f=webp`)
  const head = Buffer.from(await answer.arrayBuffer()).toString('latin1', 8, 12)
  if (width !== 2 || head !== 'WEBP') throw new Error(`The picture became ${width} pixels wide, and "${head}".`)
}
