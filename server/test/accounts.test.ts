import { createClient } from '@postrider/sdk'
import { decodeJwt, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { request } from './support/http.ts'
import { newAccount, startService, type TestService, tokenOf } from './support/service.ts'

let service: TestService
const ada = { name: 'Ada Lovelace', email: 'Ada@Example.com', password: 'correct horse battery' }

beforeAll(async () => {
  service = await startService()
  await createClient({ baseUrl: service.url }).auth.register(ada)
})
afterAll(() => service.stop())

const register = (body: unknown) => request(`${service.url}/api/auth/register`, { method: 'POST', body })
const login = (body: unknown) => request(`${service.url}/api/auth/login`, { method: 'POST', body })

describe('register', () => {
  it('answers with the user, a token and its end in seven days', async () => {
    const { status, json, headers } = await register({
      name: 'Grace',
      email: 'grace@example.com',
      password: 'quiet harbour',
    })
    expect(status).toBe(201)
    expect(json).toEqual({
      user: { id: expect.any(String), name: 'Grace', email: 'grace@example.com' },
      token: expect.any(String),
      expires_at: '2026-11-09T08:00:00.000Z',
    })
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('keeps an e-mail address unique whatever its case and surrounding spaces', async () => {
    const { status, json } = await register({ ...ada, email: '  ADA@example.COM ' })
    expect({ status, ...json }).toMatchObject({ status: 409, error: 'conflict', field: 'email' })
  })

  it('takes letters of another form for the same letters', async () => {
    const wide = 'ｇｗｅｎ＠ｅｘａｍｐｌｅ．ｃｏｍ'
    const { status, json } = await register({ name: 'Gwen', email: wide, password: 'quiet harbour' })
    expect({ status, ...json }).toMatchObject({ status: 201, user: { email: 'gwen@example.com' } })
    expect((await login({ email: 'GWEN@example.com', password: 'quiet harbour' })).status).toBe(200)
    expect((await login({ email: wide, password: 'quiet harbour' })).status).toBe(200)
    const again = await register({ name: 'Gwen', email: 'gwen@example.com', password: 'quiet harbour' })
    expect(again).toMatchObject({ status: 409, json: { field: 'email' } })
  })

  it('lets exactly one of many simultaneous registrations of an address win', async () => {
    const all = await Promise.all(
      Array.from({ length: 8 }, () => register({ name: 'X', email: 'race@example.com', password: 'quiet harbour' })),
    )
    expect(all.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)])
  })

  it.each([
    ['name', { name: '   ' }],
    ['name', { name: 'x'.repeat(121) }],
    ['email', { email: 'not an address' }],
    ['email', { email: 'ada\u0007@example.com' }],
    ['email', { email: 'ada@exa\u0085mple.com' }],
    ['email', { email: 'ada\u200b@example.com' }],
    ['email', { email: 'a\u00adda@example.com' }],
    ['email', { email: 'ada@example.com\u3164' }],
    ['email', { email: 'ada＠evil@example.com' }],
    ['email', { email: `${'\ufdfa'.repeat(20)}@example.com` }],
    ['email', { email: `${'x'.repeat(250)}@example.com` }],
    ['password', { password: '1234567' }],
    ['password', { password: 'x'.repeat(257) }],
    ['password', { password: '🚀'.repeat(7) }],
    ['password', { password: 12345678 }],
    ['password', { password: '12345678' }],
    ['password', { password: 'Password1' }],
    ['password', { password: 'x@example.com' }],
    ['password', { password: 'Postrider 2026!' }],
    ['nickname', { nickname: 'x' }],
  ])('names %s when it is wrong: %j', async (field, change) => {
    const { status, json } = await register({ name: 'X', email: 'x@example.com', password: 'quiet harbour', ...change })
    expect({ status, ...json }).toMatchObject({ status: 400, error: 'validation_error', field })
  })

  it('accepts a password of 256 characters and compares all of them', async () => {
    const long = { name: 'Long', email: 'long@example.com', password: `${'x'.repeat(255)}a` }
    expect((await register(long)).status).toBe(201)
    expect((await login({ email: long.email, password: `${'x'.repeat(255)}b` })).status).toBe(401)
    expect((await login({ email: long.email, password: long.password })).status).toBe(200)
    const wide = { name: 'Wide', email: 'wide@example.com', password: `${'🚀'.repeat(255)}🛰` }
    expect((await register(wide)).status).toBe(201)
  })
})

describe('login', () => {
  it('gives a token that works', async () => {
    const client = createClient({ baseUrl: service.url })
    const session = await client.auth.login({ email: 'ada@example.com', password: ada.password })
    expect(session.user).toMatchObject({ name: ada.name, email: 'Ada@Example.com' })
    expect(await client.posts.list()).toMatchObject({ data: [] })
  })

  it('answers an unknown address and a wrong password alike', async () => {
    const wrong = await login({ email: ada.email, password: 'wrong password' })
    const unknown = await login({ email: 'nobody@example.com', password: ada.password })
    expect(wrong.status).toBe(401)
    expect(unknown.status).toBe(401)
    expect(wrong.json).toEqual(unknown.json)
    expect(wrong.json).toEqual({ error: 'unauthorized', message: expect.any(String) })
  })

  it('never stores the password and never logs it', async () => {
    const rows = await service.ctx.db.root.selectFrom('accounts').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(ada.password)
    expect(rows[0]?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    await service.caughtUp()
    expect(JSON.stringify(service.logged)).not.toContain(ada.password)
  })
})

describe('changing the password', () => {
  const words = { current_password: 'correct horse', new_password: 'battery staple' }
  const change = (token: string, body: unknown, headers = {}) =>
    request(`${service.url}/api/account/password`, { method: 'POST', token, body, headers })
  const newPerson = async (url = service.url) => {
    const client = await newAccount({ url })
    return { client, email: (await client.account()).user.email, token: await tokenOf({ url }, client) }
  }
  const statusOf = async (token: string, url = service.url) => (await request(`${url}/api/account`, { token })).status

  it('ends every login in every process but the one that it answers with', async () => {
    const { client, email, token } = await newPerson()
    const elsewhere = await service.startAnother()
    expect(await statusOf(token, elsewhere.url)).toBe(200)
    const session = await client.auth.changePassword(words)
    expect(session).toMatchObject({ user: { email }, expires_at: expect.any(String) })
    expect((await client.account()).user.email).toBe(email)
    for (const { url } of [service, elsewhere])
      expect([await statusOf(token, url), await statusOf(session?.token ?? '', url)]).toEqual([401, 200])
    expect((await login({ email, password: words.current_password })).status).toBe(401)
    expect((await login({ email, password: words.new_password })).status).toBe(200)
    await elsewhere.stop()
  })

  it.each([
    ['current_password', { ...words, current_password: 'wrong password' }],
    ['current_password', { new_password: words.new_password }],
    ['new_password', { ...words, new_password: 'short' }],
    ['new_password', { ...words, new_password: 'iloveyou' }],
    ['new_password', { ...words, new_password: 'postrider1' }],
    ['new_password', { current_password: words.current_password }],
  ])('names %s when it is wrong, and changes nothing: %j', async (field, body) => {
    const { email, token } = await newPerson()
    const { status, json } = await change(token, body)
    expect({ status, ...json }).toMatchObject({ status: 400, error: 'validation_error', field })
    expect(await statusOf(token)).toBe(200)
    expect((await login({ email, password: words.current_password })).status).toBe(200)
  })

  it('is done by one of two who do it at once', async () => {
    const { email, token } = await newPerson()
    const passwords = ['one of the two', 'the other one']
    const answers = await Promise.all(passwords.map((new_password) => change(token, { ...words, new_password })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
    const logins = await Promise.all(passwords.map((password) => login({ email, password })))
    expect(logins.map(({ status }) => status)).toEqual(answers.map(({ status }) => status))
  })

  it('keeps nothing under an idempotency key', async () => {
    const { token } = await newPerson()
    expect((await change(token, words, { 'idempotency-key': 'once' })).status).toBe(200)
    expect(await service.ctx.db.root.selectFrom('idempotency_keys').selectAll().execute()).toEqual([])
  })

  it('gives nobody more guesses than a login does, from wherever they come', async () => {
    const limited = await startService({ RATE_LIMIT_AUTH: '5/min' })
    const { client, token } = await newPerson(limited.url)
    const guess = () => client.auth.changePassword({ ...words, current_password: 'a guess' })
    for (let guesses = 0; guesses < 5; guesses += 1)
      await expect(guess()).rejects.toMatchObject({ status: 400, field: 'current_password' })
    await expect(client.auth.changePassword(words)).rejects.toMatchObject({ status: 429 })
    expect(await statusOf(token, limited.url)).toBe(200)
    await limited.stop()
  })
})

describe('the access token', () => {
  const listPosts = (token: string) => request(`${service.url}/api/posts`, { token })
  const claims = { gen: 1 }
  const sign = (key: Uint8Array, change: (jwt: SignJWT) => SignJWT = (jwt) => jwt) =>
    change(
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuer('postrider')
        .setAudience('postrider-management')
        .setSubject('019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11')
        .setIssuedAt(service.clock.now())
        .setExpirationTime('7d'),
    ).sign(key)

  it('ends after seven days, at the time it was said to end', async () => {
    service.clock.advance(600)
    const session = await createClient({ baseUrl: service.url }).auth.login({
      email: ada.email,
      password: ada.password,
    })
    service.clock.advance(Date.parse(session.expires_at) - service.clock.now().getTime() - 1)
    expect((await listPosts(session.token)).status).toBe(200)
    service.clock.advance(1)
    const { status, json } = await listPosts(session.token)
    expect({ status, ...json }).toMatchObject({
      status: 401,
      error: 'unauthorized',
      message: expect.stringContaining('expired'),
    })
  })

  it('is refused when it is missing, garbled, signed with another key, unsigned, or of no account', async () => {
    const otherKey = new TextEncoder().encode('another key of at least thirty-two bytes')
    const unsigned = `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify({ sub: '019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11', gen: 1 }))}.`
    for (const token of [
      '',
      'x.y.z',
      unsigned,
      await sign(otherKey),
      await sign(service.ctx.keys.token),
      await sign(service.ctx.keys.token, (jwt) => jwt.setAudience('other')),
    ]) {
      const { status, json } = await listPosts(token)
      expect({ token, status, error: json.error }).toEqual({ token, status: 401, error: 'unauthorized' })
    }
  })

  it('stops working when the account moves to another token generation', async () => {
    const client = await newAccount(service)
    await client.posts.list()
    await service.ctx.db.root.updateTable('accounts').set({ token_generation: 2 }).execute()
    await expect(client.posts.list()).rejects.toMatchObject({ status: 401 })
    await service.ctx.db.root.updateTable('accounts').set({ token_generation: 1 }).execute()
  })

  it('has ended for good, also when the database is restored to a time before and logins are ended there again', async () => {
    const person = { email: 'restored@example.com', password: 'quiet harbour' }
    const endAll = (token: string) => request(`${service.url}/api/auth/logout-everywhere`, { method: 'POST', token })
    const ended = String((await register({ name: 'Restored', ...person })).json.token)
    expect((await endAll(ended)).status).toBe(204)
    const { gen } = decodeJwt<{ gen: number }>(ended)
    const { root } = service.ctx.db
    await root
      .updateTable('accounts')
      .set({ token_generation: gen - 1 })
      .where('email', '=', person.email)
      .execute()
    const again = String((await login(person)).json.token)
    expect((await endAll(again)).status).toBe(204)
    expect((await listPosts(ended)).status).toBe(401)
  })
})
