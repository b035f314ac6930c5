/** Live updates across processes, as operators run them: two that answer requests, one that delivers. */
import { createClient, type LiveEvent } from '@postrider/sdk'
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

  /** Follows, until nothing of how the processes came up is announced any more. */
  async function quietly(process: ServiceProcess | undefined): Promise<Following> {
    const client = await clientOf(process)
    const stream = await follow(client)
    for (;;) {
      const { id } = await client.posts.create({ title: 'Quiet?' })
      const last = await stream.until(
        ({ event, data }) => event === 'resync' || ('ids' in data && data.ids.includes(id)),
      )
      if (last.event !== 'resync') return stream
    }
  }
  const resync = ({ event }: LiveEvent) => event === 'resync'

  it('announces what the others do, and ends when one of them signs everybody out', async () => {
    const there = await clientOf(two)
    const stream = await quietly(one)
    const site = { name: 'S', url: 'https://s.example', webhook_url: receiver.url, platform: 'custom' } as const
    const { id } = await there.sites.create(site)
    await stream.changed('site', id)
    await there.posts.create({ title: 'Hello', status: 'published' })
    for (let status = ''; status !== 'delivered'; ) {
      await stream.until(({ event }) => event === 'delivery.changed')
      status = (await there.deliveries.list()).data[0]?.status ?? ''
    }
    const ended = stream.until(() => false)
    await there.auth.logoutEverywhere()
    await expect(ended).rejects.toMatchObject({ status: 401 })
  })

  it('says that anything may have changed when a process comes (back): it may have died before it could notify', async () => {
    const stream = await quietly(one)
    const late = await startProcess({ ...env, ROLE: 'worker' })
    await stream.until(resync)
    await stream.close()
    await late.kill()
  })

  it('says so too when its own process may have missed something, and announces everything from then on', async () => {
    const stream = await quietly(one)
    const admin = new pg.Client({ connectionString: env.DATABASE_URL })
    await admin.connect()
    const ours = "application_name = 'postrider signals' and datname = current_database()"
    await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${ours}`)
    await admin.end()
    await stream.until(resync)
    await stream.close()
    await (await quietly(one)).close()
  })
})
