/** What the tests with real frameworks share: the service as it is installed, a place for the site, and processes that end with the test. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type CreateSite,
  connectionCode,
  createClient,
  type PostriderClient,
  type SiteWithSecrets,
} from '@postrider/sdk'
import { freePort } from '../../packaging/story.ts'

export { freePort } from '../../packaging/story.ts'

export const ROOT = join(import.meta.dirname, '../..')
const PATIENCE_MS = 120_000
const ASK_EVERY_MS = 250

/** A running service, and a directory for the site. */
export type Stage = {
  client: PostriderClient
  service: string
  directory: string
  /** Connects a site at this address. */
  connect(
    url: string,
    webhookPath: string,
    more?: Pick<CreateSite, 'kind' | 'debounce_seconds'>,
  ): Promise<{ site: SiteWithSecrets; connection: string }>
  /** Runs a command to its end and resolves with its output; throws with it if the command fails. */
  run(command: string, args: string[], options?: RunOptions): Promise<string>
  /** Starts a command that goes on, until `end` or the end of the test. */
  start(command: string, args: string[], options?: RunOptions): Running
  stopService(): Promise<void>
  /** With the default limits of the Pull API, unless its settings say otherwise. */
  startService(settings?: Record<string, string>): Promise<void>
  /** Notes what was seen; `figure` is a measured value. */
  seen(what: string, figure?: string): void
  notes: Array<{ what: string; figure: string }>
  close(): Promise<void>
}

export type RunOptions = { cwd?: string; env?: Record<string, string> }
/** A running command; `memory` is that of its whole process group, in MB. */
export type Running = { output(): string; memory(): Promise<number>; end(signal?: NodeJS.Signals): Promise<void> }

/** Starts the service of this checkout with an empty database. */
export async function openStage(): Promise<Stage> {
  const place = await mkdtemp(join(tmpdir(), 'postrider-real-'))
  const directory = join(place, 'site')
  const port = await freePort()
  const service = `http://127.0.0.1:${port}`
  const running = new Set<Running>()
  const notes: Stage['notes'] = []
  const startedAt = performance.now()
  let process_: Running | undefined

  function start(command: string, args: string[], { cwd = directory, env = {} }: RunOptions = {}): Running {
    const child = spawn(command, args, {
      cwd,
      env: { ...ENVIRONMENT, ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (output = (output + chunk).slice(-100_000)))
    const closed = once(child, 'close')
    const one: Running = {
      output: () => output,
      async memory() {
        const kilobytes = await run('ps', ['-o', 'rss=', '-g', String(child.pid)], { cwd: ROOT })
        return Math.round(kilobytes.split('\n').reduce((sum, line) => sum + Number(line), 0) / 1_000)
      },
      async end(signal = 'SIGTERM') {
        running.delete(one)
        stopGroup(child, signal)
        await closed
      },
    }
    running.add(one)
    return one
  }

  async function run(command: string, args: string[], { cwd = directory, env = {} }: RunOptions = {}): Promise<string> {
    const child = spawn(command, args, { cwd, env: { ...ENVIRONMENT, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    const [code] = await once(child, 'close')
    if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${output.slice(-6_000)}`)
    return output
  }

  async function startService(settings: Record<string, string> = {}): Promise<void> {
    const limits = { RATE_LIMIT_STARTER: 'off', RATE_LIMIT_AUTH: 'off' }
    const env = { PORT: String(port), DATA_DIR: join(place, 'data'), ...limits, ...settings }
    process_ = start(process.execPath, ['--max-old-space-size=512', 'scripts/run.js', 'server/src/main.ts'], {
      cwd: ROOT,
      env,
    })
    await until('the service is ready', async () => (await fetch(`${service}/readyz`)).ok, process_)
  }

  await startService()
  const client = createClient({ baseUrl: service })
  await client.auth.register({ name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' })
  return {
    client,
    service,
    directory,
    notes,
    run,
    start,
    startService,
    stopService: async () => process_?.end(),
    async connect(url, webhookPath, more = {}) {
      const site = await client.sites.create({
        name: `Site at ${url}`,
        url,
        webhook_url: new URL(webhookPath, url).href,
        ...more,
      })
      const { id, api_key: key, webhook_secret: secret } = site
      return { site, connection: connectionCode({ url: service, site: id, key, secret }) }
    },
    seen(what, figure = '') {
      notes.push({ what, figure })
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
      console.log(`${seconds.padStart(6)} s  ${what}${figure === '' ? '' : `: ${figure}`}`)
    },
    async close() {
      await Promise.all([...running].map((one) => one.end('SIGKILL')))
      await rm(place, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 })
    },
  }
}

/** Asks until the answer is yes; an error counts as no. Throws with the last one and what the process said after two minutes, or as long as is said. */
export async function until(
  what: string,
  ask: () => Promise<boolean> | boolean,
  process?: Pick<Running, 'output'>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const deadline = Date.now() + patienceMs
  for (let reason: unknown; ; await pause(ASK_EVERY_MS)) {
    try {
      if (await ask()) return
    } catch (error) {
      reason = error
    }
    if (Date.now() > deadline)
      throw new Error(`It is still not so: ${what}. ${process?.output().slice(-4_000) ?? ''}`, { cause: reason })
  }
}

/** How npm reaches its registry; the rest of what npm sets is about this repository. */
const OF_THE_NETWORK =
  /^(npm_config_(registry|cafile|proxy|https_proxy)|https?_proxy|no_proxy|node_extra_ca_certs|ssl_cert_\w+)$/i

/** A site's commands see nothing of the service's settings, and no programs of this repository. */
const ENVIRONMENT: Record<string, string> = {
  ...(Object.fromEntries(Object.entries(process.env).filter(([name]) => OF_THE_NETWORK.test(name))) as Record<
    string,
    string
  >),
  PATH: [
    dirname(process.execPath),
    ...(process.env.PATH ?? '').split(delimiter).filter((one) => !one.includes('node_modules')),
  ].join(delimiter),
  HOME: process.env.HOME ?? '',
  LANG: 'C.UTF-8',
  CI: '1',
  NEXT_TELEMETRY_DISABLED: '1',
  ASTRO_TELEMETRY_DISABLED: '1',
  GATSBY_TELEMETRY_DISABLED: '1',
}

function stopGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // It has ended already.
  }
}
