/** Live updates across processes, as operators run them: two that answer requests, one that delivers. */
import { createClient } from '@postrider/sdk'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Following, follow } from './support/follow.ts'
import { createDatabaseFromTemplate } from './support/postgres/databases.ts'
import { type ServiceProcess, startProcess } from './support/process.ts'
import { type Receiver, startReceiver } from './support/receiver.ts'

const source = inject('database')
const ADA = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }

describe.runIf(source.kind === 'postgres')('a stream, with several processes', () => {
  let env: Record<string, string>
  let receiver: Receiver
  let [one, two, worker]: ServiceProcess[] = []
  let drop = async () => {}

  beforeAll(async () => {
    if (source.kind !== 'postgres') throw new Error('there is no server in this run')
    const database = await createDatabaseFromTemplate(source.adminUrl, source.template)
    drop = database.drop
    env = {
      DATABASE_URL: database.url,
      SECRET_KEY: 'a secret key for tests, long enough',
      RATE_LIMIT_AUTH: 'off',
      RATE_LIMIT_STARTER: 'off',
    }
    receiver = await startReceiver()
    one = await startProcess({ ...env, ROLE: 'api' })
    two = await startProcess({ ...env, ROLE: 'api' })
    worker = await startProcess({ ...env, ROLE: 'worker' })
    await createClient({ baseUrl: one.url }).auth.register(ADA)
  })
  afterAll(async () => {
    for (const process of [one, two, worker]) await process?.kill()
    await receiver.close()
    await drop()
  })

  async function clientOf(process: ServiceProcess | undefined) {
    const client = createClient({ baseUrl: process?.url ?? '' })
    await client.auth.login({ email: ADA.email, password: ADA.password })
    return client
  }

  /** Follows, until nothing of how the processes came up is told any more. */
  async function quietly(process: ServiceProcess | undefined): Promise<Following> {
    const client = await clientOf(process)
    const stream = await follow(client)
    for (;;) {
      const { id } = await client.posts.create({ title: 'Quiet?' })
      const last = await stream.until(
        ({ event, data }) => event === 'resync' || (event === 'post.changed' && data.id === id),
      )
      if (last.event !== 'resync') return stream
    }
  }

  it('is told what the others do, and ends when one of them signs everybody out', async () => {
    const there = await clientOf(two)
    const stream = await quietly(one)
    await there.sites.create({ name: 'S', url: 'https://s.example', webhook_url: receiver.url, platform: 'custom' })
    await stream.told('site.changed', { name: 'S' })
    const { id } = await there.posts.create({ title: 'Hello', status: 'published' })
    const delivery = await stream.told('delivery.changed', { post_id: id, status: 'delivered' })
    expect(delivery).toMatchObject({ attempts: 1, response_code: 200 })
    const ended = stream.until(() => false)
    await there.auth.logoutEverywhere()
    await expect(ended).rejects.toMatchObject({ status: 401 })
  })

  it('is told to fetch everything again when a process comes (back): it may have kept something to itself', async () => {
    const stream = await quietly(one)
    const late = await startProcess({ ...env, ROLE: 'worker' })
    await stream.told('resync')
    await stream.close()
    await late.kill()
  })

  it('is told so too when its own process may have missed something, and hears everything from then on', async () => {
    const stream = await quietly(one)
    const admin = new pg.Client({ connectionString: env.DATABASE_URL })
    await admin.connect()
    const ours = "application_name = 'postrider signals' and datname = current_database()"
    await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${ours}`)
    await admin.end()
    await stream.told('resync')
    await stream.close()
    await (await quietly(one)).close()
  })
})
