/** The process entry: environment in, a running service, until a signal ends it. */
import { createApp } from './app.ts'
import { type Config, ConfigError, parseConfig } from './platform/config.ts'
import { EmbeddedError } from './platform/db/embedded/errors.ts'

/** Exit codes of sysexits.h: wrong configuration, and something the operator must mend first. */
const EX_CONFIG = 78
const EX_UNAVAILABLE = 69

/** Attempts in flight end by themselves within this time, with the default timeout; then they are aborted. */
const GRACE_MS = 16_000
const FORCED_EXIT_MS = 19_000

function refuse(message: string, exitCode: number): never {
  process.stderr.write(`${message}\n`)
  process.exit(exitCode)
}

function readConfig(): Config {
  try {
    return parseConfig(process.env)
  } catch (error) {
    if (error instanceof ConfigError) refuse(`Postrider does not start. ${error.message}`, EX_CONFIG)
    throw error
  }
}

/** `performance.now()` counts from the start of the process, loading of modules included. */
function greeting(config: Config, port: number): string {
  const address = config.publicUrl.replace(/:0$/, `:${port}`)
  const database = config.databaseUrl === undefined ? `embedded, in ${config.dataDir}` : 'PostgreSQL'
  return [
    '',
    `  Postrider is ready (${Math.round(performance.now())} ms).`,
    '',
    `  API        ${address}/api`,
    `  Described  ${address}/openapi.json`,
    `  Database   ${database}`,
    '',
    '  Stop with Ctrl-C. To see the whole story once: npm run demo',
    '',
    '',
  ].join('\n')
}

async function main(): Promise<void> {
  const config = readConfig()
  const app = await createApp(config, {
    onBroken: (error) => refuse(`Postrider stops. ${error.message}`, EX_UNAVAILABLE),
  })
  await app.startLoops()
  const { port } = await app.listen()
  if (process.stdout.isTTY || !config.production) process.stdout.write(greeting(config, port))
  else app.ctx.log.info('service.ready', { port, role: config.role })

  let stopping = false
  const stop = (signal: string) => {
    // A second signal, or a shutdown that hangs, ends the process at once; everything that matters is in the database.
    if (stopping) process.exit(1)
    stopping = true
    app.ctx.log.info('service.stopping', { signal })
    setTimeout(() => process.exit(1), FORCED_EXIT_MS).unref()
    void app.stop(GRACE_MS).then(() => process.exit(0))
  }
  process.on('SIGTERM', () => stop('SIGTERM'))
  process.on('SIGINT', () => stop('SIGINT'))
}

try {
  await main()
} catch (error) {
  if (error instanceof ConfigError) refuse(`Postrider does not start. ${error.message}`, EX_CONFIG)
  if (error instanceof EmbeddedError) refuse(`Postrider does not start. ${error.message}`, EX_UNAVAILABLE)
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    refuse(
      `Postrider does not start. The port is in use already: stop the other program, or set PORT to a free one.`,
      EX_UNAVAILABLE,
    )
  }
  throw error
}
