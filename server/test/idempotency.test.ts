import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fail } from '../src/platform/errors.ts'
import type { Reply } from '../src/platform/http/endpoint.ts'
import { answerOnce } from '../src/platform/idempotency/idempotency.ts'
import { type PlainResponse, request } from './support/http.ts'
import { startService, type TestService } from './support/service.ts'

let service: TestService
let token: string
let accounts = 0

beforeAll(async () => {
  service = await startService()
})
beforeEach(async () => {
  accounts += 1
  const body = { name: 'Ada', email: `ada-${accounts}@example.com`, password: 'correct horse' }
  token = String((await request(`${service.url}/api/auth/register`, { method: 'POST', body })).json.token)
})
afterAll(() => service.stop())

const post = (path: string, body: unknown, key: string, as = token): Promise<PlainResponse> =>
  request(service.url + path, { method: 'POST', token: as, body, headers: { 'idempotency-key': key } })
const countPosts = async () =>
  ((await request(`${service.url}/api/posts`, { token })).json.pagination as { total: number }).total

describe('the same key and request', () => {
  it('get the first answer again, marked as such, and nothing is done twice', async () => {
    const first = await post('/api/posts', { title: 'Once' }, 'k1')
    const second = await post('/api/posts', { title: 'Once' }, 'k1')
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.json).toEqual(first.json)
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(first.headers.get('idempotent-replayed')).toBeNull()
    expect([second.headers.get('etag'), second.headers.get('location')]).toEqual([
      first.headers.get('etag'),
      first.headers.get('location'),
    ])
    expect(await countPosts()).toBe(1)
  })

  it('get the first refusal again too', async () => {
    const path = '/api/posts/019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11/publish'
    const [first, second] = [await post(path, {}, 'k2'), await post(path, {}, 'k2')]
    expect([first.status, second.status]).toEqual([404, 404])
    expect(second.headers.get('idempotent-replayed')).toBe('true')
  })

  it('at the same moment: one works, the others wait or are told to', async () => {
    const all = await Promise.all(Array.from({ length: 10 }, () => post('/api/posts', { title: 'Race' }, 'k3')))
    const created = all.filter(({ status }) => status === 201)
    expect(created.length).toBeGreaterThanOrEqual(1)
    expect(new Set(created.map(({ json }) => json.id)).size).toBe(1)
    for (const { status, json } of all)
      if (status !== 201) expect({ status, error: json.error }).toEqual({ status: 409, error: 'conflict' })
    expect(await countPosts()).toBe(1)
  })

  it('many at once, of different keys: none waits for a connection that another of them holds', async () => {
    const all = Array.from({ length: 80 }, (_, index) =>
      post('/api/posts', { title: `Many ${index}` }, `many-${index}`),
    )
    expect(new Set((await Promise.all(all)).map(({ status }) => status))).toEqual(new Set([201]))
  })

  it('work for secrets, which are not stored in clear', async () => {
    const site = { name: 'S', url: 'https://example.com', webhook_url: 'https://example.com/hook', platform: 'custom' }
    const [first, second] = [await post('/api/sites', site, 'k4'), await post('/api/sites', site, 'k4')]
    expect(second.json).toEqual(first.json)
    const rows = await service.ctx.db.root.selectFrom('idempotency_keys').selectAll().execute()
    expect(rows.map((row) => row.body?.toString('latin1')).join()).not.toContain(String(first.json.webhook_secret))
  })
})

describe('the same key', () => {
  it('with another request is a conflict', async () => {
    await post('/api/posts', { title: 'One' }, 'k5')
    for (const again of [
      await post('/api/posts', { title: 'Two' }, 'k5'),
      await post('/api/sites', { name: 'S', url: 'https://a.example', webhook_url: 'https://a.example' }, 'k5'),
    ]) {
      expect({ status: again.status, ...again.json }).toMatchObject({
        status: 409,
        error: 'conflict',
        field: 'Idempotency-Key',
      })
    }
    expect(await countPosts()).toBe(1)
  })

  it('of another account is another key', async () => {
    await post('/api/posts', { title: 'Mine' }, 'k6')
    const body = { name: 'Bob', email: `bob-${accounts}@example.com`, password: 'correct horse' }
    const other = String((await request(`${service.url}/api/auth/register`, { method: 'POST', body })).json.token)
    expect((await post('/api/posts', { title: 'Theirs' }, 'k6', other)).status).toBe(201)
  })

  it('of a request that was refused for now is free when that has passed', async () => {
    const { ctx } = service
    const request = { scope: 'somebody', key: 'k15', path: '/things', body: {} }
    const answers = [fail('rate_limited', 'Too many.', { retryAfter: 60 }), fail('conflict', 'There is one.')]
    const ask = () =>
      answerOnce(ctx, request, {
        atomic: false,
        async run() {
          throw answers.shift()
        },
      })
    await expect(ask()).rejects.toMatchObject({ kind: 'rate_limited' })
    await expect(ask()).rejects.toMatchObject({ kind: 'conflict' })
    expect(await ask()).toMatchObject({ status: 409, headers: { 'Idempotent-Replayed': 'true' } })
  })

  it('gives the first answer also where the work would be refused by now', async () => {
    const id = (await post('/api/posts', { title: 'Gone' }, 'k12')).json.id
    const publish = () => post(`/api/posts/${id}/publish`, {}, 'k13')
    const first = await publish()
    await request(`${service.url}/api/posts/${id}`, { method: 'DELETE', token })
    expect([first.status, await publish()]).toMatchObject([202, { status: 202, json: first.json }])
  })

  it('that another request has lets nothing be done that was begun beside it', async () => {
    const { ctx } = service
    const request = { scope: 'somebody', key: 'k14', path: '/things', body: {} }
    const bucket = 'begun beside'
    const { promise: held, resolve: goOn } = Promise.withResolvers<void>()
    const first = answerOnce(ctx, request, { atomic: true, run: () => held.then(() => ({ status: 204 })) })
    await new Promise((resolve) => setTimeout(resolve, 50))
    let begun = 0
    const second = answerOnce(ctx, request, {
      atomic: true,
      async run() {
        begun += 1
        await ctx.db.tx((tx) =>
          tx.insertInto('rate_limits').values({ bucket, window_ends_at: ctx.clock.now(), used: 1 }).execute(),
        )
        return { status: 201 }
      },
    })
    await expect(second).rejects.toMatchObject({ kind: 'conflict', message: expect.stringContaining('still running') })
    const rows = await ctx.db.root.selectFrom('rate_limits').selectAll().where('bucket', '=', bucket).execute()
    expect([begun, rows]).toEqual([1, []])
    goOn()
    expect(await first).toEqual({ status: 204 })
  })

  it('is free again after input that was refused before anything was done, and after a day', async () => {
    expect((await post('/api/posts', { title: '' }, 'k7')).status).toBe(400)
    expect((await post('/api/posts', { title: 'Mended' }, 'k7')).status).toBe(201)
    const login = () =>
      request(`${service.url}/api/auth/login`, {
        method: 'POST',
        body: { email: `ada-${accounts}@example.com`, password: 'correct horse' },
      })
    service.clock.advance(24 * 3_600_000)
    token = String((await login()).json.token)
    expect((await post('/api/posts', { title: 'Next day' }, 'k7')).status).toBe(201)
    expect(await countPosts()).toBe(2)
  })

  it('tells when the answer was lost with the process: what was done is not done again', async () => {
    await post('/api/posts', { title: 'Lost' }, 'k8')
    await service.ctx.db.root
      .updateTable('idempotency_keys')
      .set({ state: 'committed', status: null, body: null })
      .where('key', '=', 'k8')
      .execute()
    service.clock.advance(61_000)
    const { status, json } = await post('/api/posts', { title: 'Lost' }, 'k8')
    expect({ status, message: json.message }).toMatchObject({
      status: 409,
      message: expect.stringContaining('carried out'),
    })
    expect(await countPosts()).toBe(1)
  })

  it('leaves the answer to the first request when it cannot be kept for the next', async () => {
    const { root } = service.ctx.db
    await sql`
      create function refuse_answers() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$
    `.execute(root)
    await sql`
      create trigger refuse_answers before update on idempotency_keys for each row when (new.state = 'answered')
      execute function refuse_answers()
    `.execute(root)
    try {
      expect((await post('/api/posts', { title: 'Not kept' }, 'k11')).status).toBe(201)
      expect((await post('/api/posts', { title: 'Not kept' }, 'k11')).status).toBe(409)
      const missing = '/api/posts/019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11/publish'
      expect((await post(missing, {}, 'k12')).status).toBe(404)
    } finally {
      await sql`drop function refuse_answers() cascade`.execute(root)
    }
    expect(await countPosts()).toBe(1)
  })

  it('is written again with the work when the database has lost it', async () => {
    const { ctx } = service
    const request = { scope: 'somebody', key: 'k10', path: '/things', body: {} }
    let worked = 0
    const run = async () => {
      await ctx.db.root.deleteFrom('idempotency_keys').where('key', '=', 'k10').execute()
      await ctx.db.tx(async () => {
        worked += 1
      })
      return { status: 201, body: { worked } }
    }
    const work = { atomic: false, run }
    expect(await answerOnce(ctx, request, work)).toEqual({ status: 201, body: { worked: 1 } })
    expect(await answerOnce(ctx, request, work)).toMatchObject({ status: 201, body: { worked: 1 } })
    expect(worked).toBe(1)
  })

  it('of a request that was cut off before it did anything is taken over', async () => {
    await post('/api/posts', { title: 'Cut off' }, 'k9')
    await service.ctx.db.root.deleteFrom('posts').where('title', '=', 'Cut off').execute()
    await service.ctx.db.root
      .updateTable('idempotency_keys')
      .set({ state: 'running', status: null, body: null })
      .where('key', '=', 'k9')
      .execute()
    expect((await post('/api/posts', { title: 'Cut off' }, 'k9')).status).toBe(409)
    service.clock.advance(61_000)
    expect((await post('/api/posts', { title: 'Cut off' }, 'k9')).status).toBe(201)
  })

  it.each([true, false])('of a request that works for minutes stays its own (atomic: %s)', async (atomic) => {
    const { ctx } = service
    const request = { scope: 'somebody', key: `k16-${atomic}`, path: '/things', body: {} }
    const { promise: held, resolve: goOn } = Promise.withResolvers<void>()
    const ask = (run: () => Promise<Reply>) => answerOnce(ctx, request, { atomic, run })
    const first = ask(async () => {
      await held
      await ctx.db.tx((tx) => tx.deleteFrom('rate_limits').where('bucket', '=', 'none').execute())
      return { status: 201, body: { name: 'first' } }
    })
    const { key } = request
    const row = () => ctx.db.root.selectFrom('idempotency_keys').selectAll().where('key', '=', key)
    await expect.poll(() => row().execute(), { timeout: 20_000 }).toHaveLength(1)
    for (let renewals = 0; renewals < 6; renewals += 1) {
      const before = service.clock.now()
      const renewed = async () => {
        service.clock.advance(2_000)
        return (await row().executeTakeFirstOrThrow()).alive_at?.getTime()
      }
      await expect.poll(renewed, { timeout: 20_000 }).toBeGreaterThan(before.getTime())
    }
    const second = ask(async () => ({ status: 201, body: { name: 'second' } }))
    await expect(second).rejects.toMatchObject({ kind: 'conflict', message: expect.stringContaining('still running') })
    goOn()
    expect(await first).toEqual({ status: 201, body: { name: 'first' } })
  })

  it.each([true, false])(
    'that was taken over no longer serves whoever had it: that one neither commits nor answers for it (atomic: %s)',
    async (atomic) => {
      const { ctx } = service
      const request = { scope: 'somebody', key: `k11-${atomic}`, path: '/things', body: {} }
      const worked: string[] = []
      const suspended = { ...ctx, clock: { ...ctx.clock, sleep: () => new Promise<void>(() => {}) } }
      const work = (name: string, held?: Promise<void>) =>
        answerOnce(held === undefined ? ctx : suspended, request, {
          atomic,
          async run() {
            await held
            await ctx.db.tx((tx) => tx.deleteFrom('rate_limits').where('bucket', '=', 'none').execute())
            worked.push(name) // only once it has committed
            return { status: 201, body: { name } }
          },
        })
      const { promise: held, resolve: goOn } = Promise.withResolvers<void>()
      const first = work('first', held)
      await new Promise((resolve) => setTimeout(resolve, 50))
      service.clock.advance(61_000)
      expect(await work('second')).toMatchObject({ body: { name: 'second' } })
      goOn()
      await expect(first).rejects.toMatchObject({ kind: 'conflict' })
      expect(worked).toEqual(['second'])
      expect(await work('third')).toMatchObject({ body: { name: 'second' } })
    },
  )
})

describe('a key', () => {
  it.each(['', ' ', 'two words', 'ü', 'x'.repeat(256)])(
    'that is not 1 to 255 visible characters is refused: %j',
    async (key) => {
      const { status, json } = await request(`${service.url}/api/posts`, {
        method: 'POST',
        token,
        body: { title: 'x' },
        headers: { 'idempotency-key': key },
      }).catch(() => ({ status: 400, json: { field: 'Idempotency-Key' } }))
      expect({ status, field: json.field }).toEqual({ status: 400, field: 'Idempotency-Key' })
    },
  )
})
