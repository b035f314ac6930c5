/**
 * PGlite on a thread of its own, so that neither statements nor the syncs of commits keep the service from its other work, and
 * both go on at the same time where there are two cores.
 */
import { Worker } from 'node:worker_threads'
import type { Engine, Start } from './engine.ts'
import { EmbeddedError, type EmbeddedErrorCode } from './errors.ts'
import type { Health } from './health.ts'

/** What the thread is asked to do: run frontend messages, or call the engine's method of this name. */
export type Call = Uint8Array | 'dump' | 'shutDown'

/** What the thread says: that it has done what it was asked (or has started), that it will not, or that PostgreSQL has aborted. */
export type Said =
  | { done: Uint8Array[] | Blob | undefined }
  | { refused: string; code: EmbeddedErrorCode | undefined }
  | { broken: string }

/**
 * Starts PGlite on a directory of the host; rejects with what PostgreSQL said when it does not come up. A thread that ends by itself
 * counts as an abort. Only while it has something to do does the thread keep the process running.
 */
export async function launchOnThread(start: Start, health: Health): Promise<Engine> {
  const worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData: start })
  let request = Promise.withResolvers<unknown>()
  const answer = async <T>(): Promise<T> => {
    request = Promise.withResolvers()
    worker.ref()
    try {
      return (await request.promise) as T // thread.ts answers each call with what its method returns
    } finally {
      worker.unref()
    }
  }
  const ask = <T>(call: Call, transfer: ArrayBuffer[] = []): Promise<T> => {
    worker.postMessage(call, transfer)
    return answer()
  }
  worker.on('message', (said: Said) => {
    if ('broken' in said) health.breakDown(said.broken)
    else if ('done' in said) request.resolve(said.done)
    else request.reject(said.code === undefined ? new Error(said.refused) : new EmbeddedError(said.code, said.refused))
  })
  let running = false
  const ended = (error: Error): void => {
    request.reject(running ? health.breakDown(error.message, error) : error)
  }
  worker.on('error', ended)
  worker.on('exit', (code) => ended(new Error(`its thread ended with code ${code}`)))
  await answer()
  running = true
  return {
    execute(messages) {
      const own = new Uint8Array(messages) // what is transferred is gone here
      return ask(own, [own.buffer])
    },
    dump: () => ask('dump'),
    async shutDown() {
      try {
        if (!health.broken) await ask('shutDown')
      } finally {
        running = false
        await worker.terminate()
      }
    },
  }
}
