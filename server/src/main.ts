/** The process entry: arguments and environment in, an exit code out. */
import { run } from './commands/run.ts'

const terminal = {
  print: (line: string) => void process.stdout.write(`${line}\n`),
  note: (line: string) => void process.stderr.write(`${line}\n`),
}

const exitCode = await run(process.argv.slice(2), { env: process.env, terminal })
if (exitCode !== undefined) process.exit(exitCode)
