/** The processes of a bench: receivers, senders and services, each with a memory and an event loop of its own. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Arrival, ReceiverOptions, ReceiverQuestion } from './receiver-process.ts'

/** A receiver in a process of its own. */
export type BenchReceiver = {
  ports: number[]
  /** The first of them. */
  port: number
  /** Forgets what arrived. From now on, `keep` keeps every arrival, and `firstAt` is that of the first request after `skip` others. */
  reset(keep?: boolean, skip?: number): Promise<void>
  /** How many requests were answered, over how many connections, and when the first and the last one came (milliseconds since 1970). */
  count(): Promise<{ count: number; connections: number; firstAt: number; lastAt: number }>
  arrivals(): Promise<Arrival[]>
  stop(): void
}

/** Starts a receiver. */
export async function startBenchReceiver(options: Partial<ReceiverOptions> = {}): Promise<BenchReceiver> {
  const script = fileURLToPath(new URL('./receiver-process.ts', import.meta.url))
  const child = fork(script, [JSON.stringify({ ports: 1, ...options })], { serialization: 'advanced' })
  const [{ ports }] = await once(child, 'message')
  const ask = async (question: ReceiverQuestion) => {
    child.send(question)
    const [answer] = await once(child, 'message')
    return answer
  }
  return {
    ports,
    port: ports[0],
    reset: (keep = false, skip = 0) => ask({ ask: 'reset', keep, skip }),
    count: () => ask({ ask: 'count' }),
    arrivals: async () => (await ask({ ask: 'arrivals' })).arrivals,
    stop: () => child.disconnect(),
  }
}

/** Runs a script in a process of its own with one JSON argument; resolves with the one message that it sends. */
export async function runScript<T>(script: URL, argument: object): Promise<T> {
  const child: ChildProcess = fork(fileURLToPath(script), [JSON.stringify(argument)])
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${script.pathname} ended with ${code} and said nothing`)
  })
  const [message] = await Promise.race([once(child, 'message'), ended])
  child.kill()
  await once(child, 'exit').catch(() => {})
  return message
}

/** Resident memory of a process in MiB: now (`VmRSS`), or the most it had (`VmHWM`). */
export async function memoryMib({ child }: { child: ChildProcess }, kind: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
  return Math.round(Number(new RegExp(`${kind}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN) / 1024)
}

/** Now, in milliseconds since 1970 with fractions; comparable between the processes of one machine. */
export function wallNow(): number {
  return performance.timeOrigin + performance.now()
}
