import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { removeEndedWindows } from '../src/platform/rate-limit/rate-limit.ts'
import { createApiKey } from '../src/sites/api-key.ts'
import { type PlainResponse, request } from './support/http.ts'
import { connectSite, newAccount, startService, type TestService } from './support/service.ts'

let service: TestService
let pulling: TestService

beforeAll(async () => {
  service = await startService({
    RATE_LIMIT_AUTH: '5/min',
    RATE_LIMIT_STARTER: '10/h',
    TRUST_PROXY: '127.0.0.0/8',
    METRICS_TOKEN: 'a token of the scraper',
  })
  pulling = await startService({ RATE_LIMIT_PULL: '30/h' })
})
afterAll(async () => {
  await pulling.stop()
  await service.stop()
})

let clients = 0
/** Another address each time: this machine is a trusted proxy here. */
const newAddress = () => {
  clients += 1
  return `203.0.113.${clients}`
}

/** A failed login, by default to an account that no other address tries. */
const login = (address: string, url = service.url, email = `${address}@example.com`, password = 'wrong horse') =>
  request(`${url}/api/auth/login`, {
    method: 'POST',
    body: { email, password },
    headers: { 'x-forwarded-for': address },
  })

const register = (address: string, email: string, password: string) =>
  request(`${service.url}/api/auth/register`, {
    method: 'POST',
    body: { name: 'X', email, password },
    headers: { 'x-forwarded-for': address },
  })

async function newToken(): Promise<string> {
  const address = newAddress()
  const { json } = await request(`${service.url}/api/auth/register`, {
    method: 'POST',
    body: { name: 'X', email: `${address}@example.com`, password: 'quiet harbour' },
    headers: { 'x-forwarded-for': address },
  })
  return String(json.token)
}

const limitHeaders = ({ headers }: PlainResponse) =>
  ['limit', 'remaining', 'reset'].map((name) => headers.get(`ratelimit-${name}`))

describe('auth endpoints: 5 per minute and client address', () => {
  it('count register and login together, successes and failures alike', async () => {
    const address = newAddress()
    const body = { name: 'X', email: 'one@example.com', password: 'quiet harbour' }
    await request(`${service.url}/api/auth/register`, { method: 'POST', body, headers: { 'x-forwarded-for': address } })
    const statuses = []
    for (let count = 0; count < 6; count += 1) statuses.push((await login(address)).status)
    expect(statuses).toEqual([401, 401, 401, 401, 429, 429])
    expect((await login(newAddress())).status).toBe(401)
  })

  it('say how much is left and when the window ends', async () => {
    const address = newAddress()
    expect(limitHeaders(await login(address))).toEqual(['5', '4', '60'])
    service.clock.advance(20_500)
    expect(limitHeaders(await login(address))).toEqual(['5', '3', '40'])
    for (let count = 0; count < 3; count += 1) await login(address)
    const refused = await login(address)
    expect(refused.status).toBe(429)
    expect(refused.json).toEqual({
      error: 'rate_limited',
      message: expect.stringContaining('40 seconds'),
      retry_after: 40,
    })
    expect(refused.headers.get('retry-after')).toBe('40')
  })

  it('never lengthen the window by refusing, and start afresh after it', async () => {
    const address = newAddress()
    for (let count = 0; count < 5; count += 1) await login(address)
    for (let second = 0; second < 59; second += 1) {
      service.clock.advance(1_000)
      expect((await login(address)).status).toBe(429)
    }
    service.clock.advance(1_000)
    expect(limitHeaders(await login(address))).toEqual(['5', '4', '60'])
  })

  it('forget a window that began while the clock was ahead', async () => {
    const address = newAddress()
    service.clock.advance(3_600_000)
    for (let count = 0; count < 6; count += 1) await login(address)
    expect((await login(address)).status).toBe(429)
    service.clock.advance(-3_600_000)
    expect(limitHeaders(await login(address))).toEqual(['5', '4', '60'])
    service.clock.advance(-1_000)
    expect(limitHeaders(await login(address))).toEqual(['5', '3', '61'])
    service.clock.advance(1_000)
  })

  it('count all addresses of an IPv6 /64 as one client', async () => {
    const statuses = []
    for (let host = 1; host <= 6; host += 1) statuses.push((await login(`2001:db8:7:7::${host}`)).status)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    expect((await login('2001:db8:7:8::1')).status).toBe(401)
  })

  it('count all addresses of an IPv6 /48 as four clients', async () => {
    const answers = []
    for (let network = 1; network <= 21; network += 1) answers.push(await login(`2001:db8:9:${network}::1`))
    expect(answers.map(({ status }) => status)).toEqual([...Array(20).fill(401), 429])
    expect(answers[18]?.headers.get('ratelimit-remaining')).toBe('1')
    expect((await login('2001:db8:a:1::1')).status).toBe(401)
  })
})

describe('failed logins: ten in ten minutes and account', () => {
  const PASSWORD = 'quiet harbour'
  const statuses = async (logins: Array<Promise<PlainResponse>>) =>
    (await Promise.all(logins)).map(({ status }) => status)
  const count = (all: number[], wanted: number) => all.filter((status) => status === wanted).length
  /** So many simultaneous guesses, each from another network. */
  const guesses = (times: number, email: string) =>
    statuses(Array.from({ length: times }, () => login(newAddress(), service.url, email)))

  it.each(['with', 'without'])('let exactly ten guesses be tried, at an address %s an account', async (which) => {
    const email = `${which}@example.com`
    if (which === 'with') await register(newAddress(), email, PASSWORD)
    const second = await service.startAnother()
    const all = await statuses(
      Array.from({ length: 24 }, (_, index) => login(newAddress(), [service.url, second.url][index % 2], email)),
    )
    expect([count(all, 401), count(all, 429)]).toEqual([10, 14])
    expect((await login(newAddress(), second.url, email.toUpperCase())).status).toBe(429)
    await second.stop()
    service.clock.advance(599_000)
    const refused = await login(newAddress(), service.url, email, PASSWORD)
    expect(refused).toMatchObject({ status: 429, json: { error: 'rate_limited', retry_after: 1 } })
    expect(refused.json.message).toContain('failed logins to this account')
    service.clock.advance(1_000)
    expect((await login(newAddress(), service.url, email)).status).toBe(401)
  })

  it('do not lock out an address that has logged in to the account before, nor its /64', async () => {
    const email = 'owner@example.com'
    const [home, road] = [newAddress(), '2001:db8:77:1::5']
    await register(home, email, PASSWORD)
    expect((await login(road, service.url, email, PASSWORD)).status).toBe(200)
    expect(count(await guesses(11, email), 429)).toBe(1)
    for (const address of [home, '2001:db8:77:1::6'])
      expect((await login(address, service.url, email, PASSWORD)).status).toBe(200)
    expect((await login(newAddress(), service.url, email, PASSWORD)).status).toBe(429)
  })

  it('limit such an address too, by itself', async () => {
    const [home, email] = [newAddress(), 'neighbour@example.com']
    await register(home, email, PASSWORD)
    service.clock.advance(60_000)
    for (const status of [401, 401, 429]) {
      const all = await statuses(Array.from({ length: 5 }, () => login(home, service.url, email)))
      expect(all).toEqual(Array(5).fill(status))
      service.clock.advance(60_000)
    }
    expect((await login(newAddress(), service.url, email, PASSWORD)).status).toBe(200)
  })

  it('are what counts: logins that succeed do not', async () => {
    const email = 'busy@example.com'
    await register(newAddress(), email, PASSWORD)
    for (let round = 0; round < 3; round += 1) {
      const all = await statuses(Array.from({ length: 5 }, () => login(newAddress(), service.url, email, PASSWORD)))
      expect(all).toEqual(Array(5).fill(200))
    }
    expect(count(await guesses(12, email), 401)).toBe(10)
  })

  it('are logged with the address and the key of the account, without the e-mail address, and counted', async () => {
    const [email, address] = ['watched@example.com', newAddress()]
    await register(newAddress(), email, PASSWORD)
    const known = await login(address, service.url, email)
    const unknown = await login(address, service.url, 'nobody@example.com')
    await login(address, service.url, ' NOBODY@example.com')
    await service.caughtUp()
    const lines = service.logged
      .filter(({ event, fields }) => event === 'login.failed' && fields.client_address === address)
      .map(({ fields }) => fields)
    expect(lines).toMatchObject([
      { account_key: expect.stringMatching(/^[0-9a-f]{16}$/), account_id: expect.any(String), limited: false },
      { account_key: lines[2]?.account_key },
      {},
    ])
    expect(lines.map((line) => line.request_id).slice(0, 2)).toEqual(
      [known, unknown].map(({ headers }) => headers.get('x-request-id')),
    )
    expect(lines[1]).not.toHaveProperty('account_id')
    expect(lines[0]?.account_key).not.toBe(lines[1]?.account_key)
    expect(JSON.stringify(service.logged)).not.toMatch(/watched@|nobody@/i)
    const authorization = 'Bearer a token of the scraper'
    const metrics = await fetch(`${service.url}/metrics`, { headers: { authorization } })
    expect(await metrics.text()).toMatch(/^postrider_logins_total\{outcome="failed"\} [1-9]/m)
  })

  it('are forgotten with the networks that nobody has logged in from for 90 days', async () => {
    const networks = () => service.ctx.db.root.selectFrom('login_networks').selectAll().execute()
    await register(newAddress(), 'moved@example.com', PASSWORD)
    await service.advance(89 * 24 * 3_600_000)
    expect((await networks()).length).toBeGreaterThan(0)
    await service.advance(24 * 3_600_000)
    expect(await networks()).toEqual([])
  })
})

describe('the Management API: per account and plan', () => {
  it('lets exactly the limit through, however many ask at once', async () => {
    const token = await newToken()
    const all = await Promise.all(Array.from({ length: 40 }, () => request(`${service.url}/api/posts`, { token })))
    const statuses = all.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(30)
    expect((await request(`${service.url}/api/sites`, { token: await newToken() })).status).toBe(200)
  })

  it('counts what is wrong too, but not what carries no valid token', async () => {
    const token = await newToken()
    expect(limitHeaders(await request(`${service.url}/api/posts?page=0`, { token }))[1]).toBe('9')
    expect(limitHeaders(await request(`${service.url}/api/posts/nothing`, { token }))[1]).toBe('8')
    expect(limitHeaders(await request(`${service.url}/api/posts`, { token: `${token}x` }))).toEqual([null, null, null])
  })

  it('is shown by the account, which counts itself', async () => {
    const { status, json } = await request(`${service.url}/api/account`, { token: await newToken() })
    expect({ status, ...json }).toEqual({
      status: 200,
      user: { id: expect.any(String), name: 'X', email: expect.stringContaining('@example.com') },
      plan: 'starter',
      primary_site_id: null,
      limits: { management: { limit: 10, remaining: 9, reset_seconds: 3600 } },
      generation: { model: null },
    })
  })

  it('follows the plan', async () => {
    const token = await newToken()
    await service.ctx.db.root.updateTable('accounts').set({ plan: 'agency' }).execute()
    expect(limitHeaders(await request(`${service.url}/api/posts`, { token }))[0]).toBe('10000')
    await service.ctx.db.root.updateTable('accounts').set({ plan: 'starter' }).execute()
  })
})

describe('the Pull API: per site', () => {
  it('lets exactly the limit through, however many ask at once in however many processes, each in its turn', async () => {
    const client = await newAccount(pulling)
    const limited = await connectSite(client, { url: 'http://127.0.0.1:9/' })
    const free = await connectSite(client, { url: 'http://127.0.0.1:9/' }, 'Other')
    const { clock } = pulling
    const second = await pulling.startAnother()
    const urls = [pulling.url, second.url]
    const ask = (url: string, key: string) => request(`${url}/api/pull/posts`, { headers: { 'x-api-key': key } })
    const burst = () => Promise.all(urls.flatMap((url) => Array.from({ length: 40 }, () => ask(url, limited.api_key))))
    const answers = await burst()
    const passed = answers.filter(({ status }) => status === 200)
    expect(passed.map(({ headers }) => Number(headers.get('ratelimit-remaining'))).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 30 }, (_, index) => index),
    )
    expect(answers.filter(({ status, json }) => status === 429 && json.error === 'rate_limited')).toHaveLength(50)
    expect((await ask(pulling.url, free.api_key)).headers.get('ratelimit-remaining')).toBe('29')
    // What was refused has moved nothing: the window ends when it did, and the next one is whole.
    clock.advance(3_599_000)
    expect((await burst()).every(({ status }) => status === 429)).toBe(true)
    clock.advance(1_000)
    expect((await burst()).filter(({ status }) => status === 200)).toHaveLength(30)
    await second.stop()
  })

  it('counts every request of a site, but none that carries no valid key', async () => {
    const site = await connectSite(await newAccount(pulling), { url: 'http://127.0.0.1:9/' })
    const left = async (path: string, key = site.api_key) =>
      (await request(`${pulling.url}/api/pull/${path}`, { headers: { 'x-api-key': key } })).headers.get(
        'ratelimit-remaining',
      )
    expect(await left('posts?page=0')).toBe('29')
    expect(await left('posts/nothing')).toBe('28')
    expect(await left('posts', `${site.api_key}x`)).toBeNull()
    expect(await left('posts', createApiKey())).toBeNull()
    expect(await left('posts')).toBe('27')
  })
})

describe('counts', () => {
  it('go on in another process of the same database', async () => {
    const address = newAddress()
    for (let count = 0; count < 3; count += 1) await login(address)
    const second = await service.startAnother()
    expect(limitHeaders(await login(address, second.url))[1]).toBe('1')
    expect(limitHeaders(await login(address))[1]).toBe('0')
    await second.stop()
  })

  it('are removed some at a time once their window has ended', async () => {
    const { db, clock } = service.ctx
    const count = async () => {
      const { rows } = await sql<{ count: number }>`select count(*)::int as count from rate_limits`.execute(db.root)
      return rows[0]?.count
    }
    const fill = () =>
      sql`
        insert into rate_limits (bucket, window_ends_at, used)
        select 'auth:' || n, ${clock.now()}::timestamptz, 1 from generate_series(1, 5001) n
      `.execute(db.root)
    service.clock.advance(3_600_000)
    await service.drain()
    const rest = (await count()) ?? 0
    await fill()
    expect(await removeEndedWindows(db.root, clock.now())).toBe(true)
    expect(await count()).toBe(rest + 1)
    expect(await removeEndedWindows(db.root, clock.now())).toBe(false)
    await fill()
    await service.drain()
    expect(await count()).toBe(rest)
  })
})
