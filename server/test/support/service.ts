import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type PostriderClient, type SiteWithSecrets } from '@postrider/sdk'
import { inject } from 'vitest'
import { createApp, type Overrides } from '../../src/app.ts'
import { parseConfig } from '../../src/platform/config.ts'
import type { Context } from '../../src/platform/context.ts'
import { startMembers } from './apart/members.ts'
import { createSharedClock } from './apart/shared-clock.ts'
import { type ManualClock, manualClock, WITHOUT_PAUSES } from './clock.ts'
import { freshDatabase } from './database.ts'
import { type LogLine, recordingLog } from './log.ts'
import { unknownName } from './names.ts'
import type { Receiver } from './receiver.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Set where a service is to run in several processes; what they share lies in `dir`. */
    apart: { dir: string } | undefined
  }
}

/**
 * A service on a fresh database, answering on a port of its own. Its loops are not started: the test moves time and does
 * the due work. Where services run apart, `url` is a process that only answers, `drain` makes two workers work at once,
 * and `ctx` is this process's own access to their database.
 */
export type TestService = {
  url: string
  ctx: Context
  clock: ManualClock
  logged: LogLine[]
  /** Resolves when `logged` has everything that was logged so far. */
  caughtUp(): Promise<void>
  /** Another process of the same service, on the same database and clock. */
  startAnother(): Promise<{ url: string; stop(): Promise<void> }>
  /** Does all background work that is due now. */
  drain(): Promise<void>
  /** Moves time, then does what is due. */
  advance(ms: number): Promise<void>
  /** Takes the database away for good; the service can then not be stopped in an orderly way. */
  cutDatabase(): Promise<void>
  stop(): Promise<void>
}

/** Rate limits are off unless they are what is tested: all requests of a test come from one client. */
const DEFAULTS = {
  PORT: '0',
  SECRET_KEY: 'a secret key for tests, long enough',
  RATE_LIMIT_AUTH: 'off',
  RATE_LIMIT_STARTER: 'off',
}

const START = new Date('2026-11-02T08:00:00.000Z')

/** Starts a service. `env` is its environment besides the defaults for tests. */
export async function startService(env: Record<string, string> = {}, overrides: Replaced = {}): Promise<TestService> {
  const apart = inject('apart')
  // Nothing is there unless a test uploads pictures.
  const files = join(tmpdir(), `postrider-test-${randomUUID()}`)
  const all = { ...DEFAULTS, DATA_DIR: files, ...env }
  const service = await (apart === undefined ? startTogether(all, overrides) : startApart(all, overrides, apart.dir))
  return {
    ...service,
    async advance(ms) {
      service.clock.advance(ms)
      await service.drain()
    },
    async stop() {
      await service.stop()
      // A request that outlasted the stop may still be writing.
      await rm(files, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

type Started = Omit<TestService, 'advance'>
type Replaced = Pick<Overrides, 'dashboardDirectory'>

/** The whole service in this process. */
async function startTogether(env: Record<string, string>, overrides: Replaced): Promise<Started> {
  const { app, database, ...own } = await openApp(env, manualClock(START), overrides)
  const { port } = await app.listen()
  return {
    ...own,
    url: `http://127.0.0.1:${port}`,
    caughtUp: async () => {},
    drain: app.drain,
    cutDatabase: database.cut,
    async stop() {
      await app.stop(1_000)
      await database.drop()
    },
  }
}

/** The service in several processes; `dir` is for what they share. */
async function startApart(env: Record<string, string>, overrides: Replaced, dir: string): Promise<Started> {
  const clockFile = join(dir, randomUUID())
  const clock = createSharedClock(clockFile, START)
  const { app, database, ...own } = await openApp(env, clock, overrides)
  const part = { env: { ...env, DATABASE_URL: database.signalsUrl ?? '' }, clockFile, overrides }
  const members = await startMembers(part, dir, (line) => void own.logged.push(line))
  let cut = false
  return {
    ...own,
    url: members.url,
    caughtUp: members.report,
    drain: members.drain,
    async cutDatabase() {
      cut = true
      await database.cut()
      await database.drop()
    },
    async stop() {
      await members.stop(!cut)
      clock.close()
      if (!cut) await app.stop(0)
      await database.drop()
    },
  }
}

/** This process's app: the whole service, or access to the database of one that runs apart. */
async function openApp(env: Record<string, string>, clock: ManualClock, overrides: Replaced) {
  const logged: LogLine[] = []
  const database = await freshDatabase()
  const log = recordingLog((line) => void logged.push(line))
  const config = parseConfig(env)
  const replaced = { clock, log, lookup: unknownName, limits: WITHOUT_PAUSES, ...overrides }
  const app = await createApp(config, { ...replaced, database })
  const startAnother = async () => {
    const shared = { ...database, db: { ...database.db, close: async () => {} } }
    const another = await createApp(config, { ...replaced, database: shared })
    return { url: `http://127.0.0.1:${(await another.listen()).port}`, stop: () => another.stop(0) }
  }
  return { app, database, ctx: app.ctx, clock, logged, startAnother }
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

/** A token of the client's account. */
export async function tokenOf({ url }: Pick<TestService, 'url'>, client: PostriderClient): Promise<string> {
  const { email } = (await client.account()).user
  return (await createClient({ baseUrl: url }).auth.login({ email, password: 'correct horse' })).token
}

/** A site whose webhooks go to the receiver. */
export async function connectSite(
  client: PostriderClient,
  receiver: Pick<Receiver, 'url'>,
  name = 'My blog',
): Promise<SiteWithSecrets> {
  return client.sites.create({ name, url: 'https://blog.example.com', webhook_url: receiver.url })
}
