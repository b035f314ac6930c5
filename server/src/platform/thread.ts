import { AsyncLocalStorage } from 'node:async_hooks'
import { Worker } from 'node:worker_threads'

/**
 * Runs a module on a thread of its own, for work that would block this one. The module answers each message with one. The thread
 * starts with the first question, ends after `idleMs` without one, and does not keep the process running.
 */
export class Thread<Question, Answer> {
  readonly #module: URL
  readonly #idleMs: number
  /** The thread outlives the request that starts it, and is no part of it. */
  readonly #outside = AsyncLocalStorage.snapshot()
  #worker: Worker | undefined
  #pending: PromiseWithResolvers<Answer> | undefined
  #idle: NodeJS.Timeout | undefined

  constructor(module: URL, idleMs: number) {
    this.#module = module
    this.#idleMs = idleMs
  }

  /** Asks a question; one at a time. Rejects with what ended the thread if it ends without an answer; the next question starts another. */
  async ask(question: Question): Promise<Answer> {
    clearTimeout(this.#idle)
    this.#worker ??= this.#outside(() => this.#start())
    this.#pending = Promise.withResolvers()
    this.#worker.postMessage(question)
    try {
      return await this.#pending.promise
    } finally {
      this.#idle = this.#outside(() => setTimeout(() => this.#end(), this.#idleMs).unref())
    }
  }

  #start(): Worker {
    const worker = new Worker(this.#module)
    const ended = (error: Error) => {
      if (worker !== this.#worker) return
      this.#end()
      this.#pending?.reject(error)
    }
    worker.on('message', (answer: Answer) => this.#pending?.resolve(answer))
    worker.on('messageerror', ended).on('error', ended)
    worker.on('exit', (code) => ended(new Error(`The thread ended with code ${code}.`)))
    worker.unref()
    return worker
  }

  #end(): void {
    void this.#worker?.terminate()
    this.#worker = undefined
  }
}
