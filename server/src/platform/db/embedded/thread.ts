/** The thread that apart.ts starts: PGlite, started as `workerData` says. It is asked one thing at a time. */
import { parentPort, workerData } from 'node:worker_threads'
import { launchHere } from './engine.ts'
import { EmbeddedError, reasonOf } from './errors.ts'
import { Health } from './health.ts'
import type { Call, Said } from './worker-thread.ts'

const say = (said: Said, transfer: ArrayBuffer[] = []): void => parentPort?.postMessage(said, transfer)

// Messages arrive in their order: this one before the answer to the call in which PostgreSQL aborted.
const health = new Health((_, why) => say({ broken: why }))
const engine = await launchHere(workerData, health)

async function carryOut(call: Call): Promise<void> {
  if (call === 'dump') say({ done: await engine.dump() })
  else if (call === 'shutDown') {
    await engine.shutDown()
    say({ done: undefined })
  } else {
    const done = await engine.execute(call)
    const buffers = done.map(({ buffer }) => buffer)
    say({ done }, buffers)
  }
}

parentPort?.on('message', (call: Call) => {
  carryOut(call).catch((error: unknown) => {
    say({ refused: reasonOf(error), code: error instanceof EmbeddedError ? error.code : undefined })
  })
})
say({ done: undefined })
