// Starts a program of the package on a Node that is new enough, and fetches one from npm where there is none.
// Plain JavaScript for old versions of Node: they start this file.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const UNAVAILABLE = 69

/** What the build wrote down: the oldest major version that works, the one to fetch, and Node's options for the service. */
const { oldest, version, options } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).node

/** Runs a program of `server/dist` with this process's arguments. Its exit code becomes this one's. */
export function start(program) {
  const node = Number(process.versions.node.split('.')[0]) >= oldest ? process.execPath : fetchedNode()
  const file = fileURLToPath(new URL(`../server/dist/${program}`, import.meta.url))
  const args = [...options, file, ...process.argv.slice(2)]
  // The program takes this process over, with its number, so that signals reach it. Old versions of Node cannot do that.
  if (process.execve !== undefined && process.platform !== 'win32') process.execve(node, [node, ...args], process.env)
  const child = spawn(node, args, { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

/** The program of the Node that an earlier start has fetched, or that this one fetches. Ends the process if there is none to be had. */
function fetchedNode() {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'postrider')
  const home = join(cache, `node-${version}`)
  const { name, executable } = nodePackage()
  const node = join(home, 'node_modules', name, 'bin', executable)
  if (existsSync(node)) return node
  console.error(
    `Postrider needs Node ${oldest} or newer; this is ${process.version}. ` +
      `It fetches Node ${version} from npm, once, and keeps it in ${home} (200 MB).`,
  )
  const startedAt = Date.now()
  try {
    mkdirSync(cache, { recursive: true })
    // Complete or not there: a fetch that breaks off leaves nothing that a later start would take.
    const draft = mkdtempSync(join(cache, 'fetching-'))
    try {
      install(`${name}@${version}`, draft)
      renameSync(draft, home)
    } finally {
      rmSync(draft, { recursive: true, force: true })
    }
  } catch (error) {
    if (!existsSync(node)) giveUp(error) // otherwise another start was faster
  }
  console.error(`Node ${version} is there after ${Math.round((Date.now() - startedAt) / 1000)} s.`)
  return node
}

/** The package on npm that holds Node for this machine, and the name of the program in it. */
function nodePackage() {
  const { platform, arch } = process
  if (platform === 'win32') return { name: `node-win-${arch}`, executable: 'node.exe' }
  const prefix = platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node'
  return { name: `${prefix}-${platform}-${arch}`, executable: 'node' }
}

function install(spec, directory) {
  // Under npx, npm says which one it is. Otherwise it stands beside this Node, as Node is installed everywhere.
  const beside = join(dirname(process.execPath), 'npm')
  const npm = process.env.npm_execpath
    ? [process.execPath, process.env.npm_execpath]
    : [existsSync(beside) ? beside : 'npm']
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']
  const args = ['install', spec, '--prefix', directory, '--global=false', '--no-save', '--ignore-scripts', ...quiet]
  // Standard output is the program's; what npm has to say in the end is of no interest unless it fails.
  const { status, error } = spawnSync(npm[0], [...npm.slice(1), ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    cwd: directory,
  })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`npm ended with ${status}.`)
}

function giveUp(error) {
  console.error(
    `Node ${version} could not be fetched: ${error.message}\n` +
      `Install Node ${oldest} or newer yourself, from https://nodejs.org or with "npm install --global node@${oldest}", and start again.`,
  )
  process.exit(UNAVAILABLE)
}
