/** Tokens of programs: what each scope opens, what a limit to sites leaves, and how a token ends. */
import { readFile } from 'node:fs/promises'
import { createClient } from '@postrider/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SCOPE_NAMES } from '../src/accounts/api-tokens/scopes.ts'
import { type Api, apiOf, newApi, newPost, newSite } from './support/api.ts'
import { request } from './support/http.ts'
import { type Operation, operations } from './support/operations.ts'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { startService, type TestService } from './support/service.ts'

let service: TestService
let receiver: Receiver
let owner: Api

beforeAll(async () => {
  service = await startService()
  receiver = await startReceiver()
  owner = await newApi(service)
})
afterAll(async () => {
  await receiver.close()
  await service.stop()
})

type Input = { scopes: readonly string[]; site_ids?: string[]; expires_at?: string }

/** A program of the account: its requests, and the id of its token. */
async function newProgram(of: Api, input: Input): Promise<Api & { id: string }> {
  const { status, json } = await of.post('/api/tokens', { name: 'A program', ...input })
  if (status !== 201) throw new Error(`making a token answered ${status}: ${JSON.stringify(json)}`)
  return { ...apiOf(service, { user: of.user, token: json.token }), id: String(json.id) }
}

const NOWHERE = '019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11'

const managed = operations.filter(({ security }) => security.includes('accessToken'))

describe('every endpoint', () => {
  const tokens = new Map<string, Api>()
  beforeAll(async () => {
    for (const scope of SCOPE_NAMES)
      tokens.set(scope, await newProgram(owner, { scopes: SCOPE_NAMES.filter((one) => one !== scope) }))
    tokens.set('none', await newProgram(owner, { scopes: SCOPE_NAMES }))
  })

  /** Asks without anything that could be found or is valid: whoever may, is told so. */
  async function ask({ method, path }: Operation, token: string | undefined) {
    const url = service.url + path.replaceAll(/\{\w+\}/g, NOWHERE)
    const leaving = new AbortController()
    const response = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(method === 'GET' || method === 'DELETE' ? {} : { body: '{"no_such_field":1}' }),
      signal: leaving.signal,
    })
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    const json = isJson ? ((await response.json()) as Record<string, unknown>) : {}
    leaving.abort()
    return { status: response.status, required: json.required_scope }
  }

  it('is open to a login or says which scopes a token needs', () => {
    expect(managed.length).toBeGreaterThan(60)
    const closed = managed.filter(({ scopes }) => scopes === undefined).map(({ path }) => path)
    expect(closed.every((path) => /^\/api\/(?:auth|account|tokens|notifications)(?:\/|$)/.test(path))).toBe(true)
  })

  it.each(managed.map((one) => [one.name, one] as const))('%s is open to those scopes alone', async (_, one) => {
    const needed = one.scopes
    const all = await ask(one, tokens.get('none')?.token)
    expect(all.status === 403).toBe(needed === undefined)
    if (needed === undefined) return
    for (const scope of SCOPE_NAMES) {
      const { status, required } = await ask(one, tokens.get(scope)?.token)
      if (needed.includes(scope)) expect([scope, status, required]).toEqual([scope, 403, scope])
      else expect([scope, status]).not.toEqual([scope, 403])
    }
  })
})

describe('a token', () => {
  it('is shown once, and can be recognised and followed afterwards', async () => {
    const input = { name: 'Our repository', scopes: ['posts:write', 'posts:read'] }
    const made = await owner.post('/api/tokens', input)
    expect(made.headers.get('cache-control')).toBe('no-store')
    const { token, ...rest } = made.json
    expect(token).toMatch(/^pt_[0-9A-Za-z]{49}$/)
    expect(rest).toMatchObject({
      name: 'Our repository',
      scopes: ['posts:read', 'posts:write'],
      site_ids: null,
      last_four: String(token).slice(-4),
      last_used_at: null,
      expires_at: null,
    })
    const listed = async () =>
      ((await owner.get('/api/tokens')).json.tokens as Array<Record<string, unknown>>).find(({ id }) => id === rest.id)
    expect(await listed()).toEqual(rest)
    const program = apiOf(service, { user: owner.user, token })
    service.clock.advance(1_000)
    expect((await program.get('/api/posts')).status).toBe(200)
    expect(await listed()).toEqual({ ...rest, last_used_at: service.clock.now().toISOString() })
    await service.caughtUp()
    expect(JSON.stringify(service.logged)).not.toContain(String(token).slice(3, 40))
    const { rows } = await service.ctx.db.root
      .selectFrom('api_tokens')
      .selectAll()
      .execute()
      .then((rows) => ({ rows }))
    expect(JSON.stringify(rows)).not.toContain(String(token).slice(3, 40))
  })

  it('ends in every process before the next request, also its event stream', async () => {
    const program = await newProgram(owner, { scopes: ['posts:read'] })
    const others = [await service.startAnother(), await service.startAnother()]
    const stream = await fetch(`${service.url}/api/events`, { headers: { authorization: `Bearer ${program.token}` } })
    let revoked = false
    const answers: Array<{ after: boolean; status: number }> = []
    const load = [service, ...others].flatMap(({ url }) =>
      Array.from({ length: 3 }, async () => {
        for (let count = 0; count < 30 || !revoked; count += 1) {
          const after = revoked
          const { status } = await request(`${url}/api/posts/${NOWHERE}`, { token: program.token })
          answers.push({ after, status })
          if (after && count > 60) break
        }
      }),
    )
    while (answers.length < 30) await new Promise((resolve) => setTimeout(resolve, 5))
    expect((await owner.delete(`/api/tokens/${program.id}`)).status).toBe(204)
    revoked = true
    await Promise.all(load)
    await Promise.all(
      [service, ...others].map(async ({ url }) =>
        expect((await request(`${url}/api/posts`, { token: program.token })).status).toBe(401),
      ),
    )
    expect(answers.filter(({ after, status }) => after && status !== 401)).toEqual([])
    expect(answers.filter(({ after }) => !after).map(({ status }) => status)).toContain(404)
    // Read to its end.
    await stream.text()
    expect((await owner.delete(`/api/tokens/${program.id}`)).status).toBe(404)
    for (const other of others) await other.stop()
  })

  it('ends when it expires', async () => {
    const expiresAt = new Date(service.clock.now().getTime() + 60_000).toISOString()
    const program = await newProgram(owner, { scopes: ['posts:read'], expires_at: expiresAt })
    expect((await program.get('/api/posts')).status).toBe(200)
    service.clock.advance(60_000)
    expect((await program.get('/api/posts')).json).toMatchObject({ error: 'unauthorized', message: /expired/ })
    expect(
      (await owner.post('/api/tokens', { name: 'x', scopes: ['posts:read'], expires_at: expiresAt })).json,
    ).toMatchObject({ field: 'expires_at' })
  })

  it('that does not exist can be tried a few times', async () => {
    const strict = await startService({ RATE_LIMIT_AUTH: '5/min' })
    const statusOf = async (token: string) => (await request(`${strict.url}/api/posts`, { token })).status
    const guesses = Array.from({ length: 7 }, (_, index) => `pt_${String(index).repeat(49)}`)
    const statuses = []
    for (const guess of guesses) statuses.push(await statusOf(guess))
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429])
    await strict.stop()
  })

  it('counts in the plan of its account', async () => {
    const limited = await startService({ RATE_LIMIT_STARTER: '3/h' })
    const api = await newApi(limited)
    const { json } = await api.post('/api/tokens', { name: 'A program', scopes: ['posts:read'] })
    const statuses = []
    for (let count = 0; count < 3; count += 1)
      statuses.push((await request(`${limited.url}/api/posts`, { token: String(json.token) })).status)
    expect(statuses).toEqual([200, 200, 429])
    await limited.stop()
  })

  it.each([
    [{ scopes: [] }, 'scopes'],
    [{ scopes: ['posts:everything'] }, 'scopes.0'],
    [{ scopes: ['posts:read'], site_ids: [NOWHERE] }, 'site_ids.0'],
    [{ scopes: ['posts:read'], name: '  ' }, 'name'],
  ])('is not made of %j', async (input, field) => {
    expect((await owner.post('/api/tokens', { name: 'A program', ...input })).json).toMatchObject({ field })
  })
})

it('does what the documentation shows', async () => {
  const page = await readFile(new URL('../../docs/tokens.md', import.meta.url), 'utf8')
  const [, shown = ''] = /```js\n([\s\S]*?)```/.exec(page) ?? []
  const run = new Function('createClient', 'baseUrl', 'accessToken', `return (async () => {${shown}; return draft })()`)
  const draft = await run(createClient, service.url, owner.token)
  expect((await owner.get(`/api/posts/${draft.id}`)).json).toMatchObject({
    title: 'From our repository',
    status: 'draft',
  })
})

describe('a token that may write, and not publish', () => {
  it('writes drafts, and changes nothing that is out or is to go out', async () => {
    const site = await newSite(owner, receiver.url)
    const writer = await newProgram(owner, { scopes: ['posts:read', 'posts:write'] })
    const refused = { status: 403, json: { error: 'forbidden', required_scope: 'posts:publish' } }
    const later = new Date(service.clock.now().getTime() + 3_600_000).toISOString()
    const draft = await newPost(writer, { title: 'A draft' })
    expect((await writer.patch(`/api/posts/${draft.id}`, { title: 'Better' })).status).toBe(200)
    expect((await writer.post(`/api/posts/${draft.id}/revisions/1/restore`)).status).toBe(200)
    for (const answer of [
      await writer.post('/api/posts', { title: 'Out', status: 'published' }),
      await writer.post('/api/posts', { title: 'Out', status: 'scheduled', scheduled_at: later }),
      await writer.patch(`/api/posts/${draft.id}`, { status: 'published' }),
      await writer.patch(`/api/posts/${draft.id}`, { status: 'scheduled', scheduled_at: later }),
      await writer.post(`/api/posts/${draft.id}/publish`),
      await writer.post('/api/posts/bulk', { action: 'publish', ids: [draft.id] }),
      await writer.delete(`/api/posts/${draft.id}`),
    ])
      expect(answer).toMatchObject(refused)

    const out = await newPost(owner, { title: 'Out there', status: 'published' })
    const planned = await newPost(owner, { title: 'Planned', status: 'scheduled', scheduled_at: later })
    await owner.patch(`/api/posts/${out.id}`, { title: 'Out there again' })
    for (const answer of [
      await writer.patch(`/api/posts/${out.id}`, { title: 'Changed' }),
      await writer.patch(`/api/posts/${out.id}`, { status: 'draft' }),
      await writer.patch(`/api/posts/${planned.id}`, { title: 'Changed' }),
      await writer.post(`/api/posts/${out.id}/revisions/1/restore`),
      await writer.post(`/api/posts/${out.id}/trash`),
    ])
      expect(answer).toMatchObject(refused)
    expect((await writer.put(`/api/posts/${out.id}/working-copy`, { title: 'Proposed' })).status).toBe(200)
    expect(await writer.post(`/api/posts/${out.id}/working-copy/publish`)).toMatchObject(refused)
    expect((await owner.get(`/api/posts/${out.id}`)).json).toMatchObject({
      title: 'Out there again',
      status: 'published',
    })
    await service.drain()
    expect(JSON.stringify(receiver.received)).not.toMatch(/Changed|Proposed|A draft|Better/)
    await owner.delete(`/api/sites/${site.id}`)
  })
})

describe('a token that is limited to sites', () => {
  it('sees the posts that these get, and changes those that no other gets', async () => {
    const api = await newApi(service)
    const [mine, other] = [await newSite(api, receiver.url), await newSite(api, receiver.url, { name: 'Private' })]
    const program = await newProgram(api, { scopes: SCOPE_NAMES, site_ids: [String(mine.id)] })
    const forAll = await newPost(api, { title: 'For all', status: 'published' })
    const forOther = await newPost(api, { title: 'Private', site_ids: [other.id] })
    const titles = async (path: string) =>
      ((await program.get(path)).json.data as Array<{ title: string }>).map(({ title }) => title)
    expect(await titles('/api/posts')).toEqual(['For all'])
    expect(await titles('/api/posts/summaries?search=private')).toEqual([])
    expect((await program.get(`/api/posts/${forOther.id}`)).status).toBe(404)
    expect((await program.get(`/api/posts/${forAll.id}`)).json.deliveries).toMatchObject([{ site_id: mine.id }])
    expect((await program.patch(`/api/posts/${forAll.id}`, { title: 'x' })).status).toBe(403)
    expect((await program.post(`/api/posts/${forAll.id}/publish`)).status).toBe(403)

    // What it makes is for its sites.
    const own = await newPost(program, { title: 'Own' })
    expect(own.site_ids).toEqual([mine.id])
    expect((await program.patch(`/api/posts/${own.id}`, { title: 'Still own' })).status).toBe(200)
    for (const answer of [
      await program.post('/api/posts', { title: 'x', site_ids: [other.id] }),
      await program.post('/api/posts', { title: 'x', primary_site_id: other.id }),
      await program.patch(`/api/posts/${own.id}`, { site_ids: null }),
      await program.patch(`/api/posts/${own.id}`, { site_ids: [mine.id, other.id] }),
      await program.post(`/api/posts/${own.id}/publish`, { site_ids: [other.id] }),
      await program.get('/api/export'),
      await program.get('/api/deliveries'),
      await program.get('/api/media'),
      await program.get('/api/analytics/overview'),
      await program.post('/api/sites', { name: 'x', url: 'https://x.example', webhook_url: 'https://x.example/hook' }),
    ])
      expect(answer).toMatchObject({ status: 403, json: { error: 'forbidden' } })
    expect((await program.post(`/api/posts/${own.id}/publish`)).json.dispatched_to).toMatchObject([
      { site_id: mine.id },
    ])

    const { sites } = (await program.get('/api/sites')).json as { sites: Array<{ id: string }> }
    expect(sites.map(({ id }) => id)).toEqual([mine.id])
    expect((await program.get(`/api/sites/${mine.id}`)).status).toBe(200)
    expect((await program.get(`/api/sites/${other.id}`)).status).toBe(404)
    expect((await program.delete(`/api/sites/${other.id}`)).status).toBe(404)
  })
})
