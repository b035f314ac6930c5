/** What the plugin does when the service does not answer as it would like, while it fetches earlier posts. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Bench, codeFor, HAS_PHP, startBench } from './bench.ts'

type Answer = { status: number; body: object; headers?: Record<string, string> }

const POST = {
  id: '01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071',
  version: 1,
  slug: 'bread',
  title: 'Bread',
  excerpt: '',
  body: { html: '<p>Text</p>' },
  meta: {},
  tags: [],
  published_at: '2026-11-27T09:00:00.000Z',
}
const CHANGE = { event: 'published', post_id: POST.id, slug: POST.slug, version: 1, at: POST.published_at, post: POST }

const page = (changes: object[], cursor: string, more = false): Answer => ({
  status: 200,
  body: { changes, cursor, more },
})
const refused = (status: number, message: string, headers = {}): Answer => ({ status, body: { message }, headers })
const confirmed: Answer = { status: 200, body: { results: [] } }

describe.skipIf(!HAS_PHP)('earlier posts (needs php)', () => {
  let service: Server
  let answers: Answer[]
  let asked: string[]
  let site: Bench

  beforeEach(async () => {
    asked = []
    service = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`)
      const { status, body, headers } = request.url?.startsWith('/api/pull/digest')
        ? { status: 200, body: { posts: 1, digest: '', extra: [] }, headers: {} }
        : (answers.shift() ?? refused(500, 'Nothing more was expected.'))
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
    })
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
    const { port } = service.address() as AddressInfo // it listens on TCP
    site = await startBench({ POSTRIDER_CONNECTION: codeFor(`http://127.0.0.1:${port}`) })
  })
  afterEach(async () => {
    await site.stop()
    service.close()
  })
  /** Begins, and goes on by a batch. */
  async function begin(given: Answer[], cursor = '') {
    answers = given
    await site.catchUp('begin', cursor)
    return site.catchUp('step')
  }
  const seconds = () => Date.now() / 1_000

  it('are fetched and confirmed, and the site looks again from there', async () => {
    expect(await begin([page([CHANGE], 'c1'), confirmed])).toMatchObject({
      state: 'done',
      cursor: 'c1',
      done: 1,
      failed: 0,
    })
    expect(await site.row()).toMatchObject({ post_title: 'Bread', post_status: 'publish' })
  })

  it('bring the address of the original to a post that is here in the same version', async () => {
    await begin([page([CHANGE], 'c1'), confirmed])
    const meta = { canonical_url: 'https://original.example.com/bread' }
    const moved = { ...CHANGE, event: 'updated', post: { ...POST, meta } }
    expect(await begin([page([moved], 'c2'), confirmed], 'c1')).toMatchObject({ state: 'done', failed: 0 })
    expect((await site.row()).meta).toMatchObject({ _postrider_seo: meta })
    expect(await begin([page([{ ...moved, post: POST }], 'c3'), confirmed], 'c2')).toMatchObject({ state: 'done' })
    expect((await site.row()).meta).toMatchObject({ _postrider_seo: [] })
  })

  it('wait for as long as the rate limit says, and ask nothing before', async () => {
    const held = await begin([refused(429, 'Too many requests.', { 'retry-after': '300' })])
    expect(held).toMatchObject({
      state: 'running',
      message: expect.stringMatching(/^The rate limit is reached\. It goes on at/),
    })
    expect(held.until - seconds()).toBeGreaterThan(290)
    const before = asked.length
    expect(await site.catchUp('step')).toMatchObject({ state: 'running', until: held.until })
    expect(asked.length).toBe(before)
    await site.waitIsOver()
    answers = [page([CHANGE], 'c1'), confirmed]
    expect(await site.catchUp('step')).toMatchObject({ state: 'done', message: '', done: 1 })
  })

  it.each([
    ['answers 503', () => refused(503, 'The database is away'), /refused: The database is away\. It goes on at/],
    [
      'answers what is not JSON',
      () => ({ status: 502, body: '<html>' as unknown as object }),
      /answered 502\. It goes on at/,
    ],
  ])('wait a minute while the service %s', async (_, answer, message) => {
    const held = await begin([answer()])
    expect(held).toMatchObject({ state: 'running', cursor: '', message: expect.stringMatching(message) })
    expect(held.until - seconds()).toBeGreaterThan(50)
  })

  it('wait a minute while the service cannot be reached', async () => {
    answers = []
    await site.catchUp('begin')
    service.closeAllConnections()
    await new Promise((resolve) => service.close(resolve))
    expect(await site.catchUp('step')).toMatchObject({
      state: 'running',
      message: expect.stringContaining('cannot be reached'),
    })
  })

  it('end with a sentence where waiting does not help', async () => {
    const failed = await begin([refused(401, 'Unknown key.')])
    expect(failed).toMatchObject({ state: 'failed', message: expect.stringContaining('does not accept the key') })
    const before = asked.length
    expect(await site.catchUp('step')).toMatchObject({ state: 'failed' })
    expect(asked.length).toBe(before)
  })

  it('begin again where the cursor is too old, and what is extra goes', async () => {
    expect(await begin([refused(410, 'The cursor is too old.')], 'old')).toMatchObject({
      state: 'running',
      cursor: '',
      again: true,
    })
    answers = [page([CHANGE], 'c2'), confirmed]
    expect(await site.catchUp('step')).toMatchObject({ state: 'done', cursor: 'c2' })
    expect(asked.at(-1)).toBe('POST /api/pull/digest')
  })

  it('come again, and are not stored twice, where they could not be confirmed', async () => {
    const held = await begin([page([CHANGE], 'c1'), refused(503, 'Later')])
    expect(held).toMatchObject({ state: 'running', cursor: '', done: 0 })
    await site.waitIsOver()
    answers = [page([CHANGE], 'c1'), confirmed]
    expect(await site.catchUp('step')).toMatchObject({ state: 'done', cursor: 'c1', done: 1 })
    expect(await site.rows()).toHaveLength(1)
  })
})
