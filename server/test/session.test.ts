/** The dashboard's session: the same login, in a cookie that scripts cannot read. */
import { createClient } from '@postrider/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PlainResponse, request } from './support/http.ts'
import { startService, type TestService } from './support/service.ts'

const DAY_MS = 24 * 3_600_000

let service: TestService
/** Reached by https, through a proxy. */
let secure: TestService

beforeAll(async () => {
  service = await startService({ RATE_LIMIT_STARTER: '3/h', CORS_ORIGINS: 'https://app.example.org' })
  secure = await startService({ PUBLIC_URL: 'https://posts.example.com' })
})
afterAll(async () => {
  await service.stop()
  await secure.stop()
})

let people = 0
/** Registers somebody; resolves with the credentials. */
async function newPerson(): Promise<{ email: string; password: string; token: string }> {
  people += 1
  const person = { email: `person-${people}@example.com`, password: 'correct horse' }
  const { token } = await createClient({ baseUrl: service.url }).auth.register({ name: 'Ada', ...person })
  return { ...person, token }
}

type From = { url?: string; origin?: string }

function signIn(
  { email, password }: { email: string; password: string },
  { url = service.url, origin = url }: From = {},
) {
  const body = { email, password, session: 'cookie' }
  return request(`${url}/api/auth/login`, { method: 'POST', body, headers: { origin } })
}

/** What a browser would send back. */
const cookieOf = ({ headers }: PlainResponse) => headers.get('set-cookie')?.split(';')[0] ?? ''

async function newSession(): Promise<string> {
  return cookieOf(await signIn(await newPerson()))
}

const read = (path: string, cookie: string, headers: Record<string, string> = {}) =>
  request(service.url + path, { headers: { cookie, ...headers } })
/** As if the session had made so many requests. */
async function useUp(cookie: string, used: number): Promise<void> {
  await read('/api/sites', cookie)
  await service.ctx.db.root.updateTable('rate_limits').set({ used }).where('bucket', 'like', 'dashboard:%').execute()
}

const createPost = (cookie: string, headers: Record<string, string> = { origin: service.url }, url = service.url) =>
  request(`${url}/api/posts`, { method: 'POST', body: { title: 'Hello' }, headers: { cookie, ...headers } })

describe('login and register, asked for a cookie', () => {
  it('set one that scripts cannot read and answer nothing they could keep', async () => {
    const { status, json, headers } = await signIn(await newPerson())
    expect({ status, json }).toEqual({ status: 204, json: {} })
    expect(headers.get('set-cookie')).toMatch(
      /^postrider_session=[\w-]+\.[\w-]+\.[\w-]+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    expect(headers.get('cache-control')).toBe('no-store')
    const body = { name: 'Grace', email: 'grace@example.com', password: 'correct horse', session: 'cookie' }
    const origin = service.url
    const registered = await request(`${service.url}/api/auth/register`, { method: 'POST', body, headers: { origin } })
    expect(registered.status).toBe(204)
    const me = await read('/api/account', cookieOf(registered))
    expect(me.json).toMatchObject({ user: { name: 'Grace', email: 'grace@example.com' }, plan: 'starter' })
  })

  it.each(['cookie', 'token'])('give a %s to no page whose name was pointed to this machine', async (session) => {
    const origin = 'http://evil.example:3000'
    const body = { name: 'Eve', email: `${session}@evil.example`, password: 'correct horse', session }
    const headers = { origin, host: 'evil.example:3000', 'sec-fetch-site': 'same-origin' }
    const { status, json } = await request(`${service.url}/api/auth/register`, { method: 'POST', body, headers })
    expect({ status, json }).toMatchObject({ status: 403, json: { error: 'forbidden' } })
  })

  it('bind it to the host and to https where the service is reached by that', async () => {
    const origin = 'https://posts.example.com'
    const person = { name: 'Ada', email: 'ada@example.com', password: 'correct horse', session: 'cookie' }
    const registered = await request(`${secure.url}/api/auth/register`, {
      method: 'POST',
      body: person,
      headers: { origin },
    })
    expect(registered.headers.get('set-cookie')).toMatch(
      /^__Host-postrider_session=\S+; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
    const cookie = cookieOf(registered)
    expect((await createPost(cookie, { origin }, secure.url)).status).toBe(201)
    // Without the prefix anybody could have set it.
    const bare = cookie.replace('__Host-', '')
    expect((await createPost(bare, { origin }, secure.url)).status).toBe(401)
  })

  it('do so for our own pages only, before anything is done', async () => {
    const body = { name: 'Eve', email: 'eve@example.com', password: 'correct horse', session: 'cookie' }
    const register = (headers: Record<string, string>) =>
      request(`${service.url}/api/auth/register`, { method: 'POST', body, headers })
    for (const headers of [{}, { origin: 'https://evil.example' }, { origin: 'https://app.example.org' }]) {
      const { status, json, headers: answered } = await register(headers)
      expect({ status, ...json }).toMatchObject({ status: 403, error: 'forbidden' })
      expect(answered.get('set-cookie')).toBeNull()
    }
    expect((await register({ origin: service.url })).status).toBe(204)
  })

  it('refuse another kind of session', async () => {
    const body = { ...(await newPerson()), token: undefined, session: 'forever' }
    const { status, json } = await request(`${service.url}/api/auth/login`, { method: 'POST', body })
    expect({ status, ...json }).toMatchObject({ status: 400, field: 'session' })
  })
})

describe('the cookie', () => {
  it('is as good as a token for reading, and for changes by our own pages', async () => {
    const cookie = await newSession()
    expect((await read('/api/posts', cookie)).status).toBe(200)
    const created = await createPost(cookie)
    expect(created.status).toBe(201)
    const at = `${service.url}/api/posts/${created.json.id}`
    const headers = { cookie, origin: service.url }
    expect((await request(at, { method: 'PATCH', body: { title: 'Changed' }, headers })).status).toBe(200)
    expect((await request(at, { method: 'DELETE', headers })).status).toBe(204)
  })

  it('is accepted at whatever address the service is called by', async () => {
    const url = service.url.replace('127.0.0.1', 'localhost')
    expect(service.ctx.config.publicUrl).not.toBe(url)
    const session = await signIn(await newPerson(), { url })
    expect((await createPost(cookieOf(session), { origin: url }, url)).status).toBe(201)
  })

  it.each([
    ['another site', { origin: 'https://evil.example' }],
    ['an origin that may use tokens', { origin: 'https://app.example.org' }],
    ['nowhere', {}],
    ['a page that the browser knows to be a sibling', { 'sec-fetch-site': 'same-site' }],
  ] as Array<[string, Record<string, string>]>)('changes nothing for %s', async (_, headers) => {
    const cookie = await newSession()
    const { status, json } = await createPost(cookie, headers)
    expect({ status, ...json }).toMatchObject({ status: 403, error: 'forbidden' })
    expect(json.message).toContain('Authorization')
    expect((await read('/api/posts', cookie)).json).toMatchObject({ pagination: { total: 0 } })
  })

  it('shows nothing to scripts of other origins', async () => {
    const cookie = await newSession()
    expect((await read('/api/posts', cookie, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    const origin = 'https://app.example.org'
    const asked = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' }
    const answers = [
      await read('/api/posts', cookie, { origin }),
      await request(`${service.url}/api/posts`, { method: 'OPTIONS', headers: asked }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([403, 204])
    for (const { headers } of answers) {
      expect(headers.get('access-control-allow-origin')).toBe(origin)
      expect(headers.get('access-control-allow-credentials')).toBeNull()
    }
  })

  it('keeps what it lets somebody see out of shared caches', async () => {
    const cookie = await newSession()
    expect((await read('/api/posts', cookie)).headers.get('cache-control')).toBe('private, no-cache')
    expect((await read('/api/posts/nothing', cookie)).headers.get('cache-control')).toBe('private, no-cache')
  })

  it('gives way to a token, right or wrong', async () => {
    const cookie = await newSession()
    const other = await newPerson()
    const authorization = `Bearer ${other.token}`
    expect((await read('/api/account', cookie, { authorization })).json).toMatchObject({ user: { email: other.email } })
    expect((await createPost(cookie, { authorization })).status).toBe(201)
    for (const wrong of ['Bearer x.y.z', 'Bearer ', 'bearer', 'Bearer two words'])
      expect((await read('/api/account', cookie, { authorization: wrong })).status).toBe(401)
  })

  it('is not kept from us by the password of a proxy', async () => {
    const cookie = await newSession()
    expect((await read('/api/account', cookie, { authorization: 'Basic YTpi' })).status).toBe(200)
  })

  it('is no token, and a token is no cookie', async () => {
    const { token, ...person } = await newPerson()
    const cookie = cookieOf(await signIn(person))
    const [name = '', value = ''] = cookie.split('=')
    expect((await request(`${service.url}/api/account`, { token })).status).toBe(200)
    expect((await read('/api/account', cookie)).status).toBe(200)
    expect((await request(`${service.url}/api/account`, { token: value })).status).toBe(401)
    expect((await read('/api/account', `${name}=${token}`)).status).toBe(401)
    for (const wrong of [`${name}=`, `${name}=x`, 'other=1', `${name}="`])
      expect((await read('/api/account', wrong)).status).toBe(401)
  })

  it('is counted apart from the plan', async () => {
    const { token, ...person } = await newPerson()
    const cookie = cookieOf(await signIn(person))
    for (let count = 1; count <= 4; count += 1) {
      const { status, headers } = await read('/api/sites', cookie)
      expect([status, headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]).toEqual([
        200,
        '5000',
        String(5_000 - count),
      ])
    }
    const { headers } = await request(`${service.url}/api/sites`, { token })
    expect([headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]).toEqual(['3', '2'])
    expect((await read('/api/account', cookie)).json).toMatchObject({ limits: { management: { remaining: 2 } } })
  })

  it('shows nothing used of a window that began while the clock was ahead', async () => {
    const { token, ...person } = await newPerson()
    const cookie = cookieOf(await signIn(person))
    service.clock.advance(24 * 3_600_000)
    await request(`${service.url}/api/sites`, { token })
    service.clock.advance(-24 * 3_600_000)
    const management = { limit: 3, remaining: 3, reset_seconds: 3_600 }
    expect((await read('/api/account', cookie)).json).toMatchObject({ limits: { management } })
  })

  it('has a limit of its own', async () => {
    const cookie = await newSession()
    await useUp(cookie, 4_999)
    expect((await read('/api/sites', cookie)).status).toBe(200)
    expect(await read('/api/sites', cookie)).toMatchObject({ status: 429, json: { error: 'rate_limited' } })
  })

  it('never shows in the log', async () => {
    const cookie = await newSession()
    await read('/api/account', cookie)
    expect(JSON.stringify(service.logged)).not.toContain(cookie.split('=')[1])
  })
})

describe('a session', () => {
  it('ends after seven days without a visit', async () => {
    const cookie = await newSession()
    service.clock.advance(7 * DAY_MS + 1_000)
    const { status, json } = await read('/api/account', cookie)
    expect({ status, ...json }).toMatchObject({ status: 401, message: expect.stringContaining('session has expired') })
  })

  it('is renewed past half its life, by asking who one is', async () => {
    const cookie = await newSession()
    service.clock.advance(3.4 * DAY_MS)
    expect((await read('/api/account', cookie)).headers.get('set-cookie')).toBeNull()
    service.clock.advance(0.2 * DAY_MS)
    expect((await read('/api/posts', cookie)).headers.get('set-cookie')).toBeNull()
    const renewed = await read('/api/account', cookie)
    expect(renewed.headers.get('set-cookie')).toContain('Max-Age=604800')
    expect(renewed.headers.get('cache-control')).toBe('no-store')
    service.clock.advance(6 * DAY_MS)
    expect((await read('/api/account', cookie)).status).toBe(401)
    expect((await read('/api/account', cookieOf(renewed))).status).toBe(200)
  })

  it('is renewed for three months after the password was given, not for ever', async () => {
    let cookie = await newSession()
    for (let days = 0; days < 92; days += 4) {
      service.clock.advance(4 * DAY_MS)
      const answer = await read('/api/account', cookie)
      expect([days, answer.status]).toEqual([days, 200])
      if (answer.headers.get('set-cookie') === null) expect(days).toBeGreaterThan(84)
      else cookie = cookieOf(answer)
    }
    service.clock.advance(6 * DAY_MS)
    expect((await read('/api/account', cookie)).status).toBe(401)
  })

  it('is not given to who asks with a token', async () => {
    const { token } = await newPerson()
    service.clock.advance(4 * DAY_MS)
    expect((await request(`${service.url}/api/account`, { token })).headers.get('set-cookie')).toBeNull()
  })
})

describe('logout', () => {
  const signOut = (headers: Record<string, string>) =>
    request(`${service.url}/api/auth/logout`, { method: 'POST', headers })

  it('ends the session in every process, so that no copy of the cookie is of use, and no other login', async () => {
    const { token, ...person } = await newPerson()
    const [mine, other] = [cookieOf(await signIn(person)), cookieOf(await signIn(person))]
    const second = await service.startAnother()
    const statusOf = async (url: string, headers: Record<string, string>) =>
      (await request(`${url}/api/account`, { headers })).status
    for (const url of [service.url, second.url]) expect(await statusOf(url, { cookie: mine })).toBe(200)
    const answer = await signOut({ cookie: mine, origin: service.url })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('set-cookie')).toBe('postrider_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict')
    for (const url of [service.url, second.url]) {
      expect(await statusOf(url, { cookie: mine })).toBe(401)
      expect(await statusOf(url, { cookie: other })).toBe(200)
      expect(await statusOf(url, { authorization: `Bearer ${token}` })).toBe(200)
    }
    expect((await signOut({ cookie: mine, origin: service.url })).status).toBe(401)
    await second.stop()
  })

  it('ends the cookies that were renewed in the same session, and those that they renewed', async () => {
    const cookie = await newSession()
    service.clock.advance(4 * DAY_MS)
    const renewed = cookieOf(await read('/api/account', cookie))
    expect((await read('/api/posts', renewed)).status).toBe(200)
    await signOut({ cookie, origin: service.url })
    for (const copy of [cookie, renewed]) expect((await read('/api/account', copy)).status).toBe(401)
  })

  it('ends a token that asks for it', async () => {
    const { token, ...person } = await newPerson()
    const other = await newPerson()
    const cookie = cookieOf(await signIn(person))
    expect((await signOut({ authorization: `Bearer ${token}` })).status).toBe(204)
    expect((await request(`${service.url}/api/account`, { token })).status).toBe(401)
    expect((await read('/api/account', cookie)).status).toBe(200)
    expect((await request(`${service.url}/api/account`, { token: other.token })).status).toBe(200)
  })

  it('is remembered for as long as a token of the session could be valid, and no longer', async () => {
    await service.advance(8 * DAY_MS) // whatever other tests have ended
    const cookie = await newSession()
    await signOut({ cookie, origin: service.url })
    const remembered = () => service.ctx.db.root.selectFrom('ended_sessions').selectAll().execute()
    await service.advance(7 * DAY_MS)
    expect(await remembered()).toHaveLength(1)
    await service.advance(3_600_000)
    expect(await remembered()).toEqual([])
  })

  it('cannot be caused by another site', async () => {
    const headers = { cookie: await newSession(), origin: 'https://evil.example' }
    for (const path of ['/api/auth/logout', '/api/auth/logout-everywhere']) {
      const { status, headers: answered } = await request(service.url + path, { method: 'POST', headers })
      expect([status, answered.get('set-cookie')]).toEqual([403, null])
    }
  })

  it('everywhere needs nothing of what the account may ask for: a stranger in it may have used that up', async () => {
    const cookie = await newSession()
    await useUp(cookie, 5_000)
    expect((await read('/api/account', cookie)).status).toBe(429)
    const headers = { cookie, origin: service.url }
    const answer = await request(`${service.url}/api/auth/logout-everywhere`, { method: 'POST', headers })
    expect(answer.status).toBe(204)
    expect((await read('/api/account', cookie)).status).toBe(401)
  })

  it("everywhere ends every token and session of the account at once, in every process, and nobody else's", async () => {
    const { token, ...person } = await newPerson()
    const [one, two] = [cookieOf(await signIn(person)), cookieOf(await signIn(person))]
    const stranger = await newPerson()
    const second = await service.startAnother()
    const elsewhere = second.url
    expect((await request(`${elsewhere}/api/account`, { headers: { cookie: two } })).status).toBe(200)

    const answer = await request(`${service.url}/api/auth/logout-everywhere`, {
      method: 'POST',
      headers: { cookie: one, origin: service.url },
    })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('set-cookie')).toContain('Max-Age=0')
    for (const url of [service.url, elsewhere]) {
      for (const cookie of [one, two])
        expect((await request(`${url}/api/account`, { headers: { cookie } })).status).toBe(401)
      expect((await request(`${url}/api/account`, { token })).status).toBe(401)
      expect((await request(`${url}/api/account`, { token: stranger.token })).status).toBe(200)
    }
    expect((await read('/api/account', cookieOf(await signIn(person)))).status).toBe(200)
    await second.stop()
  })
})

describe('changing the password', () => {
  const change = (cookie: string, { password }: { password: string }, origin = service.url) =>
    request(`${service.url}/api/account/password`, {
      method: 'POST',
      body: { current_password: password, new_password: 'battery staple' },
      headers: { cookie, origin },
    })

  it('gives the page that did it a session, and takes those of others', async () => {
    const person = await newPerson()
    const [mine, other] = [cookieOf(await signIn(person)), cookieOf(await signIn(person))]
    const answer = await change(mine, person)
    expect({ status: answer.status, json: answer.json }).toEqual({ status: 204, json: {} })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const statuses = [cookieOf(answer), mine, other].map(async (cookie) => (await read('/api/account', cookie)).status)
    expect(await Promise.all(statuses)).toEqual([200, 401, 401])
  })

  it('cannot be caused by another site', async () => {
    const person = await newPerson()
    expect((await change(cookieOf(await signIn(person)), person, 'https://evil.example')).status).toBe(403)
    expect((await signIn(person)).status).toBe(204)
  })
})

describe('the SDK', () => {
  /** A browser's part: keeps the cookie, and says where its page is from. */
  function browser(): { fetch: typeof fetch; jar: { cookie?: string } } {
    const jar: { cookie?: string } = {}
    return {
      jar,
      async fetch(input, init) {
        const headers = new Headers(init?.headers)
        headers.set('origin', service.url)
        if (jar.cookie !== undefined) headers.set('cookie', jar.cookie)
        const response = await fetch(input, { ...init, headers })
        const set = response.headers.get('set-cookie')
        if (set !== null) jar.cookie = set.split(';')[0] ?? ''
        return response
      },
    }
  }

  it('signs up, works, logs out and signs in without ever holding a token', async () => {
    const page = browser()
    const client = createClient({ baseUrl: service.url, fetch: page.fetch })
    const person = { email: 'lin@example.com', password: 'correct horse' }
    await client.auth.signUp({ name: 'Lin', ...person })
    expect(await client.account()).toMatchObject({ user: { name: 'Lin' } })
    await client.posts.create({ title: 'By cookie' })
    await client.auth.logout()
    expect(page.jar.cookie).toBe('postrider_session=')
    await expect(client.account()).rejects.toMatchObject({ status: 401 })
    await client.auth.signIn(person)
    expect(await client.posts.list()).toMatchObject({ pagination: { total: 1 } })
    const passwords = { current_password: person.password, new_password: 'battery staple' }
    expect(await client.auth.changePassword(passwords)).toBeUndefined()
    expect(await client.account()).toMatchObject({ user: { name: 'Lin' } })
    await client.auth.logoutEverywhere()
    await expect(client.account()).rejects.toMatchObject({ status: 401 })
  })
})
