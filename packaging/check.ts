/**
 * `npm run package:check` uses the package as somebody does who has nothing else: `npx` in an empty directory, with the machine's own
 * Node, as a user without rights, and a post that reaches the sample site. Prints what it measured.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import manifest from '../package.json' with { type: 'json' }
import { assertServes, assertTakesPictures, connectSite, freePort, publish, until, untilDelivered } from './story.ts'

const ROOT = join(import.meta.dirname, '..')
const TARBALL = `postrider-${manifest.version}.tgz`

/** What an installation may take, Node aside. */
const MOST_PACKAGES = 200
const MOST_BYTES = 150e6

/** Debian's nobody. Only root can be somebody else. */
const NOBODY = 65534
const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

const startedAt = performance.now()
const say = (what: string) =>
  console.log(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(6)} s  ${what}`)

const place = await mkdtemp(join(tmpdir(), 'postrider-package-'))
const home = join(place, 'home')
const directory = join(place, 'empty')
const running: ChildProcess[] = []

/** The user's environment. npm puts this repository's programs first in PATH, Node 26 among them; a user has none of them. */
const PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((one) => !one.includes('node_modules'))
  .join(delimiter)

/** Runs a command line in the directory, in a process group of its own, as in a terminal. */
function launch(command: string, args: string[], env: Record<string, string> = {}) {
  const child = spawn(command, args, {
    cwd: directory,
    env: { PATH, HOME: home, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  })
  running.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  return { child, output: () => output }
}

/** Runs a command to its end. Resolves with its output; rejects unless it ended well. */
async function result(command: string, args: string[]): Promise<string> {
  const { child, output } = launch(command, args)
  const [[code], printed] = await Promise.all([once(child, 'close'), text(child.stdout)])
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}:\n${output()}`)
  return printed
}

/** Ctrl-C in a terminal: the whole group gets the signal. Resolves when all of it is gone. */
async function interrupt({ pid }: ChildProcess): Promise<void> {
  if (pid === undefined) return
  const send = (signal: NodeJS.Signals | 0) => {
    try {
      return process.kill(-pid, signal)
    } catch {
      return false // nobody is left
    }
  }
  send('SIGINT')
  await until('everything has stopped', () => !send(0))
}

async function start(): Promise<{ url: string; child: ChildProcess }> {
  const { child, output } = launch('npx', ['--yes', `./${TARBALL}`], { PORT: '0' })
  const port = () => /http:\/\/localhost:(\d+)\/api/.exec(output())?.[1]
  await until('the service is ready', () => {
    if (child.exitCode !== null) throw new Error(`The service ended with ${child.exitCode}:\n${output()}`)
    return port() !== undefined
  })
  return { url: `http://localhost:${port()}`, child }
}

/** The directory of what `npx` has installed. */
async function installation(): Promise<string> {
  const [hash = ''] = await readdir(join(home, '.npm/_npx'))
  return join(home, '.npm/_npx', hash, 'node_modules')
}

async function assertSmall(modules: string): Promise<string> {
  const lock = JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8')) as { packages: object }
  const packages = Object.keys(lock.packages).length
  const files = await readdir(modules, { recursive: true, withFileTypes: true })
  const sizes = await Promise.all(
    files.filter((one) => one.isFile()).map(async (one) => (await stat(join(one.parentPath, one.name))).size),
  )
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  const found = `${packages} packages, ${(bytes / 1e6).toFixed(0)} MB`
  if (packages > MOST_PACKAGES || bytes > MOST_BYTES) throw new Error(`The installation is too large: ${found}`)
  return found
}

try {
  for (const path of [home, directory]) await mkdir(path)
  await copyFile(join(ROOT, TARBALL), join(directory, TARBALL))
  if (user.uid !== undefined) for (const path of [place, home, directory]) await chown(path, user.uid, user.gid)
  say(`npx ./${TARBALL}, in an empty directory`)
  const service = await start()
  const modules = await installation()
  say(`ready; installed: ${await assertSmall(modules)}`)
  await assertServes(service.url, {
    '/': /<div id="root"/,
    '/licenses.txt': /react-dom/,
    '/docs': /scalar/,
    '/readyz': /"ready"|"status"/,
  })
  const program = (name: string) => join(modules, '.bin', name)
  const sitePort = await freePort()
  const { client, secret } = await connectSite(service.url, sitePort)
  // As the dashboard says it.
  const card = (await (await fetch(service.url)).json()) as { sample_site: string }
  const site = launch(card.sample_site, [], { POSTRIDER_SECRET: secret, PORT: String(sitePort) })
  await until('the sample site listens', () => site.output().includes('runs at'))
  await untilDelivered(client, sitePort, await publish(client, 'Hello'), 'Hello')
  await assertTakesPictures(service.url, client)
  say('a post was published and the sample site shows it; a picture was uploaded')
  await interrupt(service.child)
  for (const [args, expected] of [
    [['help'], 'Usage: postrider [COMMAND]'],
    [['doctor'], 'Everything checked is in order.'],
    [['backup', 'all.backup'], ''],
  ] as const) {
    const printed = await result(program('postrider'), [...args])
    if (!printed.includes(expected)) throw new Error(`postrider ${args.join(' ')} printed:\n${printed}`)
  }
  if ((await stat(join(directory, 'all.backup'))).size === 0) throw new Error('The backup is empty.')
  say('stopped; help, doctor and backup work')
} finally {
  for (const child of running) await interrupt(child)
  await rm(place, { recursive: true, force: true })
}
