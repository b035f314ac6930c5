import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** `module` answers each message with one of its own. `idleMs`: after so long without a question, the thread ends. */
export type ThreadOptions = { module: URL; idleMs: number; memoryMb: { young: number; old: number } }

/**
 * A module on a thread of its own, for work that would keep this one from everything else. It starts with the first question. It does
 * not keep the process running. Questions are asked one at a time.
 */
export class Thread<Question, Answer> {
  readonly #options: ThreadOptions
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined

  constructor(options: ThreadOptions) {
    this.#options = options
  }

  /** Rejects with what ended the thread if it ends before it has answered; the next question starts another. */
  async ask(question: Question): Promise<Answer> {
    clearTimeout(this.#idle)
    this.#worker ??= this.#start()
    const worker = this.#worker
    const answered = once(worker, 'message')
    worker.postMessage(question)
    try {
      const [answer] = await answered
      this.#idle = setTimeout(() => this.#end(), this.#options.idleMs).unref()
      return answer as Answer // the module's own type
    } catch (error) {
      this.#end()
      throw error
    }
  }

  #start(): Worker {
    const { module, memoryMb } = this.#options
    const worker = new Worker(module, {
      resourceLimits: { maxYoungGenerationSizeMb: memoryMb.young, maxOldGenerationSizeMb: memoryMb.old },
    })
    worker.unref()
    return worker
  }

  #end(): void {
    void this.#worker?.terminate()
    this.#worker = undefined
  }
}

/** Whether a thread ended because its memory did not suffice. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}
