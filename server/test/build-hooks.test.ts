/** Sites that their host builds anew: one request for all changes since the last one, and every post's delivery is recorded. */
import type { PostriderClient, SiteWithSecrets } from '@postrider/sdk'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { newAccount, startService, type TestService } from './support/service.ts'

let service: TestService
let host: Receiver
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

let client: PostriderClient
let site: SiteWithSecrets
beforeEach(async () => {
  host = await startReceiver()
  client = await newAccount(service)
  site = await client.sites.create({
    name: 'Static blog',
    url: 'https://blog.example.com',
    kind: 'build_hook',
    webhook_url: host.url,
  })
  return () => host.close()
})

const publish = async (title: string) => (await client.posts.create({ title, status: 'published' })).id
const statusOf = async (id: string) => (await client.posts.get(id)).deliveries?.map(({ status }) => status)

describe('a build hook', () => {
  it('gets one request for everything since the last, at most one per debounce, and any 2xx is success', async () => {
    host.answerNext(201, 204)
    const first = await publish('One')
    await service.drain()
    expect(host.received).toHaveLength(1) // the first change does not wait
    expect(await statusOf(first)).toEqual(['delivered'])

    const others = [await publish('Two'), await publish('Three')]
    await client.posts.update(first, { title: 'One, changed' })
    await service.drain()
    expect(host.received).toHaveLength(1)
    expect((await client.posts.get(first)).deliveries).toMatchObject([{ status: 'pending' }])
    const nextBuild = new Date(service.clock.now().getTime() + 60_000).toISOString()
    const waiting = (await client.deliveries.list({ status: 'pending' })).data
    expect(waiting.map(({ next_attempt_at: at }) => at)).toEqual([nextBuild, nextBuild, nextBuild])
    await service.advance(59_000)
    expect(host.received).toHaveLength(1)
    await service.advance(1_000)
    expect(host.received).toHaveLength(2)
    for (const id of [first, ...others]) expect(await statusOf(id)).toEqual(['delivered'])
    expect((await client.sites.get(site.id)).delivery_stats).toMatchObject({ total: 4, success_rate: 100 })
    await service.advance(3_600_000)
    expect(host.received).toHaveLength(2)
    expect(host.received.map(({ body }) => body)).toEqual(['{}', '{}'])
  })

  it('fails for all posts that wait for it, is repeated on the schedule, and succeeds for all of them', async () => {
    host.answerNext(500, 500)
    const early = [await publish('One'), await publish('Two'), await publish('Three')]
    await service.drain()
    expect(host.received).toHaveLength(1)
    for (const id of early) expect(await statusOf(id)).toEqual(['pending'])
    // Six posts and two failed requests: that is not five failures in a row.
    await service.advance(60_000)
    expect(host.received).toHaveLength(2)
    expect((await client.sites.get(site.id)).status).toBe('active')
    // The next retry is due after five minutes; a new change does not wait for it, and what it starts builds the others too.
    const late = await publish('Four')
    await service.advance(60_000)
    expect(host.received).toHaveLength(3)
    expect(await statusOf(late)).toEqual(['delivered'])
    for (const id of early) expect(await statusOf(id)).toEqual(['delivered_retry'])
    await service.advance(3_600_000)
    expect(host.received).toHaveLength(3)
  })

  it('that fails for a new change leaves the retries of the others when they are', async () => {
    host.answerNext(500, 500, 500)
    const early = await publish('One')
    await service.drain()
    await service.advance(60_000)
    expect(host.received).toHaveLength(2)
    const late = await publish('Two')
    await service.advance(60_000)
    expect(host.received).toHaveLength(3)
    const attempts = async (id: string) => (await client.analytics.postDeliveries(id)).deliveries[0]?.attempts
    expect([await attempts(early), await attempts(late)]).toEqual([2, 1])
  })

  it('that removes a post starts a build too', async () => {
    const id = await publish('One')
    await service.drain()
    await client.posts.update(id, { status: 'draft' })
    await service.advance(60_000)
    expect(host.received).toHaveLength(2)
  })

  it('is tried by hand with a real request', async () => {
    host.answerNext((_, response) => response.writeHead(201).end('{"job":{"id":"1"}}'), 404)
    const result = await client.sites.testDelivery(site.id)
    expect(result).toMatchObject({
      success: true,
      response_code: 201,
      message: expect.stringContaining('building the site'),
    })
    expect(result).not.toHaveProperty('payload_sent')
    expect(await client.sites.testDelivery(site.id)).toMatchObject({
      success: false,
      troubleshooting: expect.stringContaining('does not know this deploy hook'),
    })
  })
})

describe('the fields of such a site', () => {
  it('have defaults, and its address is shown only where secrets are', async () => {
    const hidden = `${new URL(host.url).origin}/***`
    expect(site).toMatchObject({ kind: 'build_hook', webhook_url: host.url, debounce_seconds: 60, post_url: null })
    expect((await client.sites.get(site.id)).webhook_url).toBe(host.url)
    const [listed] = (await client.sites.list()).sites
    expect(listed).toMatchObject({ webhook_url: hidden })
    // What was read can be sent back.
    expect(await client.sites.update(site.id, { ...listed, debounce_seconds: 10 })).toMatchObject({
      webhook_url: hidden,
      debounce_seconds: 10,
    })
    expect((await client.sites.get(site.id)).webhook_url).toBe(host.url)
    await publish('One')
    await service.drain()
    const [delivery] = (await client.deliveries.list()).data
    const details = await client.deliveries.get(delivery?.id ?? '')
    expect(details).toMatchObject({ webhook_url: hidden, request: { url: hidden } })
    expect(JSON.stringify(details)).not.toContain(host.url)
    expect(JSON.stringify(service.logged)).not.toContain(host.url)
  })

  it('a shorter debounce counts at once, and a site may become one that gets webhooks', async () => {
    await publish('One')
    await service.drain()
    await publish('Two')
    await service.advance(15_000)
    expect(host.received).toHaveLength(1)
    await client.sites.update(site.id, { debounce_seconds: 10 })
    await service.drain()
    expect(host.received).toHaveLength(2)
    expect(await client.sites.update(site.id, { kind: 'webhook' })).toMatchObject({
      kind: 'webhook',
      debounce_seconds: null,
      webhook_url: host.url,
    })
    await Promise.all(['Three', 'Four'].map(publish))
    await service.drain()
    expect(host.received.slice(2).map(({ json }) => json.event)).toEqual(['post.published', 'post.published'])
  })

  it('are refused where they cannot be', async () => {
    const at = (field: string) => expect.objectContaining({ status: 400, field })
    await expect(client.sites.update(site.id, { debounce_seconds: 9 })).rejects.toEqual(at('debounce_seconds'))
    await expect(client.sites.update(site.id, { debounce_seconds: 61, kind: 'webhook' })).rejects.toEqual(
      at('debounce_seconds'),
    )
    await expect(client.sites.update(site.id, { post_url: 'https://blog.example.com/' })).rejects.toEqual(
      at('post_url'),
    )
    const { post_url } = await client.sites.update(site.id, { post_url: 'https://blog.example.com/{yyyy}/{slug}' })
    expect(post_url).toBe('https://blog.example.com/{yyyy}/{slug}')
    expect(await client.sites.update(site.id, { post_url: null })).toMatchObject({ post_url: null })
  })
})
