/** Section 8 of the specification: the limits as they are without any configuration. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Api, newApi, newPost, newSite } from '../support/api.ts'
import { type PlainResponse, request } from '../support/http.ts'
import { startReceiver } from '../support/receiver.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService

beforeAll(async () => {
  // Nothing but the defaults; this machine is a trusted proxy, so that tests can come from many addresses.
  service = await startService({ RATE_LIMIT_AUTH: '', RATE_LIMIT_STARTER: '', TRUST_PROXY: '127.0.0.0/8' })
})
afterAll(() => service.stop())

let addresses = 0
const from = () => {
  addresses += 1
  return { 'x-forwarded-for': `203.0.113.${addresses}` }
}

/** Asks `count` times, ten at a time; resolves with how often each status was answered. */
async function statuses(count: number, ask: () => Promise<PlainResponse>): Promise<Record<number, number>> {
  const seen: Record<number, number> = {}
  for (let asked = 0; asked < count; asked += 10) {
    const answers = await Promise.all(Array.from({ length: Math.min(10, count - asked) }, ask))
    for (const { status } of answers) seen[status] = (seen[status] ?? 0) + 1
  }
  return seen
}

/** How long the window is that `ask` is counted in: it is refused until then, and answered at the end. */
async function windowMs(ask: () => Promise<PlainResponse>): Promise<number> {
  const { status, json } = await ask()
  expect(status).toBe(429)
  const rest = Number(json.retry_after) * 1_000
  service.clock.advance(rest - 1)
  expect((await ask()).status).toBe(429)
  service.clock.advance(1)
  expect((await ask()).status).not.toBe(429)
  return rest
}

describe('requests', () => {
  it('§8 Auth endpoints: 5 per minute', async () => {
    const headers = from()
    const body = { email: 'nobody@example.com', password: 'wrong horse' }
    const login = () => request(`${service.url}/api/auth/login`, { method: 'POST', body, headers })
    expect(await statuses(8, login)).toEqual({ 401: 5, 429: 3 })
    expect(await windowMs(login)).toBe(60_000)
  })

  it('§8 Management API, Starter plan: 100 per hour', async () => {
    const api = await newApi(service, from())
    const list = () => api.get('/api/posts?limit=1')
    expect(await statuses(130, list)).toEqual({ 200: 100, 429: 30 })
    expect(await windowMs(list)).toBe(3_600_000)
  })

  /** Moves the account to a plan and leaves two requests of it, counted as such a thousand would be. */
  async function onPlan(plan: 'pro' | 'agency', limit: number): Promise<Api> {
    const api = await newApi(service, from())
    const db = service.ctx.db.root
    await db.updateTable('accounts').set({ plan }).where('id', '=', api.user.id).execute()
    const { headers } = await api.get('/api/posts?limit=1')
    expect([headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]).toEqual([`${limit}`, `${limit - 1}`])
    await db
      .updateTable('rate_limits')
      .set({ used: limit - 2 })
      .where('bucket', '=', `management:${api.user.id}`)
      .execute()
    return api
  }

  it('§8 Management API, Pro plan: 1,000 per hour', async () => {
    const api = await onPlan('pro', 1_000)
    const list = () => api.get('/api/posts?limit=1')
    expect(await statuses(5, list)).toEqual({ 200: 2, 429: 3 })
    expect(await windowMs(list)).toBe(3_600_000)
  })

  it('§8 Management API, Agency plan: 10,000 per hour', async () => {
    const api = await onPlan('agency', 10_000)
    const list = () => api.get('/api/posts?limit=1')
    expect(await statuses(5, list)).toEqual({ 200: 2, 429: 3 })
    expect(await windowMs(list)).toBe(3_600_000)
  })

  it('§8 Pull API: 500 per hour and site', async () => {
    const api = await newApi(service, from())
    const sites = [await newSite(api, 'https://example.com/a'), await newSite(api, 'https://example.com/b')]
    const pull = (site = sites[0]) =>
      request(`${service.url}/api/pull/posts?limit=1`, { headers: { 'x-api-key': String(site?.api_key) } })
    expect(await statuses(520, () => pull())).toEqual({ 200: 500, 429: 20 })
    expect((await pull(sites[1])).status).toBe(200)
    expect(await windowMs(() => pull())).toBe(3_600_000)
  })
})

describe('constants', () => {
  it('§8 List posts: limit 20 and 100 at most, page 1', async () => {
    const api = await newApi(service, from())
    await Promise.all(Array.from({ length: 21 }, () => newPost(api, {})))
    const list = async (query: string) => (await api.get(`/api/posts${query}`)).json
    expect(await list('')).toMatchObject({ pagination: { page: 1, limit: 20, total: 21, pages: 2 } })
    expect((await list('')).data).toHaveLength(20)
    expect((await list('?limit=100')).data).toHaveLength(21)
    expect(await list('?limit=101')).toMatchObject({ error: 'validation_error', field: 'limit' })
  })

  it('§8 Token lifetime: 7 days', async () => {
    const { token } = await newApi(service, from())
    const status = async () => (await request(`${service.url}/api/posts`, { token })).status
    service.clock.advance(7 * 86_400_000 - 1)
    expect(await status()).toBe(200)
    service.clock.advance(1)
    expect(await status()).toBe(401)
  })

  it('§8 Delivery attempts: 4 at most', async () => {
    const receiver = await startReceiver()
    receiver.answerNext(...Array.from({ length: 9 }, () => 500))
    const api = await newApi(service, from())
    await newSite(api, receiver.url)
    await newPost(api, { status: 'published' })
    await service.drain()
    for (let hour = 0; hour < 24; hour += 1) await service.advance(3_600_000)
    expect(receiver.received).toHaveLength(4)
    await receiver.close()
  })

  it('§8 History of a deleted site: 90 days', async () => {
    const receiver = await startReceiver()
    const person = { name: 'Ada', email: 'ninety@example.com', password: 'correct horse' }
    const send = async (path: string, body: object) =>
      (await request(`${service.url}${path}`, { method: 'POST', body, headers: from() })).json
    let token = String((await send('/api/auth/register', person)).token)
    const ask = (path: string, method = 'GET', body?: object) =>
      request(service.url + path, { method, token, ...(body === undefined ? {} : { body }) })
    const site = { name: 'Gone', url: 'https://example.com', webhook_url: receiver.url, platform: 'custom' }
    const { id } = (await ask('/api/sites', 'POST', site)).json
    await ask('/api/posts', 'POST', { title: 'x', status: 'published' })
    await service.drain()
    await ask(`/api/sites/${id}`, 'DELETE')
    const sitesAfter = async (ms: number) => {
      await service.advance(ms)
      token = String((await send('/api/auth/login', { email: person.email, password: person.password })).token)
      return (await ask('/api/analytics/overview?from=2026-01-01')).json.sites
    }
    expect(await sitesAfter(90 * 86_400_000 - 1)).toMatchObject([{ id, name: 'Gone', deliveries: 1 }])
    expect(await sitesAfter(1)).toEqual([])
    await receiver.close()
  })
})
