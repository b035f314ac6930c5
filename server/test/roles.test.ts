/** One API process and two workers as an operator starts them, with the real clock, their loops and their signals. */
import { type PostriderClient, verifyWebhook } from '@postrider/sdk'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { createDatabaseFromTemplate, type TestDatabase } from './support/postgres/databases.ts'
import { type ServiceProcess, startProcess } from './support/process.ts'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { connectSite, newAccount } from './support/service.ts'

const source = inject('database')
const PATIENCE = { timeout: 20_000 }

describe.runIf(source.kind === 'postgres')('one API process and two workers', () => {
  let database: TestDatabase
  let api: ServiceProcess
  let workers: ServiceProcess[]
  let receiver: Receiver
  let client: PostriderClient

  beforeAll(async () => {
    if (source.kind !== 'postgres') return
    database = await createDatabaseFromTemplate(source.adminUrl, source.template)
    const env = {
      DATABASE_URL: database.url,
      SECRET_KEY: 'a secret key for tests, long enough',
      DELIVERY_RETRY_DELAYS: '50ms,50ms,50ms',
      RATE_LIMIT_AUTH: 'off',
      RATE_LIMIT_STARTER: 'off',
    }
    const start = (role: string) => startProcess({ ...env, ROLE: role })
    ;[api, ...workers] = await Promise.all([start('api'), start('worker'), start('worker')])
  })
  beforeEach(async () => {
    receiver = await startReceiver()
    client = await newAccount(api)
  })
  afterEach(() => receiver.close())
  afterAll(async () => {
    expect(await Promise.all([api, ...workers].map((one) => one.end('SIGTERM')))).toEqual([0, 0, 0])
    await database.drop()
  })

  const arrived = () => receiver.received.map(({ headers }) => headers['x-service-delivery'])

  it('are all ready, and only one of them answers', async () => {
    for (const { url } of [api, ...workers]) expect((await fetch(`${url}/readyz`)).status).toBe(200)
    const statuses = await Promise.all([api, ...workers].map(({ url }) => fetch(`${url}/api/posts`)))
    expect(statuses.map(({ status }) => status)).toEqual([401, 404, 404])
    const cards = await Promise.all([api, ...workers].map(async ({ url }) => (await fetch(url)).json()))
    expect(cards[0]).toMatchObject({ api: '/api', first: 'POST /api/auth/register' })
    for (const card of cards.slice(1))
      expect(card).toEqual({ name: 'Postrider', role: 'worker', ready: '/readyz', metrics: '/metrics' })
  })

  it('say what they have', () => {
    expect(api.output()).toMatch(/API +http/)
    for (const worker of workers) {
      expect(worker.output()).toMatch(/Worker +http:\/\/localhost:\d+\/readyz/)
      expect(worker.output()).not.toMatch(/Dashboard|API/)
    }
  })

  it('send each delivery once, whichever worker does', async () => {
    const sites = await Promise.all(Array.from({ length: 6 }, (_, index) => connectSite(client, receiver, `${index}`)))
    const titles = Array.from({ length: 10 }, (_, index) => `Post ${index}`)
    await Promise.all(titles.map((title) => client.posts.create({ title, status: 'published' })))
    await expect.poll(async () => (await client.analytics.overview()).totals.successful, PATIENCE).toBe(60)
    expect(new Set(arrived()).size).toBe(60)
    expect(arrived()).toHaveLength(sites.length * titles.length)
  })

  it('publish what is scheduled once, at its time', async () => {
    await connectSite(client, receiver)
    const at = new Date(Date.now() + 1_500).toISOString()
    const { id } = await client.posts.create({ title: 'Due', status: 'scheduled', scheduled_at: at })
    await expect.poll(() => arrived().length, PATIENCE).toBe(1)
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(at))
    expect(await client.posts.get(id)).toMatchObject({ status: 'published', version: 1 })
    expect((await client.analytics.postDeliveries(id)).deliveries).toHaveLength(1)
  })

  it('retry, and send a change after it, with one id per delivery', async () => {
    await connectSite(client, receiver)
    receiver.answerNext(500, 500)
    const { id } = await client.posts.create({ title: 'First', status: 'published' })
    await expect
      .poll(async () => (await client.posts.get(id)).deliveries, PATIENCE)
      .toMatchObject([{ status: 'delivered_retry' }])
    await client.posts.update(id, { title: 'Second' })
    await expect.poll(() => arrived().length, PATIENCE).toBe(4)
    const [first, second, third, update] = arrived()
    expect([second, third]).toEqual([first, first])
    expect(update).not.toBe(first)
  })

  it('heed a rotation and a pause that another process has made', async () => {
    const site = await connectSite(client, receiver)
    const { new_webhook_secret: secret } = await client.sites.rotateKeys(site.id)
    await client.posts.create({ title: 'Signed anew', status: 'published' })
    await expect.poll(() => arrived().length, PATIENCE).toBe(1)
    const [{ body, headers } = { body: '', headers: {} }] = receiver.received
    await expect(verifyWebhook({ body, headers, secret })).resolves.toBeDefined()
    await client.sites.update(site.id, { status: 'inactive' })
    await client.posts.update((await client.posts.list()).data[0]?.id ?? '', { excerpt: 'Waits' })
    await new Promise((resolve) => setTimeout(resolve, 1_200))
    expect(arrived()).toHaveLength(1)
    await client.sites.update(site.id, { status: 'active' })
    await expect.poll(() => arrived().length, PATIENCE).toBe(2)
  })
})
