/** How calls behave on a bad connection, tested against a real server that answers by a script. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createClient, createPullClient, PostriderError } from './index.ts'

type Answer = (response: ServerResponse, url?: string) => void
const script: Answer[] = []
const received: IncomingMessage[] = []
const server = createServer((request, response) => {
  received.push(request)
  const answer = script.shift() ?? json(200, { data: [], pagination: { page: 1, limit: 20, total: 0, pages: 0 } })
  answer(response, request.url)
})
let baseUrl: string

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on TCP
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  script.length = 0
  received.length = 0
})

function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}
const hangUp: Answer = (response) => response.socket?.destroy()
const silence: Answer = () => {}
const refusal = (retryAfter: string) =>
  json(429, { error: 'rate_limited', message: 'No.' }, { 'retry-after': retryAfter })
const created = json(201, { id: 'new' })

const client = (more: object = {}) => createClient({ baseUrl, token: 't', ...more })

it.each(['', 'postrider.example.com', '/api'])('says what baseUrl is when it is "%s"', (given) => {
  expect(() => createPullClient({ baseUrl: given, apiKey: 'k' })).toThrow(/baseUrl must be the address of your service/)
})

describe('a call that is refused for now', () => {
  it('is made again when the service says so, and waits as long as that says', async () => {
    script.push(refusal('0'), json(503, {}, { 'retry-after': '0' }))
    await client().posts.list()
    expect(received).toHaveLength(3)
  })

  it('is an error at once when the wait would be longer than the client is patient', async () => {
    script.push(refusal('11'))
    await expect(client().posts.list()).rejects.toMatchObject({ status: 429, code: 'rate_limited', retryAfter: 11 })
    script.push(refusal(new Date(Date.now() + 60_000).toUTCString()))
    const error = await client()
      .posts.list()
      .catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(PostriderError)
    expect((error as PostriderError).retryAfter).toBeGreaterThan(50)
    expect(received).toHaveLength(2)
  })

  it('is not made again when it may have been carried out, and would not be the same again', async () => {
    script.push(json(503, { error: 'unavailable', message: 'Later.' }, { 'retry-after': '0' }))
    await expect(client().posts.update('p', { title: 'New' }, 1)).rejects.toMatchObject({ status: 503 })
    expect(received).toHaveLength(1)
    script.push(json(503, {}, { 'retry-after': '0' }))
    await client().posts.create({ title: 'New' })
    expect(received).toHaveLength(3)
  })

  it('is made as often as the client may', async () => {
    script.push(refusal('0'), refusal('0'))
    await expect(client({ retries: 1 }).posts.list()).rejects.toMatchObject({ status: 429 })
    expect(received).toHaveLength(2)
  })

  it('is never made again for a refusal that will not pass', async () => {
    script.push(json(500, { error: 'internal_error', message: 'Oh.', request_id: 'r' }, { 'x-request-id': 'r' }))
    await expect(client().posts.list()).rejects.toMatchObject({ status: 500, requestId: 'r', message: 'Oh.' })
    script.push(json(400, { error: 'validation_error', message: 'No.', field: 'title' }))
    await expect(client().posts.create({ title: '' })).rejects.toMatchObject({
      code: 'validation_error',
      field: 'title',
    })
    expect(received).toHaveLength(2)
  })
})

describe('a call that something else answers', () => {
  it('is an error, even if the answer says 200', async () => {
    script.push((response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Back soon</h1>'))
    await expect(createPullClient({ baseUrl, apiKey: 'k' }).get('p')).rejects.toMatchObject({
      name: 'PostriderError',
      status: 200,
      message: expect.stringContaining('not JSON'),
    })
    expect(received).toHaveLength(1)
  })
})

describe('a call whose connection is lost', () => {
  it('is made again when that is safe: what reads, and a POST with its key', async () => {
    script.push(hangUp)
    await client().posts.list()
    script.push(hangUp, created)
    await client().posts.create({ title: 'x' })
    expect(received).toHaveLength(4)
    const [, , first, second] = received.map(({ headers }) => headers['idempotency-key'])
    expect(first).toMatch(/^[0-9a-f]{32}$/)
    expect(second).toBe(first)
    script.push(hangUp, json(200, {}))
    await createPullClient({ baseUrl, apiKey: 'k' }).confirm('p', 's', 'delivered')
    expect(received).toHaveLength(6)
  })

  it('is made again until its first try, which may still be carried out, has its answer', async () => {
    const underWay = json(409, { error: 'conflict', message: 'Still running.' }, { 'retry-after': '0' })
    script.push(hangUp, underWay, created)
    expect(await client().posts.create({ title: 'x' })).toEqual({ id: 'new' })
    expect(new Set(received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    script.push(json(409, { error: 'conflict', message: 'The slug is taken.', field: 'slug' }))
    await expect(client().posts.create({ title: 'x', slug: 'x' })).rejects.toMatchObject({ status: 409, field: 'slug' })
    expect(received).toHaveLength(4)
  })

  it('is not made again when nobody knows what it did', async () => {
    script.push(hangUp)
    await expect(client().posts.update('p', { title: 'y' })).rejects.toThrow('fetch failed')
    expect(received).toHaveLength(1)
  })

  it('has another key each time, unless it is given one', async () => {
    script.push(created, created, created)
    await client().posts.create({ title: 'x' })
    await client().posts.create({ title: 'x' })
    await client().posts.create({ title: 'x' }, { idempotencyKey: 'mine' })
    const keys = received.map(({ headers }) => headers['idempotency-key'])
    expect(new Set(keys).size).toBe(3)
    expect(keys[2]).toBe('mine')
  })
})

describe('a call that gets no answer', () => {
  it('ends after the time it has', async () => {
    script.push(silence)
    await expect(client({ timeoutMs: 50, retries: 0 }).posts.list()).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  it('waits for as long as it may, even if that is longer than a timer can', async () => {
    script.push((response) => setTimeout(() => created(response), 50), refusal('9999999'), created)
    const patient = client({
      timeoutMs: Number.POSITIVE_INFINITY,
      maxRetryWaitMs: Number.POSITIVE_INFINITY,
      retries: 1,
    })
    expect(await patient.posts.create({ title: 'x' })).toEqual({ id: 'new' })
    const giveUp = AbortSignal.timeout(100)
    await expect(patient.posts.list({}, { signal: giveUp })).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(received).toHaveLength(2)
  })

  it('ends when the caller gives up, and is not made again', async () => {
    const giveUp = new AbortController()
    script.push((response) => {
      giveUp.abort(new Error('enough'))
      response.socket?.destroy()
    })
    await expect(client().posts.list({}, { signal: giveUp.signal })).rejects.toThrow('enough')
    expect(received).toHaveLength(1)
  })

  it('ends when the caller gives up while it waits', async () => {
    const giveUp = new AbortController()
    script.push((response) => {
      refusal('9')(response)
      response.on('close', () => setTimeout(() => giveUp.abort(new Error('enough')), 20))
    })
    await expect(client().posts.list({}, { signal: giveUp.signal })).rejects.toThrow('enough')
    expect(received).toHaveLength(1)
  })
})

describe('a list', () => {
  it('is read to its end, page by page', async () => {
    const page = (number: number, ids: string[]) =>
      json(200, { data: ids.map((id) => ({ id })), pagination: { page: number, limit: 2, total: 3, pages: 2 } })
    script.push(page(1, ['a', 'b']), page(2, ['c']))
    const ids: string[] = []
    for await (const { id } of client().posts.all({ tag: 't', limit: 2 })) ids.push(id)
    expect(ids).toEqual(['a', 'b', 'c'])
    expect(received.map(({ url }) => url)).toEqual([
      '/api/posts?limit=2&tag=t&page=1',
      '/api/posts?limit=2&tag=t&page=2',
    ])
  })

  it('is read to its end although it shrinks meanwhile, and each of it once', async () => {
    const listed = Array.from({ length: 7 }, (_, index) => ({ id: String(index) }))
    const answer = (response: ServerResponse, url = '') => {
      const page = Number(new URL(url, baseUrl).searchParams.get('page'))
      const data = listed.slice((page - 1) * 2, page * 2)
      const pagination = { page, limit: 2, total: listed.length, pages: Math.ceil(listed.length / 2) }
      json(200, { data, pagination })(response)
    }
    script.push(...Array.from({ length: 20 }, () => answer))
    const remove = (gone: string) =>
      listed.splice(
        listed.findIndex(({ id }) => id === gone),
        1,
      )
    const emptied: string[] = []
    for await (const { id } of client().posts.all({ limit: 2 })) {
      emptied.push(id)
      remove(id)
    }
    expect(emptied).toEqual(['0', '1', '2', '3', '4', '5', '6'])
    listed.push(...['a', 'b', 'c', 'd', 'e'].map((id) => ({ id })))
    const read: string[] = []
    for await (const { id } of client().posts.all({ limit: 2 })) {
      read.push(id)
      if (id === 'b') remove('a')
      if (id === 'd') listed.unshift({ id: 'new' })
    }
    expect(read).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('of a site too, and an empty one at once', async () => {
    script.push(json(200, { posts: [{ id: 'a' }], total: 1, page: 1, limit: 100, pages: 1 }))
    const pull = createPullClient({ baseUrl, apiKey: 'k' })
    expect(await Array.fromAsync(pull.all())).toEqual([{ id: 'a' }])
    expect(await Array.fromAsync(client().posts.all())).toEqual([])
    expect(received).toHaveLength(2)
  })
})
