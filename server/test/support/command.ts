/** Commands in the process of the test; process.ts runs them as operators do. */
import { run } from '../../src/commands/run.ts'
import type { Ended } from './process.ts'

/** Runs what the entry runs with these arguments and this environment alone. For `serve`, only where it cannot start. */
export async function runCommand(env: Record<string, string>, ...args: string[]): Promise<Ended> {
  let [output, result] = ['', '']
  const terminal = {
    print(line: string) {
      output += `${line}\n`
      result += `${line}\n`
    },
    note(line: string) {
      output += `${line}\n`
    },
  }
  const code = await run(args, { env: { PORT: '0', ...env }, terminal })
  if (code === undefined) throw new Error('The service has started, and nothing ends it.')
  return { code, output, result }
}
