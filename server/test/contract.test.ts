/**
 * Every success of every endpoint, and every webhook, as the document describes it: statuses, bodies with nothing
 * beside what is documented, and headers. What is refused is held against the document by errors.test.ts.
 */
import { createClient, createPullClient } from '@postrider/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { webhooks } from '../src/deliveries/index.ts'
import { endpoints } from '../src/routes.ts'
import { type Contract, readContract } from './support/contract.ts'
import { follow } from './support/follow.ts'
import { request } from './support/http.ts'
import { type MailServer, startMailServer } from './support/mail-server.ts'
import { smallPicture } from './support/pictures.ts'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { newAccount, startService, type TestService, tokenOf } from './support/service.ts'

let service: TestService
let receiver: Receiver
let mailServer: MailServer
let contract: Contract
/** What was answered: `operation status`. */
const seen = new Set<string>()
const problems: string[] = []

beforeAll(async () => {
  mailServer = await startMailServer()
  service = await startService({ SMTP_URL: mailServer.url, MAIL_FROM: 'post@example.com' })
  receiver = await startReceiver()
  contract = readContract()
})
afterAll(async () => {
  await receiver.close()
  await service.stop()
  await mailServer.close()
})

const addresses = endpoints.map(({ name, method, path }) => ({
  name,
  method: method.toUpperCase(),
  // A literal path goes before one with parameters.
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}))

/** `fetch`, holding every answer against the document. */
const watched: typeof fetch = async (input, init) => {
  const response = await fetch(input, init)
  const { pathname } = new URL(String(input))
  const one = addresses.find(({ method, pattern }) => method === (init?.method ?? 'GET') && pattern.test(pathname))
  const isFile = response.headers.get('content-type') === 'application/zip'
  const text = isFile ? '' : await response.clone().text()
  const answer = { headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
  const name = one?.name ?? 'an unknown endpoint'
  seen.add(`${name} ${response.status}`)
  problems.push(...contract.answer(name, response.status, answer))
  return response
}

describe('the document', () => {
  it('describes what a day of the Management API and the Pull API answers', async () => {
    const client = createClient({ baseUrl: service.url, fetch: watched })
    const credentials = { email: 'ada@example.com', password: 'correct horse' }
    await client.auth.register({ name: 'Ada', ...credentials })
    const { token } = await client.auth.login(credentials)
    await client.account()

    const site = await client.sites.create({ name: 'Blog', url: 'https://example.com', webhook_url: receiver.url })
    receiver.answerNext(200, 401)
    await client.sites.testDelivery(site.id)
    await client.sites.backfill(site.id, { dry_run: true })
    await client.sites.testDelivery(site.id)
    await client.sites.detectPlatform(service.url)
    await client.sites.update(site.id, { niche: 'Bread', verify: true })
    await client.sites.checkPages(site.id)
    await client.sites.get(site.id)
    await client.sites.list()

    const draft = await client.posts.create({ title: 'Bread', body: { markdown: '**Bread**' }, meta: { title: 'B' } })
    await client.posts.update(draft.id, { status: 'scheduled', scheduled_at: '2126-01-01T00:00:00Z' })
    await client.posts.get(draft.id)
    await client.updateAccount({ primary_site_id: site.id })
    await client.posts.canonical(draft.id)
    await client.posts.convert({ markdown: '**Bread**' })
    await client.posts.publish(draft.id)
    await service.drain()
    await client.posts.update(draft.id, { slug: 'better-bread' })
    receiver.answerNext(500, 500, 500, 500)
    for (const wait of [0, 30_000, 300_000, 1_800_000]) await service.advance(wait)
    await client.posts.list({ search: 'bread' })
    await client.posts.summaries({ site_id: site.id })
    await client.posts.duplicate(draft.id)
    await client.posts.revisions(draft.id)
    await client.posts.revision(draft.id, 1)
    const thrownAway = await client.posts.create({ title: 'Burnt bread' })
    const { id: tokenId } = await client.tokens.create({ name: 'A program', scopes: ['posts:read'] })
    await client.tokens.list()
    await client.tokens.revoke(tokenId)
    await client.posts.proposals.make(thrownAway.id, { reason: 'It is ready.' })
    await client.posts.proposals.list()
    await client.posts.proposals.dismiss(thrownAway.id)
    const { id: previewId } = await client.posts.previews.create(thrownAway.id)
    await client.posts.previews.list(thrownAway.id)
    await client.posts.previews.revoke(thrownAway.id, previewId)
    await client.posts.trash(thrownAway.id)
    await client.posts.list({ status: 'trash' })
    await client.posts.untrash(thrownAway.id)
    await client.posts.diff(draft.id)
    await client.posts.restore(draft.id, 1)
    await new Response(await client.export({ format: 'ghost' })).arrayBuffer()
    await client.posts.workingCopy.save(draft.id, { title: 'Better bread' })
    await client.posts.workingCopy.get(draft.id)
    await client.posts.workingCopy.publish(draft.id)
    await client.posts.workingCopy.save(draft.id, { title: 'Best bread' })
    await client.posts.workingCopy.discard(draft.id)
    const medium = await client.media.upload(new Blob([await smallPicture()]), { name: 'loaf.jpg' })
    await client.posts.update(draft.id, { body: { markdown: `![Bread](${medium.url})` } })
    await client.media.addFromUrl({ url: medium.url.replace('http://localhost:0', service.url) })
    await client.media.list({ search: 'loaf' })
    await client.media.update(medium.id, { alt: 'Bread' })
    await client.media.get(medium.id)
    await client.media.delete(medium.id, { force: true })
    await client.posts.bulk({ action: 'untag', ids: [draft.id, 'nothing'], tag: 'none' })

    const file = new Blob([JSON.stringify({ data: { posts: [{ id: '1', title: 'From Ghost', html: '<p>Boo</p>' }] } })])
    const { import_id: importId } = await client.imports.create(file, { name: 'ghost.json' })
    await service.drain()
    await client.imports.run(importId)
    await service.drain()
    await client.imports.get(importId)
    await client.imports.posts(importId)
    await client.imports.list()
    await client.imports.delete(importId)
    await service.drain()
    await client.imports.delete(importId)

    const { job_id: jobId } = await client.drafts.generate({ topic: 'Soup', target_keywords: ['soup'] })
    await client.drafts.job(jobId)
    await service.drain()
    await client.drafts.waitForDraft(jobId)
    await client.drafts.cancel(jobId)

    await client.analytics.overview()
    await client.analytics.deliveries({ granularity: 'week' })
    await client.analytics.failures()
    await client.analytics.retry(draft.id)
    await service.drain()
    await client.analytics.postDeliveries(draft.id)

    await client.deliveries.retryFailed({ site_id: site.id })
    await client.sites.retry(site.id)
    receiver.answerNext((_request, response) => response.writeHead(500).end('Not today.'))
    const { id } = await client.posts.create({ title: 'Soup', status: 'published' })
    await service.drain()
    const { data } = await client.deliveries.list({ post_id: id })
    await client.deliveries.retry(data[0]?.id ?? '')
    await service.drain()
    await client.deliveries.get(data[0]?.id ?? '')

    const pull = createPullClient({ baseUrl: service.url, apiKey: site.api_key, fetch: watched })
    await pull.list()
    const pulled = await pull.get('better-bread')
    expect(pulled.previous_slugs).toEqual(['bread'])
    await pull.confirm(draft.id, site.id, 'delivered', { metadata: { build: 1 } })
    await pull.changes({ include: 'body' })
    await pull.confirmMany([
      { post_id: draft.id, status: 'delivered' },
      { post_id: 'nonsense', status: 'delivered' },
    ])
    await pull.digest()
    const { url: previewUrl } = await client.posts.previews.create(draft.id)
    await pull.preview(previewUrl.split('/').at(-1) ?? '')
    expect(await pull.lookUp('no-such-slug')).toEqual({})
    expect((await pull.lookUp('bread')).post?.slug).toBe('better-bread')
    await pull.compare({ have: [] })
    await watched(`${service.url}/api/pull/posts?include=body`, { headers: { 'x-api-key': site.api_key } })
    await client.analytics.postDeliveries(draft.id)
    for (const path of [
      '/api/pull/posts',
      '/api/pull/posts/better-bread',
      '/api/pull/changes',
      '/api/pull/lookup?slug=bread',
    ]) {
      const headers = { 'x-api-key': site.api_key }
      const { headers: first } = await watched(service.url + path, { headers })
      await watched(service.url + path, { headers: { ...headers, 'if-none-match': first.get('etag') ?? '' } })
    }

    const create = { method: 'POST', body: JSON.stringify({ title: 'Twice' }) }
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': 'once' }
    for (const replayed of [null, 'true']) {
      const answer = await watched(`${service.url}/api/posts`, { ...create, headers })
      expect(answer.headers.get('idempotent-replayed')).toBe(replayed)
    }

    await client.posts.delete(draft.id)
    await service.drain()

    const tokenInMail = () => /token=([\w-]+)/.exec(mailServer.mails.at(-1)?.text ?? '')?.[1] ?? ''
    const { id: channelId } = await client.notifications.create({ kind: 'email', target: 'ada@example.org' })
    await client.notifications.test(channelId)
    await service.drain()
    await client.notifications.verify(tokenInMail())
    await client.notifications.test(channelId)
    await client.notifications.create({ kind: 'webhook', target: receiver.url })
    await client.notifications.list()
    await client.notifications.update(channelId, { events: ['site.failing'] })
    await client.notifications.delete(channelId)
    await client.incidents()
    await client.auth.forgotPassword(credentials.email)
    await service.drain()
    await client.auth.resetPassword({ token: tokenInMail(), password: 'another correct horse' })
    await client.auth.login({ ...credentials, password: 'another correct horse' })
    await client.sites.rotateKeys(site.id)
    await client.sites.delete(site.id)
    await client.auth.changePassword({ current_password: 'another correct horse', new_password: 'battery staple' })
    await client.auth.logoutEverywhere()
    expect(problems).toEqual([])
  })

  it('describes what a page of the service itself is answered', async () => {
    const origin = service.url
    const asPage: typeof fetch = (input, init) =>
      watched(input, { ...init, headers: { ...(init?.headers as Record<string, string>), origin } })
    const page = createClient({ baseUrl: service.url, fetch: asPage })
    const grace = { email: 'grace@example.com', password: 'correct horse' }
    await page.auth.signUp({ name: 'Grace', ...grace })
    await page.auth.signIn(grace)
    const { headers } = await request(`${service.url}/api/auth/login`, {
      method: 'POST',
      body: { ...grace, session: 'cookie' },
      headers: { origin },
    })
    const cookie = headers.get('set-cookie')?.split(';')[0] ?? ''
    service.clock.advance(5 * 24 * 3_600_000)
    const renewed = await watched(`${service.url}/api/account`, { headers: { cookie } })
    expect(renewed.headers.get('set-cookie')).toContain('Max-Age=604800')
    const changed = await watched(`${service.url}/api/account/password`, {
      method: 'POST',
      body: JSON.stringify({ current_password: grace.password, new_password: 'battery staple' }),
      headers: { cookie, origin, 'content-type': 'application/json' },
    })
    const [session = ''] = changed.headers.get('set-cookie')?.split(';') ?? []
    await watched(`${service.url}/api/auth/logout`, { method: 'POST', headers: { cookie: session, origin } })
    expect(problems).toEqual([])
  })

  it('describes every event of a stream', async () => {
    const account = await newAccount(service)
    let headers = new Headers()
    const noting: typeof fetch = async (input, init) => {
      const response = await fetch(input, init)
      headers = response.headers
      return response
    }
    const client = createClient({ baseUrl: service.url, token: await tokenOf(service, account), fetch: noting })
    const owner = (await account.account()).user.id
    const stream = await follow(client, { clock: service.clock })
    const site = await account.sites.create({ name: 'Blog', url: 'https://example.com', webhook_url: receiver.url })
    await stream.changed('site', site.id)
    const { job_id: jobId } = await account.drafts.generate({ topic: 'Bread' })
    await stream.changed('job', jobId)
    const post = await account.posts.create({ title: 'Bread', status: 'published' })
    await stream.changed('post', post.id)
    const [delivery] = (await account.deliveries.list()).data
    await service.drain()
    await stream.changed('delivery', delivery?.id ?? '')
    service.ctx.changes.announce(
      Array.from({ length: 600 }, () => ({ owner, kind: 'post', id: service.ctx.ids.next() })),
    )
    await stream.until(({ event }) => event === 'resync')
    await stream.close()
    for (const { event, data } of stream.seen)
      expect(contract.answer('streamEvents', 200, { headers, body: { event, data } })).toEqual([])
    seen.add('streamEvents 200')
  })

  it('was held against every success of every endpoint', () => {
    const documented = endpoints.flatMap(({ name, replies }) =>
      Object.keys(replies).map((status) => `${name} ${status}`),
    )
    expect([...seen].sort()).toEqual(documented.sort())
  })

  it('describes every webhook that was sent', () => {
    const sent = receiver.received.map(({ headers, json }) => {
      const event = String(json.event)
      const plain = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
      expect(contract.webhook(event, { headers: new Headers(plain), body: json })).toEqual([])
      return event
    })
    expect([...new Set(sent)].sort()).toEqual(webhooks.map(({ name }) => name).sort())
  })

  it('is what the service tells about itself', async () => {
    const { json } = await request(`${service.url}/openapi.json`)
    expect(json).toMatchObject({ openapi: '3.1.0', servers: [{ url: service.ctx.config.publicUrl }] })
    const operations = Object.values(json.paths as Record<string, Record<string, { operationId: string }>>)
    const ids = operations.flatMap((item) => Object.values(item).map(({ operationId }) => operationId))
    expect(ids.sort()).toEqual(endpoints.map(({ name }) => name).sort())
  })
})
