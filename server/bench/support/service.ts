/** Services under test, each a process of its own with production settings; and the context that seeds their database. */
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createApp } from '../../src/app.ts'
import { parseConfig } from '../../src/platform/config.ts'
import type { Context } from '../../src/platform/context.ts'
import { UNHURRIED } from '../../src/platform/db/database.ts'
import { openDatabase } from '../../src/platform/db/open.ts'
import { createLog } from '../../src/platform/log.ts'
import { startOwnPostgres, startTestPostgres } from '../../test/support/postgres/server.ts'
import { type ServiceProcess, startProcess } from '../../test/support/process.ts'

/** Where a service keeps its data; `env` names it. */
export type Place = {
  name: 'postgres' | 'embedded'
  env: Record<string, string>
  /** Creates an empty database in this place, and removes the one before. */
  fresh(): Promise<void>
  /** Whether there is a database; a kept place may have one from before. */
  exists(): Promise<boolean>
  /** Runs `work` with the service's own context, while no service runs in an embedded place. */
  seed<T>(work: (ctx: Context) => Promise<T>): Promise<T>
  start(env?: Record<string, string>): Promise<ServiceProcess>
  close(): Promise<void>
}

const BENCH_ENV = {
  SECRET_KEY: 'a secret key for benches, long enough',
  RATE_LIMIT_AUTH: 'off',
  RATE_LIMIT_STARTER: 'off',
  RATE_LIMIT_PRO: 'off',
  RATE_LIMIT_AGENCY: 'off',
  RATE_LIMIT_PULL: 'off',
}

/** A quarter of the memory, as PostgreSQL's manual advises for a dedicated server. */
const SHARED_BUFFERS = `${Math.floor(totalmem() / 4 / 1024 ** 2)}MB`

/** A PostgreSQL server for the bench alone, with fsync on. `keep` names a directory that keeps its data for another run. */
export async function postgresPlace(keep?: string): Promise<Place> {
  const settings = { shared_buffers: SHARED_BUFFERS }
  const server = keep === undefined ? await startTestPostgres({ settings }) : await startOwnPostgres({ settings, keep })
  const url = new URL(server.url)
  url.pathname = '/bench'
  const env = { ...BENCH_ENV, DATABASE_URL: url.href }
  return {
    name: 'postgres',
    env,
    async exists() {
      const client = new pg.Client({ connectionString: server.url })
      await client.connect()
      const { rowCount } = await client.query("select from pg_database where datname = 'bench'")
      await client.end()
      return rowCount === 1
    },
    async fresh() {
      const client = new pg.Client({ connectionString: server.url })
      await client.connect()
      await client.query('drop database if exists bench with (force)')
      await client.query('create database bench')
      await client.query('checkpoint')
      await client.end()
    },
    seed: (work) => withContext(env, work),
    start: (more) => startUnread({ ...env, ...more }),
    close: server.stop,
  }
}

/** A directory for the embedded database. */
export async function embeddedPlace(): Promise<Place> {
  const root = await mkdtemp(join(tmpdir(), 'postrider-bench-'))
  const env = { ...BENCH_ENV, DATA_DIR: join(root, 'data') }
  return {
    name: 'embedded',
    env,
    exists: async () => existsSync(env.DATA_DIR),
    fresh: () => rm(env.DATA_DIR, { recursive: true, force: true }),
    seed: (work) => withContext(env, work),
    start: (more) => startUnread({ ...env, ...more }),
    close: () => rm(root, { recursive: true, force: true }),
  }
}

/** A service whose log is read and discarded: keeping it would cost the bench more than writing it costs the service. */
async function startUnread(env: Record<string, string>): Promise<ServiceProcess> {
  const service = await startProcess(env)
  for (const stream of [service.child.stdout, service.child.stderr]) stream?.removeAllListeners('data').resume()
  return service
}

async function withContext<T>(env: Record<string, string>, work: (ctx: Context) => Promise<T>): Promise<T> {
  const config = parseConfig({ ...env, PORT: '0', LOG_LEVEL: 'error' })
  const database = await openDatabase(config, createLog('error'), () => {}, { limits: UNHURRIED }) // a million posts take their time
  const app = await createApp(config, { database })
  try {
    return await work(app.ctx)
  } finally {
    await app.stop(0)
  }
}
