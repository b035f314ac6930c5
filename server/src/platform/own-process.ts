import { AsyncLocalStorage } from 'node:async_hooks'
import { type ChildProcess, fork } from 'node:child_process'

/** The process did not answer: it crashed, or was ended because it took too long. */
export class ProcessEnded extends Error {}

/**
 * Runs a module in a process of its own, for work that may crash, take too much memory or never end. The module answers each message
 * with one. The process starts with the first question, without this one's environment, and ends after `idleMs` without one or with
 * this one.
 */
export class OwnProcess<Question extends object, Answer> {
  readonly #module: URL
  readonly #idleMs: number
  /** The process outlives the request that starts it, and is no part of it. */
  readonly #outside = AsyncLocalStorage.snapshot()
  #child: ChildProcess | undefined
  #pending: PromiseWithResolvers<Answer> | undefined
  #idle: NodeJS.Timeout | undefined

  constructor(module: URL, idleMs: number) {
    this.#module = module
    this.#idleMs = idleMs
  }

  /** Asks a question; one at a time. Rejects with ProcessEnded if there is no answer within `deadlineMs`; the next question starts another. */
  async ask(question: Question, deadlineMs: number): Promise<Answer> {
    clearTimeout(this.#idle)
    this.#child ??= this.#outside(() => this.#start())
    const pending = Promise.withResolvers<Answer>()
    this.#pending = pending
    const deadline = setTimeout(() => this.#end(`no answer within ${deadlineMs} ms`), deadlineMs)
    this.#child.send(question)
    try {
      return await pending.promise
    } finally {
      clearTimeout(deadline)
      this.#idle = this.#outside(() => setTimeout(() => this.#end('idle'), this.#idleMs).unref())
    }
  }

  #start(): ChildProcess {
    const { SystemRoot = '' } = process.env // Windows starts nothing without it
    const child = fork(this.#module, {
      execArgv: ['--max-old-space-size=128'],
      // Fewer arenas: glibc keeps in each what was freed there.
      env: { MALLOC_ARENA_MAX: '2', SystemRoot },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    child.on('message', (answer) => this.#pending?.resolve(answer as Answer)) // the module's own type
    const ended = (reason: string) => {
      if (child === this.#child) this.#end(reason)
    }
    child.on('error', (error) => ended(error.message))
    child.on('exit', (code, signal) => ended(`ended with ${signal ?? code}`))
    child.unref()
    child.channel?.unref()
    return child
  }

  #end(reason: string): void {
    this.#child?.kill('SIGKILL')
    this.#child = undefined
    this.#pending?.reject(new ProcessEnded(reason))
  }
}
