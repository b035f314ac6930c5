/** Commands in the process of the test; process.ts runs them as operators do. */
import { run } from '../../src/commands/run.ts'
import type { Ended } from './process.ts'

/** Runs what the entry runs with these arguments and this environment alone. For `serve`, only where it cannot start. */
export function runCommand(env: Record<string, string>, ...args: string[]): Promise<Ended> {
  return runCommandWith({}, env, ...args)
}

/** What a person types, and what is seen of a command while it goes on. */
type With = { answers?: string[]; onLine?: (line: string) => void; signal?: AbortSignal }

/** The same at a terminal where somebody answers and looks on. */
export async function runCommandWith(
  { answers = [], onLine, signal }: With,
  env: Record<string, string>,
  ...args: string[]
): Promise<Ended> {
  let [output, result] = ['', '']
  const said = [...answers]
  const terminal = {
    print(line: string) {
      output += `${line}\n`
      result += `${line}\n`
      onLine?.(line)
    },
    note(line: string) {
      output += `${line}\n`
      onLine?.(line)
    },
    async ask(question: string) {
      output += question
      return said.shift() ?? ''
    },
  }
  const code = await run(args, { env: { PORT: '0', ...env }, terminal, ...(signal === undefined ? {} : { signal }) })
  if (code === undefined) throw new Error('The service has started, and nothing ends it.')
  return { code, output, result }
}
