import type { PostriderClient } from '@postrider/sdk'
import { verifyWebhook } from '@postrider/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { connectSite, newAccount, startService, type TestService } from './support/service.ts'

let service: TestService
let receiver: Receiver
let client: PostriderClient

beforeAll(async () => {
  service = await startService()
  receiver = await startReceiver()
  client = await newAccount(service)
})
afterAll(async () => {
  await receiver.close()
  await service.stop()
})

const valid = { name: 'Blog', url: 'https://blog.example.com', webhook_url: 'https://blog.example.com/hooks' }

describe('creating a site', () => {
  it('generates both secrets and fills in the rest', async () => {
    const site = await client.sites.create({ ...valid, niche: 'gardening' })
    expect(site).toEqual({
      ...valid,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      niche: 'gardening',
      platform: 'custom',
      framework: null,
      status: 'active',
      delivery_stats: { total: 0, success_rate: null, last_delivery: null, not_live: 0, missing: 0 },
      kind: 'webhook',
      debounce_seconds: null,
      post_url: null,
      canonical: 'primary',
      recovery: 'manual',
      verify: false,
      last_test: null,
      created_at: service.clock.now().toISOString(),
      api_key: expect.stringMatching(/^pr_[0-9A-Za-z]{49}$/),
      webhook_secret: expect.stringMatching(/^whsec_[0-9A-Za-z+/]{43}=$/),
    })
  })

  it.each([
    ['name', { name: '' }],
    ['name', { name: undefined }],
    ['url', { url: 'ftp://example.com' }],
    ['url', { url: `https://example.com/${'x'.repeat(2048)}` }],
    ['webhook_url', { webhook_url: 'not a url' }],
    ['webhook_url', { webhook_url: 'http://blog.example.com/hooks' }],
    ['webhook_url', { webhook_url: 'https://user:password@example.com/hooks' }],
    ['webhook_url', { webhook_url: 'https://169.254.169.254/latest/meta-data' }],
    ['webhook_url', { webhook_url: 'https://[::ffff:10.0.0.1]/' }],
    ['webhook_url', { webhook_url: 'https://0x0a000001/' }],
    ['platform', { platform: 'joomla' }],
    ['niche', { niche: 5 }],
    ['colour', { colour: 'red' }],
  ])('names %s when it is wrong: %j', async (field, change) => {
    const before = (await client.sites.list()).total
    await expect(client.sites.create({ ...valid, ...change } as never)).rejects.toMatchObject({
      status: 400,
      code: 'validation_error',
      field,
    })
    expect((await client.sites.list()).total).toBe(before)
  })

  it('stores neither secret in clear', async () => {
    const { id, api_key, webhook_secret } = await client.sites.create(valid)
    const db = service.ctx.db.root
    const stored = [
      await db.selectFrom('sites').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
      await db.selectFrom('endpoints').selectAll().where('site_id', '=', id).executeTakeFirstOrThrow(),
    ]
    const bytes = stored
      .flatMap((row) => Object.values(row))
      .map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value)))
    expect(bytes.join('\n')).not.toContain(api_key)
    expect(bytes.join('\n')).not.toContain(webhook_secret)
    await service.caughtUp()
    expect(JSON.stringify(service.logged)).not.toContain(webhook_secret)
  })
})

describe('reading sites', () => {
  it('lists without secrets, and shows them for one site', async () => {
    const owner = await newAccount(service)
    const site = await connectSite(owner, receiver)
    const list = await owner.sites.list()
    expect(list.total).toBe(1)
    expect(list.sites[0]).not.toHaveProperty('api_key')
    expect(list.sites[0]).not.toHaveProperty('webhook_secret')
    expect(await owner.sites.get(site.id)).toEqual(site)
  })

  it('shows how deliveries went', async () => {
    const owner = await newAccount(service)
    const site = await connectSite(owner, receiver)
    await owner.posts.create({ title: 'One', status: 'published' })
    await service.drain()
    expect((await owner.sites.get(site.id)).delivery_stats).toEqual({
      total: 1,
      success_rate: 100,
      last_delivery: service.clock.now().toISOString(),
      not_live: 0,
      missing: 0,
    })
  })
})

describe('changing a site', () => {
  it('changes what is given and accepts the whole resource back', async () => {
    const site = await client.sites.create(valid)
    const changed = await client.sites.update(site.id, { ...site, name: 'Renamed' } as never)
    const { api_key: _key, webhook_secret: _secret, ...rest } = site
    expect(changed).toEqual({ ...rest, name: 'Renamed' })
  })

  it.each([
    ['webhook_url', { webhook_url: 'http://10.0.0.1/' }],
    ['status', { status: 'error' }],
    ['status', { status: 'gone' }],
    ['name', { name: null }],
  ])('names %s when it is wrong: %j', async (field, change) => {
    const site = await client.sites.create(valid)
    await expect(client.sites.update(site.id, change as never)).rejects.toMatchObject({ status: 400, field })
  })

  it('pauses: pending deliveries wait until the site is active again', async () => {
    const owner = await newAccount(service)
    const site = await connectSite(owner, receiver)
    const before = receiver.received.length
    const post = await owner.posts.create({ title: 'Paused', status: 'published' })
    await owner.sites.update(site.id, { status: 'inactive' })
    expect((await owner.sites.get(site.id)).status).toBe('inactive')
    await service.advance(3_600_000)
    expect(receiver.received).toHaveLength(before)
    await owner.sites.update(site.id, { status: 'active' })
    await service.drain()
    expect(receiver.received).toHaveLength(before + 1)
    expect((await owner.posts.get(post.id)).deliveries).toMatchObject([{ status: 'delivered' }])
  })

  it('sends later deliveries to a changed address', async () => {
    const owner = await newAccount(service)
    const second = await startReceiver()
    const site = await connectSite(owner, receiver)
    await owner.sites.update(site.id, { webhook_url: second.url })
    await owner.posts.create({ title: 'Moved', status: 'published' })
    await service.drain()
    expect(second.received).toHaveLength(1)
    await second.close()
  })
})

describe('rotating keys', () => {
  it('replaces both at once: the next delivery is signed with the new secret', async () => {
    const owner = await newAccount(service)
    const site = await connectSite(owner, receiver)
    const post = await owner.posts.create({ title: 'Signed', status: 'published' })
    expect(post.deliveries).toHaveLength(1)
    const rotated = await owner.sites.rotateKeys(site.id)
    expect(rotated).toMatchObject({
      site_id: site.id,
      rotated_at: service.clock.now().toISOString(),
      warning: expect.stringContaining('stopped working'),
    })
    expect(rotated.new_api_key).not.toBe(site.api_key)
    await service.drain()
    const { body, headers } = receiver.received.at(-1) ?? { body: '', headers: {} }
    const now = service.clock.now().getTime()
    await expect(verifyWebhook({ body, headers, secret: rotated.new_webhook_secret, now })).resolves.toBeDefined()
    await expect(verifyWebhook({ body, headers, secret: site.webhook_secret, now })).rejects.toMatchObject({
      reason: 'bad_signature',
    })
    expect(await owner.sites.get(site.id)).toMatchObject({
      api_key: rotated.new_api_key,
      webhook_secret: rotated.new_webhook_secret,
    })
  })

  it('never shows a key and a secret that do not belong together', async () => {
    const owner = await newAccount(service)
    const site = await connectSite(owner, receiver)
    const together = new Set([`${site.api_key} ${site.webhook_secret}`])
    let done = false
    const shown = Array.from({ length: 4 }, async () => {
      const seen = []
      while (!done) {
        const { api_key, webhook_secret } = await owner.sites.get(site.id)
        seen.push(`${api_key} ${webhook_secret}`)
      }
      return seen
    })
    for (let count = 0; count < 30; count += 1) {
      const { new_api_key, new_webhook_secret } = await owner.sites.rotateKeys(site.id)
      together.add(`${new_api_key} ${new_webhook_secret}`)
    }
    done = true
    const pairs = (await Promise.all(shown)).flat()
    expect(pairs.length).toBeGreaterThan(30)
    expect(pairs.filter((pair) => !together.has(pair))).toEqual([])
  })
})

describe('a test delivery', () => {
  it('sends a signed site.test and tells that it was accepted', async () => {
    const owner = await newAccount(service)
    const site = await connectSite(owner, receiver)
    receiver.answerNext((_, response) => response.end('Kept.'))
    const result = await owner.sites.testDelivery(site.id)
    expect(result).toMatchObject({
      success: true,
      response: 'Kept.',
      response_code: 200,
      response_time_ms: expect.any(Number),
      message: expect.any(String),
    })
    const { body, headers } = receiver.received.at(-1) ?? { body: '', headers: {} }
    const { event } = await verifyWebhook({
      body,
      headers,
      secret: site.webhook_secret,
      now: service.clock.now().getTime(),
    })
    expect(event).toMatchObject({
      event: 'site.test',
      test: true,
      post: result.payload_sent,
      site: { id: site.id, name: site.name },
    })
    expect((await owner.sites.get(site.id)).delivery_stats.total).toBe(0)
  })

  it('tells where the site says it keeps posts, and what the site says is wrong; the site keeps that', async () => {
    const owner = await newAccount(service)
    const { id } = await connectSite(owner, receiver)
    const lastTest = async () => (await owner.sites.get(id)).last_test
    expect(await lastTest()).toBeNull()
    const problem = 'The site cannot keep posts in files: EROFS: read-only file system.'
    receiver.answerNext((_, response) => response.writeHead(503).end(JSON.stringify({ ok: false, message: problem })))
    expect(await owner.sites.testDelivery(id)).toMatchObject({
      success: false,
      response_code: 503,
      error: 'http_error',
      troubleshooting: problem,
    })
    const at = service.clock.now().toISOString()
    expect(await lastTest()).toEqual({ at, ok: false, store: null, previews: false, message: problem })
    receiver.answerNext((_, response) => response.end('{"ok":true,"store":"files"}'))
    const { message, store } = await owner.sites.testDelivery(id)
    expect(store).toBe('files')
    expect(message).toMatch(/It keeps posts in files\.$/)
    expect((await owner.sites.list()).sites[0]?.last_test).toEqual({ at, ok: true, store, previews: false, message })
    await owner.sites.update(id, { webhook_url: `${receiver.url}/` })
    expect(await lastTest()).toBeNull()
    const silent = await owner.sites.testDelivery(id)
    expect(silent.message).toMatch(/^Your site answered 200 in \d+ ms, but did not say that it keeps posts\.$/)
    expect(silent).not.toHaveProperty('store')
  })

  it('tells what the site answered and what to look at when it fails', async () => {
    const owner = await newAccount(service)
    const site = await connectSite(owner, receiver)
    receiver.answerNext((_, response) => response.writeHead(401).end('Signature?\n'))
    expect(await owner.sites.testDelivery(site.id)).toMatchObject({
      success: false,
      response_code: 401,
      response: 'Signature?',
      error: 'http_error',
      troubleshooting: expect.stringContaining('webhook_secret'),
    })
    await owner.sites.update(site.id, { webhook_url: 'http://127.0.0.1:1/' })
    expect(await owner.sites.testDelivery(site.id)).toMatchObject({
      success: false,
      response_code: null,
      error: 'connection_refused',
      troubleshooting: expect.stringContaining('Nothing listens'),
    })
  })
})

describe('deleting a site', () => {
  it('ends its pending deliveries and removes it from the lists; history stays', async () => {
    const owner = await newAccount(service)
    const site = await connectSite(owner, receiver)
    receiver.answerNext(500)
    const post = await owner.posts.create({ title: 'Orphan', status: 'published' })
    await service.drain()
    const before = receiver.received.length
    await owner.sites.delete(site.id)
    await service.advance(3_600_000)
    expect(receiver.received).toHaveLength(before)
    expect((await owner.sites.list()).total).toBe(0)
    await expect(owner.sites.get(site.id)).rejects.toMatchObject({ status: 404 })
    expect((await owner.posts.get(post.id)).deliveries).toMatchObject([{ site_id: site.id, status: 'failed' }])
    await owner.posts.update(post.id, { title: 'Nobody hears' })
    await owner.posts.delete(post.id)
    await service.drain()
    expect(receiver.received).toHaveLength(before)
  })
})
