/**
 * A real PostgreSQL for tests: fresh, synced to disk like production, gone afterwards.
 *
 * Everything lies in one temporary directory. A shell waits on a pipe from this process; when the pipe closes, by
 * `stop` or because this process died in whatever way, it kills the server and removes the directory.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../free-port.ts'
import { type Binaries, layOutBinaries, nativeDirectory } from './binaries.ts'
import { giveTo, openTmpdir, type RunAs, unprivilegedUser } from './unprivileged.ts'

/** Set to a superuser's URL to use that server instead of starting one. */
const EXTERNAL_URL = 'POSTRIDER_TEST_DATABASE_URL'

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '128MB',
  fsync: 'on',
  jit: 'off',
}

const READY_TIMEOUT_MS = 30_000
/** Backends of a killed server hold its memory for a moment, during which a new one refuses to start. */
const START_ATTEMPTS = 20
const RETRY_PAUSE_MS = 100

export type TestPostgres = {
  /** Superuser URL of database `postgres`. */
  url: string
  /** Stops the server and removes its files. */
  stop: () => Promise<void>
  /** Kills the postmaster with SIGKILL; throws for an external server. */
  kill: () => Promise<void>
  /** Starts the server again on the same port and data, stopping it before if it runs. Throws for an external one. */
  restart: () => Promise<void>
}

/** `settings` override those that tests use. */
type Options = { native?: string; keep?: string; settings?: Record<string, string> }

type Installation = {
  root: string
  data: string
  port: number
  binaries: Binaries
  runAs: RunAs
  settings: Record<string, string>
}

/** The server named by POSTRIDER_TEST_DATABASE_URL, or a new one on a free loopback port. */
export async function startTestPostgres(options: Options = {}): Promise<TestPostgres> {
  const external = process.env[EXTERNAL_URL]
  return external ? externalServer(external) : startOwnPostgres(options)
}

/**
 * Starts a new server, whatever the environment says; `root` is the directory that holds all of it. `keep` names a directory
 * (every user must be able to enter it) that is used as it is and left behind, with the data.
 */
export async function startOwnPostgres(options: Options = {}): Promise<TestPostgres & { root: string }> {
  const runAs = await unprivilegedUser()
  const root = options.keep === undefined ? await newRoot() : resolve(options.keep)
  await mkdir(root, { recursive: true })
  const watchdog = watch(root, options.keep !== undefined)
  try {
    const installation = await install(root, options, runAs)
    return { root, ...(await supervise(installation, watchdog, options.keep !== undefined)) }
  } catch (error) {
    await endWatch(watchdog)
    throw error
  }
}

async function newRoot(): Promise<string> {
  return mkdtemp(join(await openTmpdir(), 'postrider-postgres-'))
}

async function supervise(
  { password, ...installation }: Installation & { password: string },
  watchdog: ChildProcess,
  kept: boolean,
): Promise<TestPostgres> {
  let server = await start(installation)
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const exited = once(server, 'exit')
    server.ref()
    server.kill(signal)
    await exited
  }
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${installation.port}/postgres`,
    stop: async () => {
      await end(kept ? 'SIGINT' : 'SIGQUIT')
      await endWatch(watchdog)
    },
    kill: () => end('SIGKILL'),
    restart: async () => {
      await end('SIGINT')
      server = await start(installation)
    },
  }
}

function externalServer(url: string): TestPostgres {
  const refuse = async (): Promise<never> => {
    throw new Error(`A server named by ${EXTERNAL_URL} is not killed or restarted by tests; unset it for this one.`)
  }
  return { url, stop: async () => {}, kill: refuse, restart: refuse }
}

async function install(
  root: string,
  { native = nativeDirectory(), settings = {} }: Options,
  runAs: RunAs,
): Promise<Installation & { password: string }> {
  await chmod(root, 0o755)
  const data = join(root, 'data')
  const passwordFile = join(root, 'password')
  await rm(join(root, 'native'), { recursive: true, force: true })
  const binaries = await layOutBinaries(native, join(root, 'native'))
  const known = await readFile(join(data, 'PG_VERSION'), 'utf8').catch(() => undefined)
  if (known !== undefined)
    return {
      root,
      data,
      binaries,
      runAs,
      settings,
      password: await readFile(passwordFile, 'utf8'),
      port: await freePort(),
    }
  const password = randomBytes(16).toString('hex')
  await mkdir(data, { mode: 0o700 })
  await writeFile(passwordFile, password, { mode: 0o600 })
  await giveTo(runAs, [data, passwordFile])
  const initdb = spawn(
    binaries.initdb,
    [
      ...['--pgdata', data, '--username', 'postgres', '--pwfile', passwordFile, '--auth', 'scram-sha-256'],
      // The built-in C.UTF-8 is the same on every system; the password needs no slow hash on a loopback server.
      ...['--encoding', 'UTF8', '--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
      ...['--set', 'scram_iterations=1', '--no-sync', '--no-instructions'],
    ],
    { ...runAs, cwd: data, env: environment(), stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let complaint = ''
  initdb.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text
  })
  const [code] = await once(initdb, 'close')
  if (code !== 0) throw new Error(`initdb failed: ${complaint}`)
  return { root, data, binaries, runAs, settings, password, port: await freePort() }
}

/** Starts the server and resolves when it accepts connections. */
async function start(installation: Installation): Promise<ChildProcess> {
  const { root, data, port, binaries, runAs } = installation
  const logFile = join(root, 'log')
  for (let attempt = 1; ; attempt++) {
    const log = await open(logFile, 'w')
    const settings = Object.entries({ ...SETTINGS, ...installation.settings, port: String(port) }).flatMap(
      ([name, value]) => ['-c', `${name}=${value}`],
    )
    const server = spawn(binaries.postgres, ['-D', data, ...settings], {
      ...{ ...runAs, cwd: data, env: environment(), detached: true },
      stdio: ['ignore', log.fd, log.fd],
    })
    server.unref()
    const ready = await answers(server, data)
    await log.close()
    if (ready) return server
    const reason = await readFile(logFile, 'utf8')
    if (attempt === START_ATTEMPTS || !/shared memory block|is running/.test(reason))
      throw new Error(`PostgreSQL did not start: ${reason}`)
    await sleep(RETRY_PAUSE_MS)
  }
}

/** Waits until the postmaster writes `ready` into line 8 of its pid file; false when it has exited or never does. */
async function answers(server: ChildProcess, data: string): Promise<boolean> {
  const failed = new Promise<void>((resolve) => server.once('error', () => resolve()).once('exit', () => resolve()))
  let alive = true
  void failed.then(() => {
    alive = false
  })
  for (const deadline = performance.now() + READY_TIMEOUT_MS; alive && performance.now() < deadline; await sleep(10)) {
    const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
    if (lines[0] === String(server.pid) && lines[7]?.trim() === 'ready') return true
  }
  server.kill('SIGKILL')
  return false
}

/** Acts when the pipe on its standard input closes. */
const WATCHDOG = `
cat >/dev/null
if read -r pid <"$1/data/postmaster.pid"; then
  kill -QUIT "$pid"
  for i in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$pid" || break; sleep 0.1; done
  kill -KILL "$pid"
fi
[ "$2" = keep ] || rm -rf "$1"
`

/** Runs in a session of its own, so that a terminal's Ctrl-C reaches the tests and not this. */
function watch(root: string, keep: boolean): ChildProcess {
  const watchdog = spawn('/bin/sh', ['-c', WATCHDOG, 'watchdog', root, keep ? 'keep' : 'remove'], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  watchdog.unref()
  return watchdog
}

async function endWatch(watchdog: ChildProcess): Promise<void> {
  const exited = once(watchdog, 'exit')
  watchdog.ref()
  watchdog.stdin?.end()
  await exited
}

/** The caller's PG* settings and locale must not reach the server. */
function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' }
}
