import { parseArgs } from 'node:util'
import { type Command, type Invocation, PROGRAM, UsageError } from './command.ts'

/** What the arguments ask for. */
export type Request =
  | { kind: 'overview' }
  | { kind: 'version' }
  | { kind: 'help'; command: Command }
  | { kind: 'run'; command: Command; operands: string[]; options: Invocation['options'] }

/** Reads the arguments. The default command is the first of `commands`. Throws UsageError. */
export function readArguments(args: readonly string[], commands: readonly Command[]): Request {
  const [first] = args
  if (first === undefined && commands[0] !== undefined)
    return { kind: 'run', command: commands[0], operands: [], options: {} }
  if (first === '--version') return { kind: 'version' }
  const asksForHelp = first === 'help' || first === '--help' || first === '-h'
  if (asksForHelp && args.length === 1) return { kind: 'overview' }
  const words = asksForHelp ? args.slice(1) : args
  const command = findCommand(words, commands)
  const rest = words.slice(command.name.split(' ').length)
  if (asksForHelp || rest.includes('--help') || rest.includes('-h')) return { kind: 'help', command }
  return { kind: 'run', command, ...readRest(rest, command) }
}

function findCommand(words: readonly string[], commands: readonly Command[]): Command {
  const [first = '', second = ''] = words
  const found = commands.find(({ name }) => name === first || name === `${first} ${second}`)
  if (found !== undefined) return found
  if (first.startsWith('-')) throw new UsageError(`There is no option ${first}. Try: ${PROGRAM} help`)
  const begun = commands.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name)
  const nearest = begun[0] ?? nearestOf(first, second, commands)
  const suggestion = nearest === undefined ? '' : ` Did you mean: ${PROGRAM} ${nearest}?`
  const given = begun.length > 0 ? [first, second].join(' ').trim() : first
  throw new UsageError(`There is no command "${given}".${suggestion} All commands: ${PROGRAM} help`)
}

function nearestOf(first: string, second: string, commands: readonly Command[]): string | undefined {
  const ranked = commands
    .map(({ name }) => ({ name, steps: Math.min(distance(first, name), distance(`${first} ${second}`, name)) }))
    .toSorted((a, b) => a.steps - b.steps)
  const [best] = ranked
  return best !== undefined && best.steps <= Math.max(2, best.name.length / 3) ? best.name : undefined
}

/** How many letters must be added, removed or changed to turn one word into the other. */
export function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const changed = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

function readRest(rest: string[], command: Command): { operands: string[]; options: Invocation['options'] } {
  const more = `Try: ${PROGRAM} help ${command.name}`
  const { positionals, values } = parse(rest, command, more)
  const missing = command.operands[positionals.length]
  if (missing !== undefined && !missing.startsWith('[')) throw new UsageError(`${missing} is missing. ${more}`)
  const takesAny = command.operands.at(-1)?.endsWith('…') === true
  const extra = positionals[command.operands.length]
  if (extra !== undefined && !takesAny) throw new UsageError(`"${extra}" is one argument too many. ${more}`)
  return { operands: positionals, options: values }
}

function parse(args: string[], command: Command, more: string) {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, { value }]) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const) },
    ]),
  )
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    // parseArgs throws sentences about the arguments; the first one is enough.
    if (error instanceof TypeError) throw new UsageError(`${error.message.split('. ')[0]}. ${more}`)
    throw error
  }
}
