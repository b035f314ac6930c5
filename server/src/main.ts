/** The process entry: arguments and environment in, an exit code out. */
import { createAsk } from './commands/ask.ts'
import { EXIT } from './commands/command.ts'
import { run } from './commands/run.ts'

const terminal = {
  print: (line: string) => void process.stdout.write(`${line}\n`),
  note: (line: string) => void process.stderr.write(`${line}\n`),
  ask: createAsk(),
}

// The reader may be gone, or the disk full. The command goes on all the same, and reports at the end if its results were lost.
let unwritten: Error | undefined
process.stdout.on('error', (error) => {
  unwritten = error
})
process.stderr.on('error', () => {})

const exitCode = await run(process.argv.slice(2), { env: process.env, terminal })
if (exitCode !== undefined) {
  await new Promise((resolve) => process.stdout.write('', resolve))
  if (unwritten !== undefined) terminal.note(`The results could not be written: ${unwritten.message}`)
  process.exit(exitCode === EXIT.ok && unwritten !== undefined ? EXIT.failed : exitCode)
}
