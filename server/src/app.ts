/** The only place that constructs things: configuration in, a running service out. */
import type { Server } from 'node:http'
import { loadDashboard } from './dashboard.ts'
import type { Limits } from './engine/index.ts'
import { createLoops, type Loops } from './loops.ts'
import { mcpMetadataRoutes, mcpRoute } from './mcp/index.ts'
import { pictureRoute } from './media/index.ts'
import { createBlobs } from './platform/blobs/create.ts'
import { Changes } from './platform/changes/changes.ts'
import { LiveStreams } from './platform/changes/streams.ts'
import { type Clock, systemClock } from './platform/clock.ts'
import type { Config } from './platform/config.ts'
import type { Context } from './platform/context.ts'
import { deriveKeys } from './platform/crypto.ts'
import { type OnStep, type OpenDatabase, openDatabase } from './platform/db/open.ts'
import { createEgress, type EgressOptions } from './platform/egress/egress.ts'
import { createListener } from './platform/http/listener.ts'
import { metricsRoutes } from './platform/http/metrics-route.ts'
import { createPipeline } from './platform/http/pipeline.ts'
import { systemRoutes } from './platform/http/system.ts'
import type { WebApp } from './platform/http/web-app.ts'
import { createIds } from './platform/ids.ts'
import { createLog, type Log } from './platform/log.ts'
import { Metrics } from './platform/metrics.ts'
import { scratchDirectory } from './platform/scratch.ts'
import { assertKeyAtHand, assertSameKey, loadSecretKey } from './platform/secret-key.ts'
import { createSignals } from './platform/signals.ts'
import { createTraces } from './platform/traces/create-traces.ts'
import { previewPageRoute } from './posts/index.ts'
import { referenceRoutes } from './reference/reference.ts'
import { endpoints } from './routes.ts'
import { upgrade } from './schema.ts'
import { VERSION } from './version.ts'

/**
 * What tests replace (time, the log, an open database, name resolution, the dashboard's files, limits on concurrent work), and who is
 * told what: `onBroken` that the embedded database has stopped, `onStep` (by default the log) what the start is doing.
 */
export type Overrides = {
  clock?: Clock
  log?: Log
  database?: OpenDatabase
  lookup?: NonNullable<EgressOptions['lookup']>
  onBroken?: (error: Error) => void
  onStep?: OnStep
  dashboardDirectory?: string
  limits?: Partial<Limits>
}

/** A constructed service. */
export type App = {
  ctx: Context
  /** Whether there is a dashboard to serve. */
  hasDashboard: boolean
  /** Answers requests from now on; resolves with the port. */
  listen(): Promise<{ port: number }>
  /** Starts the background loops, if the process's role has them. */
  startLoops(): Promise<void>
  /** Does all background work that is due now, and waits for it. Not while the loops run. */
  drain(): Promise<void>
  /** Graceful shutdown: stops accepting, lets work in flight finish for up to `graceMs`, releases everything. */
  stop(graceMs: number): Promise<void>
}

/** Opens the database, brings its schema up to date and builds the service around it. */
export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  const clock = overrides.clock ?? systemClock
  const log = overrides.log ?? createLog(config.logLevel, config.logFormat)
  const egress = createEgress({
    allow: config.webhookAllow,
    userAgent: `Postrider/${VERSION}`,
    ...(overrides.lookup === undefined ? {} : { lookup: overrides.lookup }),
  })
  const traces = await createTraces(config.traces, { egress, log, version: VERSION })
  const onStep = overrides.onStep ?? log.info
  const database =
    overrides.database ?? (await openDatabase(config, log, overrides.onBroken ?? (() => {}), { ready: true, onStep }))
  const { db, maintain } = database
  if (traces.statement !== undefined) db.observe(traces.statement)
  try {
    await assertKeyAtHand(config, db.root)
    await upgrade(db, onStep)
    const keys = deriveKeys(await loadSecretKey(config, db))
    await assertSameKey(db, keys)
    const signals = createSignals(database.signalsUrl, clock, log)
    const changes = new Changes({ clock, db, log, signals })
    const streams = new LiveStreams({ changes, clock, log })
    const ctx: Context = {
      config,
      clock,
      ids: createIds(clock),
      log,
      metrics: new Metrics(),
      db,
      keys,
      egress,
      signals,
      changes,
      streams,
      traces,
      blobs: createBlobs(config.media.place, egress),
      scratch: scratchDirectory(config.media.place),
    }
    signals.on('signed-out', (accountId) => void streams.recheck(accountId))
    const loops = createLoops(ctx, maintain, overrides.limits)
    await signals.ready
    return assemble(
      ctx,
      loops,
      config.role === 'worker' ? undefined : await loadDashboard(config, overrides.dashboardDirectory),
    )
  } catch (error) {
    await db.close()
    throw error
  }
}

function assemble(ctx: Context, loops: Loops, dashboard: WebApp | undefined): App {
  const { config } = ctx
  const { dispatcher, jobRunner, worker, ...all } = loops
  const running = Object.values(all).filter((loop) => loop !== undefined)
  ctx.metrics.gauges({ postrider_loops_failing: 'Background loops whose last step failed' }, async () => ({
    postrider_loops_failing: running.filter((loop) => loop.status().failing !== undefined).length,
  }))
  let stopping = false
  const system = systemRoutes({
    db: ctx.db,
    config,
    loops: () => (config.role === 'api' ? [] : running.map((loop) => loop.status())),
    stopping: () => stopping,
    hasWebApp: dashboard !== undefined,
  })
  const answersRequests = config.role !== 'worker'
  const open = answersRequests
    ? [
        ...referenceRoutes(config.publicUrl),
        ...mcpMetadataRoutes(config.publicUrl),
        previewPageRoute(ctx),
        pictureRoute(ctx),
      ]
    : []
  const beside = [...system, ...open, ...metricsRoutes(ctx.metrics, config.metricsToken)]
  const pipeline = createPipeline(
    ctx,
    answersRequests ? [...endpoints, mcpRoute(endpoints, VERSION)] : [],
    beside,
    dashboard,
  )
  const server = createListener(ctx, pipeline)

  return {
    ctx,
    hasDashboard: dashboard !== undefined,
    listen: () => listen(server, config),
    async startLoops() {
      if (config.role === 'api') return
      await worker.join()
      for (const loop of running) loop.start()
    },
    async drain() {
      await worker.renew()
      await loops.schedule.drain()
      await jobRunner.drain()
      await dispatcher.drain()
      await loops.incidents.drain()
      await jobRunner.drain()
      await loops.expire.drain()
    },
    async stop(graceMs) {
      stopping = true
      const streamsEnded = ctx.streams.close()
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeIdleConnections()
      // Connections with a request still under way become idle later, and would be kept open.
      server.keepAliveTimeout = 1
      const work = Promise.all([
        ...running.map((loop) => loop.stop()),
        dispatcher.stop(graceMs),
        loops.jobs.stop().then(() => jobRunner.stop(graceMs)),
      ])
      const patience = new AbortController()
      await Promise.all([work, Promise.race([closed, ctx.clock.sleep(graceMs, patience.signal)])])
      patience.abort()
      server.closeAllConnections()
      await worker.leave()
      await streamsEnded
      await ctx.changes.close()
      await ctx.signals.close()
      await ctx.traces.close()
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
