import { createClient, type PostriderClient, type SiteWithSecrets } from '@postrider/sdk'
import { createApp } from '../../src/app.ts'
import { parseConfig } from '../../src/platform/config.ts'
import type { Context } from '../../src/platform/context.ts'
import type { EgressOptions } from '../../src/platform/egress/egress.ts'
import type { Log } from '../../src/platform/log.ts'
import { type ManualClock, manualClock } from './clock.ts'
import { freshDatabase } from './database.ts'
import type { Receiver } from './receiver.ts'

/** One line of the service's log, kept for tests. */
export type LogLine = { level: string; event: string; fields: Record<string, unknown> }

/** A service on a fresh database, answering on a port of its own. Its loops stand still: time and work move by hand. */
export type TestService = {
  url: string
  ctx: Context
  clock: ManualClock
  logged: LogLine[]
  /** Does all background work that is due now. */
  drain(): Promise<void>
  /** Moves time, then does what is due. */
  advance(ms: number): Promise<void>
  /** Takes the database away for good; the service can then not be stopped in an orderly way. */
  cutDatabase(): Promise<void>
  stop(): Promise<void>
}

/** Limits are off where they are not what is tested: every test is one client. */
const DEFAULTS = {
  PORT: '0',
  SECRET_KEY: 'a secret key for tests, long enough',
  RATE_LIMIT_AUTH: 'off',
  RATE_LIMIT_STARTER: 'off',
}

const START = new Date('2026-11-02T08:00:00.000Z')

/** Starts a service. `env` is its environment beside the test's defaults. */
export async function startService(env: Record<string, string> = {}): Promise<TestService> {
  const clock = manualClock(START)
  const logged: LogLine[] = []
  const database = await freshDatabase()
  const config = parseConfig({ ...DEFAULTS, ...env })
  const app = await createApp(config, { clock, database, log: recordingLog(logged), lookup: unknownName })
  const { port } = await app.listen()
  return {
    url: `http://127.0.0.1:${port}`,
    ctx: app.ctx,
    clock,
    logged,
    drain: app.drain,
    async advance(ms) {
      clock.advance(ms)
      await app.drain()
    },
    cutDatabase: database.cut,
    async stop() {
      await app.stop(1_000)
      await database.drop()
    },
  }
}

/** Tests ask no resolver: every name is unknown. */
const unknownName: NonNullable<EgressOptions['lookup']> = (hostname, _options, callback) => {
  callback(Object.assign(new Error(`${hostname} is unknown`), { code: 'ENOTFOUND' }), [])
}

function recordingLog(logged: LogLine[]): Log {
  const at =
    (level: string) =>
    (event: string, fields: object = {}) =>
      void logged.push({ level, event, fields: { ...fields } })
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

let accounts = 0

/** A client with a new account. */
export async function newAccount(service: Pick<TestService, 'url'>, name = 'Ada'): Promise<PostriderClient> {
  const client = createClient({ baseUrl: service.url })
  accounts += 1
  await client.auth.register({
    name,
    email: `person-${process.pid}-${accounts}@example.com`,
    password: 'correct horse',
  })
  return client
}

/** A site whose webhooks go to the receiver. */
export async function connectSite(
  client: PostriderClient,
  receiver: Pick<Receiver, 'url'>,
  name = 'My blog',
): Promise<SiteWithSecrets> {
  return client.sites.create({ name, url: 'https://blog.example.com', webhook_url: receiver.url })
}
