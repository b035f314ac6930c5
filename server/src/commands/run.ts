/** From arguments to an exit code. It imports little, so that help is fast; each command loads its own code. */
import { readArguments } from './arguments.ts'
import { EXIT, type Terminal, UsageError } from './command.ts'
import { describe, overview } from './help.ts'
import { commands } from './index.ts'

/** What the process passes to commands. */
export type Surroundings = {
  env: Readonly<Record<string, string | undefined>>
  terminal: Terminal
  signal?: AbortSignal
}

/** Runs what the arguments ask for. Resolves with the exit code, or with undefined when the process goes on (`serve`). */
export async function run(
  args: readonly string[],
  { env, terminal, signal }: Surroundings,
): Promise<number | undefined> {
  let name = ''
  try {
    const request = readArguments(args, commands)
    if (request.kind === 'overview') terminal.print(overview(commands))
    if (request.kind === 'version') terminal.print((await import('../version.ts')).VERSION)
    if (request.kind === 'help') terminal.print(describe(request.command))
    if (request.kind !== 'run') return EXIT.ok
    name = request.command.name
    const [command, { readSecretFiles }] = await Promise.all([
      request.command.load(),
      import('../platform/secret-files.ts'),
    ])
    const { operands, options } = request
    return await command.run({ operands, options, env: readSecretFiles(env), terminal, signal })
  } catch (error) {
    if (error instanceof UsageError) {
      terminal.note(error.message)
      return error.exitCode
    }
    const { explainProblem } = await import('./problems.ts')
    const problem = explainProblem(error)
    if (problem === undefined) throw error
    terminal.note(name === 'serve' ? `Postrider cannot start. ${problem.message}` : problem.message)
    return problem.exitCode
  }
}
