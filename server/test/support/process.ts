import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import packageJson from '../../../package.json' with { type: 'json' }

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** What `npm start` runs (Node's flags, the start script, the service), so that tests start the process that operators run. */
const [, , ...START] = packageJson.scripts.start.split(' ')

/** How a process is started: by which command, in which group, and what its standard output is. */
type Manner = { command?: string[]; ownGroup?: boolean; stdout?: 'pipe' | number }

/** By `npm start` itself, without building the dashboard; in a process group of its own, as in a terminal. */
export const BY_NPM: Manner = { command: ['npm', 'start', '--ignore-scripts'], ownGroup: true }

/** The service as a process of its own. */
export type ServiceProcess = {
  url: string
  child: ChildProcess
  /** Everything it wrote so far. */
  output(): string
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>
  /** Sends a signal; resolves with the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** How a process ended, and what it wrote: all of it, and what went to standard output. */
export type Ended = { code: number | null; output: string; result: string }

/** Starts the service with this environment alone; resolves once it says that it is ready, rejects if it ends before. */
export async function startProcess(env: Record<string, string>, manner: Manner = {}): Promise<ServiceProcess> {
  const { child, output } = launch(env, [], manner)
  const port = await new Promise<string>((resolve, reject) => {
    const look = () => {
      const [, found] = /http:\/\/localhost:(\d+)\/(?:api|readyz)/.exec(output()) ?? []
      if (found === undefined) return
      child.stdout?.off('data', look)
      resolve(found)
    }
    child.stdout?.on('data', look)
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}:\n${output()}`)))
  })
  return {
    url: `http://127.0.0.1:${port}`,
    child,
    output,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
    async end(signal) {
      child.kill(signal)
      const [code] = await once(child, 'exit')
      return code
    },
  }
}

/** Runs `main.ts` with these arguments until it ends by itself. */
export async function runToEnd(env: Record<string, string>, ...args: string[]): Promise<Ended> {
  const { child, output, result } = launch(env, args)
  const [code] = await once(child, 'close')
  return { code, output: output(), result: result() }
}

/** Starts the service with these arguments and does not wait. */
export function launch(
  env: Record<string, string>,
  args: string[] = [],
  { command = [process.execPath, ...START], ownGroup = false, stdout = 'pipe' }: Manner = {},
): { child: ChildProcess; output: () => string; result: () => string } {
  const [program = '', ...rest] = command
  const child = spawn(program, [...rest, ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, PORT: '0', ...env },
    detached: ownGroup,
    stdio: ['ignore', stdout, 'pipe'],
  })
  let text = ''
  let result = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8')
    stream?.on('data', (chunk: string) => {
      text += chunk
      if (stream === child.stdout) result += chunk
    })
  }
  return { child, output: () => text, result: () => result }
}
