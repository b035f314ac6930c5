/** The only place that constructs things: configuration in, a running service out. */
import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { abandonLeases, joinWorkers } from './deliveries/index.ts'
import { createLoops, type Loops } from './loops.ts'
import { migrations } from './migrations/index.ts'
import { createApiDocument } from './openapi.ts'
import { type Clock, systemClock } from './platform/clock.ts'
import type { Config } from './platform/config.ts'
import type { Context } from './platform/context.ts'
import { deriveKeys } from './platform/crypto.ts'
import { migrate } from './platform/db/migrate.ts'
import { type OpenDatabase, openDatabase } from './platform/db/open.ts'
import { createEgress, type EgressOptions } from './platform/egress/egress.ts'
import { createPipeline } from './platform/http/pipeline.ts'
import { systemRoutes } from './platform/http/system.ts'
import { createIds } from './platform/ids.ts'
import { createLog, type Log } from './platform/log.ts'
import { assertSameKey, loadSecretKey } from './platform/secret-key.ts'
import { createSignals } from './platform/signals.ts'
import { endpoints } from './routes.ts'
import { VERSION } from './version.ts'

/** What tests replace (time, the log, an open database, name resolution), and who hears when the database is broken. */
export type Overrides = {
  clock?: Clock
  log?: Log
  database?: OpenDatabase
  lookup?: NonNullable<EgressOptions['lookup']>
  onBroken?: (error: Error) => void
}

/** A constructed service. */
export type App = {
  ctx: Context
  /** Answers requests from now on; resolves with the port. */
  listen(): Promise<{ port: number }>
  /** Starts the background loops, as far as the process's role asks for them. */
  startLoops(): Promise<void>
  /** Does all background work that is due now, and waits for it. Not while the loops run. */
  drain(): Promise<void>
  /** Stops accepting, lets work in flight finish for `graceMs`, gives everything back. */
  stop(graceMs: number): Promise<void>
}

/** Opens the database, brings its schema up to date and builds the service around it. */
export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  const clock = overrides.clock ?? systemClock
  const log = overrides.log ?? createLog(config.logLevel)
  const database = overrides.database ?? (await openDatabase(config, log, overrides.onBroken ?? (() => {})))
  const { db, maintain } = database
  try {
    const applied = await migrate(db, migrations)
    if (applied.length > 0) log.info('db.migrated', { applied })
    const keys = deriveKeys(await loadSecretKey(config, db))
    await assertSameKey(db, keys)
    const signals = createSignals(database.signalsUrl, clock, log)
    const egress = createEgress({
      allow: config.webhookAllow,
      userAgent: `Postrider/${VERSION}`,
      ...(overrides.lookup === undefined ? {} : { lookup: overrides.lookup }),
    })
    const ctx: Context = {
      config,
      clock,
      ids: createIds(clock),
      log,
      db,
      keys,
      egress,
      signals,
    }
    const loops = createLoops(ctx, maintain)
    return assemble(ctx, loops)
  } catch (error) {
    await db.close()
    throw error
  }
}

function assemble(ctx: Context, loops: Loops): App {
  const { config } = ctx
  const running = [loops.deliver, loops['publish-due'], loops['detect-platforms'], loops.expire, loops.maintain].filter(
    (loop) => loop !== undefined,
  )
  let stopping = false
  const system = systemRoutes({
    db: ctx.db,
    document: () => createApiDocument(config.publicUrl),
    loops: () => (config.role === 'api' ? [] : running.map((loop) => loop.status())),
    stopping: () => stopping,
  })
  const pipeline = createPipeline(ctx, config.role === 'worker' ? [] : endpoints, system)
  const server = createAdaptorServer({ fetch: pipeline.fetch }) as Server // plain HTTP: no other kind was asked for
  let leaveWorkers = async () => {}

  return {
    ctx,
    listen: () => listen(server, config),
    async startLoops() {
      if (config.role === 'api') return
      const membership = await joinWorkers(ctx, (db) => abandonLeases(db, ctx.clock.now()))
      leaveWorkers = membership.leave
      for (const loop of running) loop.start()
    },
    async drain() {
      await loops['publish-due'].drain()
      await loops.dispatcher.drain()
      await loops.detector.drain()
    },
    async stop(graceMs) {
      stopping = true
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeIdleConnections()
      const work = Promise.all([
        ...running.map((loop) => loop.stop()),
        loops.dispatcher.stop(graceMs),
        loops['detect-platforms'].stop().then(() => loops.detector.stop()),
      ])
      const patience = new AbortController()
      await Promise.all([work, Promise.race([closed, ctx.clock.sleep(graceMs, patience.signal)])])
      patience.abort()
      server.closeAllConnections()
      await leaveWorkers()
      await ctx.signals.close()
      await ctx.egress.close()
      await ctx.db.close()
    },
  }
}

function listen(server: Server, config: Config): Promise<{ port: number }> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(config.port, config.host, () => {
      server.off('error', reject)
      const address = server.address()
      resolve({ port: typeof address === 'object' && address !== null ? address.port : config.port })
    })
  })
}
