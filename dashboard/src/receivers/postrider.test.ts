/**
 * The file that keeps posts for receivers, before a service of a few lines whose posts change just while the file is at work. What
 * it does with the real service is in `test/receivers.test.ts`.
 */
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RawBody, WebhookEvent, WebhookPost } from '@postrider/sdk/webhooks'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'

type File = {
  receive(body: RawBody, headers: Record<string, string>, secret: string): Promise<{ status: number }>
  posts(): Promise<WebhookPost[]>
  catchUp(from: { url: string; key: string; siteId: string }): Promise<void>
}

const KEY = randomBytes(32)
const SITE = { id: 'site', name: 'Site' }
const now = () => new Date().toISOString()

let folder: string
let url: string
let file: File
let asked: string[]
let confirmed: string[]
/** What the service has published. */
let published: WebhookPost[]
/** Called for each request, when its answer is ready but has not left. */
let meanwhile: (request: string) => Promise<void> | void
/** With what the next request to confirm is refused, if it is. */
let refusal: { status: number; retryAfter?: string } | undefined

const server = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  const { pathname } = new URL(request.url ?? '', 'http://localhost')
  const name = `${request.method} ${pathname}`
  asked.push(name)
  if (pathname === '/api/pull/confirm' && refusal !== undefined) {
    response.writeHead(refusal.status, { 'retry-after': refusal.retryAfter ?? '' }).end()
    refusal = undefined
    return
  }
  const [status, answer] = answerTo(pathname, body)
  await meanwhile(name)
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
})

function answerTo(path: string, body: string): [number, unknown] {
  if (path === '/api/pull/posts') return [200, { posts: published, total: published.length, pages: 1 }]
  const wanted = path === '/api/pull/confirm' ? JSON.parse(body).post_id : path.split('/').at(-1)
  const post = published.find(({ id, slug }) => (path === '/api/pull/confirm' ? id : slug) === wanted)
  if (post === undefined) return [404, { error: 'not_found', message: 'There is no such post for this site.' }]
  if (path === '/api/pull/confirm') confirmed.push(`${post.slug} ${post.version}`)
  return [200, post]
}

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on TCP
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-file-'))
  published = []
  asked = []
  confirmed = []
  meanwhile = () => {}
  refusal = undefined
  file = await another('first')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** The file as a site has it, loaded once more; all keep their posts in the same folder. */
async function another(name: string): Promise<File> {
  const text = await readFile(new URL('code/postrider.ts.txt', import.meta.url), 'utf8')
  const sdk = fileURLToPath(new URL('../../../sdk/src/', import.meta.url))
  const path = join(folder, `${name}.ts`)
  await writeFile(
    path,
    text
      .replace("'@postrider/sdk'", `'${sdk}index.ts'`)
      .replace("'@postrider/sdk/webhooks'", `'${sdk}webhooks.ts'`)
      .replace("'content/posts'", `'${join(folder, 'posts')}'`),
  )
  return import(path)
}

function post(id: string, change: Partial<WebhookPost> = {}): WebhookPost {
  const text = { title: id, excerpt: '', body: { html: '', markdown: '', json: {} }, meta: {}, tags: [] }
  const times = { status: 'published', published_at: '2026-11-02T08:00:00.000Z' }
  return { id, slug: id, version: 1, ...text, ...times, ...change } as unknown as WebhookPost
}

const updated = (post: WebhookPost) =>
  ({ event: 'post.updated', post, previous_version: 1, site: SITE }) as WebhookEvent
const deleted = ({ id, slug }: WebhookPost) =>
  ({ event: 'post.deleted', post: { id, slug }, site: SITE, deleted_at: now() }) as WebhookEvent

/** Sends a webhook as the service does. */
async function send(event: WebhookEvent, to: File = file): Promise<void> {
  const body = Buffer.from(JSON.stringify(event))
  const [id, timestamp] = [randomUUID(), String(Math.floor(Date.now() / 1000))]
  const signature = createHmac('sha256', KEY).update(`${id}.${timestamp}.`).update(body).digest('base64')
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
  expect(await to.receive(body, headers, `whsec_${KEY.toString('base64')}`)).toMatchObject({ status: 200 })
}

const catchUp = (from: File = file) => from.catchUp({ url, key: 'key', siteId: SITE.id })
const kept = async () => (await file.posts()).map(({ slug, version }) => `${slug} ${version}`).sort()

it('a body that is too large is refused', async () => {
  const stream = new Blob([new Uint8Array(9 * 1024 * 1024)]).stream()
  expect(await file.receive(stream, {}, '')).toMatchObject({ status: 413 })
})

it('a post that changes while it is fetched stays as the webhook brought it', async () => {
  // Large, so that storing it takes a while.
  const body = { html: 'x'.repeat(1_000_000), markdown: '', json: {} } as unknown as WebhookPost['body']
  const slugs = Array.from({ length: 40 }, (_, index) => `p${index}`)
  published = slugs.map((slug) => post(slug, { body }))
  const atRoutes = await another('second')
  const webhooks: Promise<void>[] = []
  meanwhile = (name) => {
    const index = slugs.findIndex((slug) => name === `GET /api/pull/posts/${slug}`)
    if (index < 0) return
    const changed = post(`p${index}`, { version: 2 })
    published[index] = changed
    // Arrives at about the same time as the answer with the version before.
    setTimeout(() => webhooks.push(send(updated(changed), atRoutes)), index % 10)
  }
  await catchUp()
  await expect.poll(() => webhooks.length).toBe(slugs.length)
  await Promise.all(webhooks)
  expect(await kept()).toEqual(slugs.map((slug) => `${slug} 2`).sort())
})

it('a post that is removed while it is fetched is not kept', async () => {
  const [stays, goes] = [post('stays'), post('goes')]
  published = [goes, stays]
  meanwhile = async (name) => {
    if (name !== 'GET /api/pull/posts/goes') return
    published = [stays]
    await send(deleted(goes))
  }
  await catchUp()
  expect(await kept()).toEqual(['stays 1'])
})

it('a post that is removed before it is confirmed does not end the rest', async () => {
  published = [post('goes'), post('stays')]
  meanwhile = (name) => {
    if (name === 'GET /api/pull/posts') published = [post('stays')]
  }
  await catchUp()
  expect([await kept(), confirmed]).toEqual([['stays 1'], ['stays 1']])
})

it('a post that comes back while it is looked for stays', async () => {
  const back = post('back')
  await send(updated(back))
  await send(updated(post('other')))
  published = [post('other')]
  meanwhile = async (name) => {
    if (name !== 'GET /api/pull/posts/back') return
    published.push(back)
    await send(updated(back))
  }
  await catchUp()
  expect(await kept()).toEqual(['back 1', 'other 1'])
})

it('a post that changes between the two requests for it is kept as it is then', async () => {
  published = [post('one')]
  const changed = post('one', { version: 2 })
  meanwhile = async () => {
    if (asked.length !== 2) return
    published = [changed]
    // The service tells those that have the post as far as it knows.
    if (confirmed.length > 0) await send(updated(changed))
  }
  await catchUp()
  expect(await kept()).toEqual(['one 2'])
})

it('a post whose slug changes after it was listed is kept under its new slug', async () => {
  published = [post('one'), post('two')]
  meanwhile = (name) => {
    if (name !== 'GET /api/pull/posts' || asked.length > 1) return
    published = [post('one', { slug: 'new', version: 2 }), post('two')]
  }
  await catchUp()
  expect(await kept()).toEqual(['new 2', 'two 1'])
})

it('a post whose slug another post gets before it is fetched is kept, and so is the other', async () => {
  published = [post('one')]
  meanwhile = (name) => {
    if (name !== 'POST /api/pull/confirm' || asked.length > 2) return
    published = [post('other', { slug: 'one' }), post('one', { slug: 'new', version: 2 })]
  }
  await catchUp()
  expect(await kept()).toEqual(['new 2', 'one 1'])
})

it('a post whose slug changes again and again is fetched at the next start', async () => {
  published = [post('one'), post('two')]
  meanwhile = (name) => {
    if (name === 'GET /api/pull/posts') published = [post('one', { slug: `new-${asked.length}` }), post('two')]
  }
  await catchUp()
  expect([await kept(), asked.filter((name) => name === 'GET /api/pull/posts').length]).toEqual([['two 1'], 4])
  meanwhile = () => {}
  await catchUp()
  expect(await kept()).toEqual([expect.stringMatching(/^new-\d+ 1$/), 'two 1'])
})

it('what could not be confirmed is fetched and confirmed at the next start', async () => {
  published = [post('one')]
  refusal = { status: 500 }
  await expect(catchUp()).rejects.toMatchObject({ status: 500 })
  await catchUp()
  expect([await kept(), confirmed]).toEqual([['one 1'], ['one 1']])
})

it('more posts than there are requests in an hour are fetched in the next', async () => {
  published = [post('one'), post('two')]
  refusal = { status: 429, retryAfter: '3599' }
  const later = setTimeout
  const timers = vi.spyOn(globalThis, 'setTimeout')
  timers.mockImplementation((run, ms) => later(run, ms === 3_599_000 ? 0 : ms))
  await catchUp().finally(() => timers.mockRestore())
  expect(await kept()).toEqual(['one 1', 'two 1'])
})

it('a removed post goes even if another post has its slug now', async () => {
  await send(updated(post('old', { slug: 'bread' })))
  published = [post('new', { slug: 'bread', title: 'Other bread' })]
  await catchUp()
  expect((await file.posts()).map(({ id }) => id)).toEqual(['new'])
})

it('a post that was received as another site is confirmed, so that its changes are sent to this one', async () => {
  const one = post('one')
  await send({ ...updated(one), site: { id: 'another site', name: 'Another' } } as WebhookEvent)
  published = [one]
  await catchUp()
  await catchUp()
  expect([await kept(), confirmed]).toEqual([['one 1'], ['one 1']])
})

it('a post that is removed and published again before it is confirmed is kept as it is then', async () => {
  const one = post('one')
  published = [one]
  meanwhile = async (request) => {
    if (request !== 'POST /api/pull/confirm') return
    await send(deleted(one))
    published = [post('one', { version: 3 })]
  }
  await catchUp()
  expect(await kept()).toEqual(['one 3'])
})

it('a file that was cut off counts as none', async () => {
  await mkdir(join(folder, 'posts'), { recursive: true })
  await writeFile(join(folder, 'posts', 'one.json'), '')
  expect(await kept()).toEqual([])
  published = [post('one')]
  await catchUp()
  expect(await kept()).toEqual(['one 1'])
})

it('several processes may begin at once', async () => {
  published = Array.from({ length: 30 }, (_, index) => post(`p${index}`))
  await mkdir(join(folder, 'posts'), { recursive: true })
  await Promise.all([catchUp(), catchUp(await another('second'))])
  expect(await kept()).toHaveLength(30)
  expect((await readdir(join(folder, 'posts'))).filter((name) => !name.endsWith('.json'))).toEqual([])
})
