import { createPullClient, type PostriderClient, type PullClient, type SiteWithSecrets } from '@postrider/sdk'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { request } from './support/http.ts'
import { heldAnswer, type Receiver, startReceiver } from './support/receiver.ts'
import { connectSite, newAccount, startService, type TestService } from './support/service.ts'

let service: TestService
let receiver: Receiver
let client: PostriderClient
let site: SiteWithSecrets
let pull: PullClient

beforeAll(async () => {
  service = await startService({ RATE_LIMIT_PULL: '1000/h' })
  receiver = await startReceiver()
})
beforeEach(async () => {
  // What earlier tests left to deliver must not arrive in this one.
  await service.drain()
  client = await newAccount(service)
  site = await connectSite(client, receiver)
  pull = createPullClient({ baseUrl: service.url, apiKey: site.api_key })
  receiver.received.length = 0
})
afterAll(async () => {
  await receiver.close()
  await service.stop()
})

const statusOf = async (postId: string) => (await client.posts.get(postId)).deliveries.map(({ status }) => status)

describe('GET /api/pull/posts', () => {
  it('lists the published posts of the site, newest first, paged and by tag', async () => {
    await client.posts.create({ title: 'Draft' })
    for (const title of ['One', 'Two', 'Three']) {
      service.clock.advance(1000)
      await client.posts.create({ title, excerpt: title, tags: title === 'Two' ? ['even'] : [], status: 'published' })
    }
    const all = await pull.list()
    expect(all).toMatchObject({ total: 3, page: 1, limit: 20, pages: 1 })
    expect(all.posts.map(({ title }) => title)).toEqual(['Three', 'Two', 'One'])
    expect(Object.keys(all.posts[0] ?? {}).sort()).toEqual(['excerpt', 'id', 'published_at', 'slug', 'tags', 'title'])
    expect((await pull.list({ limit: 2, page: 2 })).posts.map(({ title }) => title)).toEqual(['One'])
    expect((await pull.list({ tag: 'even' })).posts.map(({ title }) => title)).toEqual(['Two'])
    expect((await pull.list({ tag: (await client.account()).user.id })).total).toBe(0)
    const seen = []
    for await (const { title } of pull.all({ limit: 1 })) seen.push(title)
    expect(seen).toEqual(['Three', 'Two', 'One'])
  })

  it('shows a site what was published to it or to all, also before it was connected', async () => {
    const second = await connectSite(client, receiver, 'Second')
    const onlySecond = await client.posts.create({ title: 'Only second' })
    await client.posts.publish(onlySecond.id, [second.id])
    await client.posts.create({ title: 'For all', status: 'published' })
    const third = await connectSite(client, receiver, 'Third')
    const titles = async (key: string) =>
      (await createPullClient({ baseUrl: service.url, apiKey: key }).list()).posts.map(({ title }) => title).sort()
    expect(await titles(site.api_key)).toEqual(['For all'])
    expect(await titles(second.api_key)).toEqual(['For all', 'Only second'])
    expect(await titles(third.api_key)).toEqual(['For all'])
    await expect(pull.get('only-second')).rejects.toMatchObject({ status: 404 })
  })

  it('answers 304 to the tag it gave, until something changes', async () => {
    const post = await client.posts.create({ title: 'Tagged', status: 'published' })
    const headers = { 'x-api-key': site.api_key }
    for (const path of ['/api/pull/posts', '/api/pull/posts/tagged']) {
      const first = await request(service.url + path, { headers })
      const tag = first.headers.get('etag') ?? ''
      expect(tag).toMatch(/^"[\w-]+"$/)
      const again = await request(service.url + path, { headers: { ...headers, 'if-none-match': `"other", ${tag}` } })
      expect([again.status, again.json, again.headers.get('etag')]).toEqual([304, {}, tag])
      await client.posts.update(post.id, { excerpt: `changed for ${path}` })
      expect((await request(service.url + path, { headers: { ...headers, 'if-none-match': tag } })).status).toBe(200)
    }
  })

  it('shows in the list what the post itself shows, whatever is written in it', async () => {
    const odd = 'Quotes " and \\ and </script>, \u007f\u2028, Ä, 中文, 😀, %20 {}'
    service.clock.advance(7)
    const { slug } = await client.posts.create({
      title: odd,
      excerpt: `${odd}\n\ttabs and lines`,
      tags: [odd.slice(0, 40), 'null', '{a,b}'],
      status: 'published',
    })
    const { id, title, excerpt, published_at, tags } = await pull.get(slug)
    expect(title).toBe(odd)
    expect((await pull.list()).posts).toEqual([{ id, slug, title, excerpt, published_at, tags }])
    expect((await pull.list({ tag: 'null' })).posts).toEqual([{ id, slug, title, excerpt, published_at, tags }])
  })

  it.each([
    ['limit', '?limit=101'],
    ['limit', '?limit=x'],
    ['page', '?page=0'],
    ['tag', '?tag=%00'],
  ])('names %s when it is wrong: %s', async (field, query) => {
    const { status, json } = await request(`${service.url}/api/pull/posts${query}`, {
      headers: { 'x-api-key': site.api_key },
    })
    expect({ status, field: json.field }).toEqual({ status: 400, field })
  })
})

describe('GET /api/pull/posts/:slug', () => {
  it('is the post as webhooks carry it', async () => {
    const post = await client.posts.create({
      title: 'Whole',
      body: { markdown: '**Bold**' },
      meta: { title: 'SEO' },
      tags: ['a'],
      status: 'published',
    })
    await client.posts.update(post.id, { slug: 'whole-again' })
    expect(await pull.get('whole-again')).toEqual({
      id: post.id,
      version: 2,
      slug: 'whole-again',
      previous_slugs: ['whole'],
      title: 'Whole',
      excerpt: '',
      body: {
        html: '<p><strong>Bold</strong></p>',
        markdown: '**Bold**',
        json: expect.objectContaining({ type: 'doc' }),
      },
      meta: { title: 'SEO' },
      tags: ['a'],
      status: 'published',
      published_at: expect.any(String),
      updated_at: expect.any(String),
    })
    await expect(pull.get('whole')).rejects.toMatchObject({ status: 404, code: 'not_found' })
    await client.posts.update(post.id, { status: 'draft' })
    await expect(pull.get('whole-again')).rejects.toMatchObject({ status: 404 })
  })
})

describe('the API key', () => {
  it('is needed, must be whole, and ends with rotation and deletion at once', async () => {
    const list = (key?: string) =>
      request(`${service.url}/api/pull/posts`, { headers: key === undefined ? {} : { 'x-api-key': key } })
    for (const key of [
      undefined,
      '',
      'pr_x',
      `${site.api_key}x`,
      site.api_key.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    ]) {
      const { status, json } = await list(key)
      expect({ status, error: json.error }).toEqual({ status: 401, error: 'unauthorized' })
    }
    expect((await list(site.api_key)).status).toBe(200)
    const { new_api_key } = await client.sites.rotateKeys(site.id)
    expect((await list(site.api_key)).status).toBe(401)
    expect((await list(new_api_key)).status).toBe(200)
    await client.sites.delete(site.id)
    expect((await list(new_api_key)).status).toBe(401)
  })

  it('opens nothing but the Pull API, and an access token does not open that', async () => {
    expect((await request(`${service.url}/api/posts`, { headers: { 'x-api-key': site.api_key } })).status).toBe(401)
    expect((await request(`${service.url}/api/posts`, { token: site.api_key })).status).toBe(401)
    const session = await client.auth.register({
      name: 'T',
      email: 'pull-token@example.com',
      password: 'quiet harbour',
    })
    expect((await request(`${service.url}/api/pull/posts`, { token: session.token })).status).toBe(401)
    expect((await request(`${service.url}/api/pull/posts`, { headers: { 'x-api-key': session.token } })).status).toBe(
      401,
    )
  })

  it('has its requests counted, per site', async () => {
    const { headers } = await request(`${service.url}/api/pull/posts`, { headers: { 'x-api-key': site.api_key } })
    expect([headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]).toEqual(['1000', '999'])
  })
})

describe('POST /api/pull/confirm', () => {
  it('ends a pending delivery as delivered, so that no further attempt is made', async () => {
    receiver.answerNext(500)
    const post = await client.posts.create({ title: 'Pulled', status: 'published' })
    await service.drain()
    const answer = await pull.confirm(post.id, site.id, 'delivered', { metadata: { path: '/pulled' } })
    expect(answer).toEqual({
      post_id: post.id,
      site_id: site.id,
      status: 'delivered',
      confirmed_at: service.clock.now().toISOString(),
    })
    await service.advance(86_400_000 * 2)
    expect(receiver.received).toHaveLength(1)
    expect(await statusOf(post.id)).toEqual(['delivered'])
    expect((await client.analytics.postDeliveries(post.id)).deliveries[0]).toMatchObject({
      status: 'delivered',
      metadata: { path: '/pulled' },
      last_error: null,
    })
    expect((await client.analytics.overview()).totals).toMatchObject({
      deliveries: 1,
      successful: 1,
      avg_delivery_ms: null,
    })
  })

  it('records a delivery for a post that was only pulled; the site then hears of changes', async () => {
    await client.posts.create({ title: 'Early', status: 'published' })
    const second = await connectSite(client, receiver, 'Second')
    await service.drain()
    receiver.received.length = 0
    const puller = createPullClient({ baseUrl: service.url, apiKey: second.api_key })
    const { id } = await puller.get('early')
    await puller.confirm(id, second.id, 'delivered')
    await puller.confirm(id, second.id, 'delivered')
    const states = (await client.posts.get(id)).deliveries
    expect(states.find(({ site_id }) => site_id === second.id)).toMatchObject({ status: 'delivered' })
    expect((await client.sites.get(second.id)).delivery_stats.total).toBe(1)
    await client.posts.update(id, { title: 'Early, changed' })
    await service.drain()
    expect(receiver.received.map(({ json }) => [json.event, (json.site as { id: string }).id]).sort()).toEqual(
      [
        ['post.updated', site.id],
        ['post.updated', second.id],
      ].sort(),
    )
  })

  it.each([true, false])(
    'is about the post, not about having taken it back before; the site then hears of changes (taken back: %s)',
    async (sent) => {
      const post = await client.posts.create({ title: 'Back again', status: 'published' })
      await service.drain()
      const pause = () => client.sites.update(site.id, { status: 'inactive' })
      if (!sent) await pause()
      await client.posts.update(post.id, { status: 'draft' })
      await service.drain()
      await pause()
      await client.posts.publish(post.id)
      await pull.confirm(post.id, site.id, 'delivered', { metadata: { build: 9 } })
      await client.sites.update(site.id, { status: 'active' })
      await service.drain()
      receiver.received.length = 0
      const { deliveries } = await client.analytics.postDeliveries(post.id)
      const removal = sent ? { status: 'delivered' } : { status: 'failed', last_error: 'superseded' }
      expect(deliveries).toMatchObject([
        { status: 'delivered', metadata: { build: 9 } },
        removal,
        { status: 'delivered' },
      ])
      await client.posts.update(post.id, { title: 'Corrected' })
      await service.drain()
      await client.posts.delete(post.id)
      await service.drain()
      expect(receiver.received.map(({ json }) => json.event)).toEqual(['post.updated', 'post.deleted'])
    },
  )

  it('while an attempt is in flight wins over its late failure', async () => {
    const { answer, finish } = heldAnswer(500)
    receiver.answerNext(answer)
    const post = await client.posts.create({ title: 'Racing', status: 'published' })
    const draining = service.drain()
    while (receiver.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 2))
    await pull.confirm(post.id, site.id, 'delivered')
    finish()
    await draining
    await service.advance(86_400_000)
    expect(await statusOf(post.id)).toEqual(['delivered'])
    expect(receiver.received).toHaveLength(1)
  })

  it('keeps the message of a failure and leaves the retries running', async () => {
    receiver.answerNext(500)
    const post = await client.posts.create({ title: 'Troubled', status: 'published' })
    await service.drain()
    await pull.confirm(post.id, site.id, 'failed', { error_message: 'disk full', metadata: { free: 0 } })
    expect((await client.analytics.postDeliveries(post.id)).deliveries[0]).toMatchObject({
      status: 'pending',
      last_error: 'disk full',
      metadata: { free: 0 },
    })
    await service.advance(30_000)
    expect(await statusOf(post.id)).toEqual(['delivered_retry'])
  })

  it('records the failure of a post that was only pulled, and that can be sent', async () => {
    const post = await client.posts.create({ title: 'Pulled', status: 'published' })
    await service.drain()
    const late = await connectSite(client, receiver, 'Late')
    const its = createPullClient({ baseUrl: service.url, apiKey: late.api_key })
    for (const build of [7, 8])
      await its.confirm(post.id, late.id, 'failed', { error_message: 'template missing', metadata: { build } })
    const ofLate = async () =>
      (await client.analytics.postDeliveries(post.id)).deliveries.filter(({ site_id }) => site_id === late.id)
    expect(await ofLate()).toMatchObject([
      { status: 'failed', attempts: 0, last_error: 'template missing', metadata: { build: 8 } },
    ])
    const { failures } = await client.analytics.failures({ site_id: late.id })
    expect(failures).toMatchObject([{ post_id: post.id, last_error: 'template missing', can_retry: true }])
    expect((await client.analytics.overview({ site_id: late.id })).totals).toMatchObject({ deliveries: 1, failed: 1 })
    expect((await client.sites.get(late.id)).status).toBe('error')

    receiver.received.length = 0
    await client.analytics.retry(post.id, late.id)
    await service.drain()
    expect(receiver.received).toHaveLength(1)
    expect(await ofLate()).toMatchObject([{ status: 'delivered', attempts: 1, last_error: null }])
    expect((await client.analytics.overview({ site_id: late.id })).totals).toMatchObject({ deliveries: 1, failed: 0 })
    expect((await client.sites.get(late.id)).status).toBe('active')
  })

  it('does not take a message for the word by which overtaken deliveries are known', async () => {
    receiver.answerNext(500, 500, 500, 500)
    const post = await client.posts.create({ title: 'Not overtaken', status: 'published' })
    await service.drain()
    for (const delay of [30_000, 300_000, 1_800_000]) await service.advance(delay)
    await pull.confirm(post.id, site.id, 'failed', { error_message: 'superseded' })
    const { failures } = await client.analytics.failures()
    expect(failures).toMatchObject([{ last_error: 'superseded.', can_retry: true }])
    await client.analytics.retry(post.id)
    await service.drain()
    expect(await statusOf(post.id)).toEqual(['delivered_retry'])
  })

  it('answers with the ids as they are kept, however they were spelled', async () => {
    const post = await client.posts.create({ title: 'Loud', status: 'published' })
    const { post_id, site_id } = await pull.confirm(post.id.toUpperCase(), site.id.toUpperCase(), 'delivered')
    expect({ post_id, site_id }).toEqual({ post_id: post.id, site_id: site.id })
  })

  it('refuses another site, and a post that the site may not see', async () => {
    const second = await connectSite(client, receiver, 'Second')
    const post = await client.posts.create({ title: 'Not yours' })
    await client.posts.publish(post.id, [second.id])
    await expect(pull.confirm(post.id, second.id, 'delivered')).rejects.toMatchObject({
      status: 403,
      code: 'forbidden',
    })
    await expect(pull.confirm(post.id, site.id, 'delivered')).rejects.toMatchObject({ status: 404, code: 'not_found' })
    await expect(pull.confirm('nothing', site.id, 'delivered')).rejects.toMatchObject({ status: 404 })
  })

  it.each([
    ['status', { status: 'maybe' }],
    ['post_id', { post_id: 5 }],
    ['site_id', { site_id: undefined }],
    ['error_message', { error_message: 'x'.repeat(1001) }],
    ['metadata', { metadata: 'text' }],
    ['metadata', { metadata: { huge: 'x'.repeat(17_000) } }],
    ['note', { note: 'x' }],
  ])('names %s when it is wrong: %j', async (field, change) => {
    const body = { post_id: 'x', site_id: site.id, status: 'delivered', ...change }
    const { status, json } = await request(`${service.url}/api/pull/confirm`, {
      method: 'POST',
      headers: { 'x-api-key': site.api_key },
      body,
    })
    expect({ status, field: json.field }).toEqual({ status: 400, field: field.split('.')[0] })
  })
})
