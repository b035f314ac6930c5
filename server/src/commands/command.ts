/** What all commands share: their description, call, output and exit codes. */
import { IS_PACKAGE } from '../platform/installation.ts'

/** What an operator types before a command, in every message that names one. */
export const PROGRAM = IS_PACKAGE ? 'postrider' : 'npm run postrider --'

/** Exit codes, from sysexits.h where it defines one. */
export const EXIT = { ok: 0, failed: 1, usage: 64, unavailable: 69, config: 78 } as const

/** Where a command writes. */
export type Terminal = {
  /** A line of the result, on standard output. */
  print(line: string): void
  /** A line about progress or a problem, on standard error. */
  note(line: string): void
  /** Asks a question, on standard error, and resolves with the answer; what is hidden is not shown while it is typed. */
  ask(question: string, options?: { hidden?: boolean }): Promise<string>
}

/** A call of a command, with as many operands as it takes and only options that it has. */
export type Invocation = {
  operands: readonly string[]
  options: Readonly<Record<string, string | boolean | undefined>>
  env: Readonly<Record<string, string | undefined>>
  terminal: Terminal
  /** Ends a command that goes on. An operator's process is ended by a signal instead. */
  signal?: AbortSignal | undefined
}

/** Runs a command. Resolves with the exit code, or with undefined when the process goes on by itself. */
export type Run = (invocation: Invocation) => Promise<number | undefined>

/** An option. With `value` it takes the next argument, which help shows under that name. */
export type Option = { meaning: string; value?: string }

/** A command as help describes it. Its code is loaded when it runs. */
export type Command = {
  /** One or two words. */
  name: string
  /** `[DIR]` may be left out; of `FILE…` there may be several. */
  operands: readonly string[]
  summary: string
  details: string
  options: Readonly<Record<string, Option>>
  load: () => Promise<{ run: Run }>
}

/** A command that cannot do what was asked. The message says why and what to do; no stack is shown. */
export class CommandError extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message)
    this.name = 'CommandError'
    this.exitCode = exitCode
  }
}

/** The error for an e-mail address that no account has. */
export function noAccount(email: string): CommandError {
  return new CommandError(`No account has the e-mail address ${email}. To see all accounts: ${PROGRAM} account list`)
}

/** A call with wrong arguments. */
export class UsageError extends CommandError {
  constructor(message: string) {
    super(message, EXIT.usage)
    this.name = 'UsageError'
  }
}
