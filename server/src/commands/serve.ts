/** The service: from its configuration until a signal ends it. */
import type { App } from '../app.ts'
import { type Config, parseConfig } from '../platform/config.ts'
import { IS_PACKAGE } from '../platform/installation.ts'
import { formatInUse } from '../platform/log.ts'
import { showSteps } from '../platform/steps.ts'
import { EXIT, type Run } from './command.ts'
import { followStart } from './start-steps.ts'

/** With the default timeout, attempts in flight end by themselves within this time; after it the service aborts them. */
const GRACE_MS = 16_000
const FORCED_EXIT_MS = 19_000
/** A signal repeated within this time is the same one: Ctrl-C reaches us from the terminal, and once more from npm. */
const SAME_SIGNAL_MS = 1_000

/** Starts the service. It goes on until SIGTERM or SIGINT, and then ends the process. */
export const run: Run = async ({ env, terminal }) => {
  const config = parseConfig(env)
  const isText = formatInUse(config.logFormat) === 'text'
  const steps = showSteps(process.stdout)
  const following = followStart(steps)
  if (isText) steps.begin('Starting Postrider')
  try {
    // Loading the service takes a second or more: only after somebody was told.
    const { createApp } = await import('../app.ts')
    const app = await createApp(config, {
      ...(isText ? { onStep: following.onStep } : {}),
      onBroken: (error) => {
        terminal.note(`Postrider is stopping. ${error.message}`)
        process.exit(EXIT.unavailable)
      },
    })
    const started = start(app)
    // While it starts, requests are answered already: a signal must not break them off.
    stopOnSignals(app, started)
    const port = await started
    steps.clear()
    if (isText || !config.production) terminal.print(greeting(config, port, app.hasDashboard, following.isFirst()))
    else app.ctx.log.info('service.ready', { port, role: config.role })
    return undefined
  } finally {
    steps.clear()
  }
}

/** Resolves with the port. Listens first: if the port is taken, nothing has been leased or sent. */
async function start(app: App): Promise<number> {
  const { port } = await app.listen()
  await app.startLoops()
  return port
}

/** Stops the service on SIGTERM or SIGINT, once it has started, and then ends the process. */
function stopOnSignals(app: App, started: Promise<unknown>): void {
  let stoppingSince: number | undefined
  const stop = (signal: string) => {
    if (stoppingSince !== undefined) {
      // A second signal, or a shutdown that hangs, ends the process at once: everything that matters is in the database.
      if (performance.now() - stoppingSince > SAME_SIGNAL_MS) process.exit(EXIT.failed)
      return
    }
    stoppingSince = performance.now()
    app.ctx.log.info('service.stopping', { signal })
    setTimeout(() => process.exit(EXIT.failed), FORCED_EXIT_MS).unref()
    void started.then(
      () => app.stop(GRACE_MS).then(() => process.exit(EXIT.ok)),
      () => {}, // the process ends with what went wrong
    )
  }
  process.on('SIGTERM', () => stop('SIGTERM'))
  process.on('SIGINT', () => stop('SIGINT'))
}

/**
 * What a start ends with: where to find what, and on the first start what to do next. `performance.now()` counts from the start of the
 * process, so it includes loading modules.
 */
function greeting(config: Config, port: number, hasDashboard: boolean, isFirst: boolean): string {
  const address = config.publicUrl.replace(/:0$/, `:${port}`)
  const database = config.databaseUrl === undefined ? `embedded, in ${config.dataDir}` : 'PostgreSQL'
  const answers = [
    `  Dashboard  ${hasDashboard ? address : 'not built; run: npm run build'}`,
    `  API        ${address}/api`,
    `  Reference  ${address}/docs`,
  ]
  // A worker has its own address; PUBLIC_URL belongs to the processes that answer people.
  const works = [`  Worker     http://localhost:${port}/readyz shows its state`]
  const isWorker = config.role === 'worker'
  return [
    '',
    `  Postrider is ready after ${(performance.now() / 1_000).toFixed(1)} s.`,
    '',
    ...(isWorker ? works : answers),
    `  Database   ${database}`,
    '',
    ...(isFirst && hasDashboard && !isWorker ? FIRST_STEPS : []),
    '  Stop with Ctrl-C.',
    '',
  ].join('\n')
}

const FIRST_STEPS = [
  '  Next: open the dashboard, create an account and connect a site.',
  ...(IS_PACKAGE ? [] : ['  To see everything at work first, on throwaway data: npm run demo']),
  '',
]
