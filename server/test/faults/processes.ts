/** Faults of processes that share a database. */
import { setTimeout as sleep } from 'node:timers/promises'
import { scrape } from '../support/metrics.ts'
import type { TestPostgres } from '../support/postgres/server.ts'
import type { ServiceProcess } from '../support/process.ts'
import { Load, type Outcome } from './load.ts'
import { countAttempts, envFor } from './postgres.ts'

/**
 * SIGTERM while attempts are in flight: they finish and are recorded, the process ends by itself within 20 seconds, and the
 * next process sends nothing a second time.
 */
export async function terminated(
  env: Record<string, string>,
): Promise<Outcome & { inFlight: number; exitCode: number | null; tookMs: number }> {
  const { load, service } = await Load.start({ ...env, DELIVERY_TIMEOUT: '10s' })
  load.answer(1_000, (_, response) => setTimeout(() => response.writeHead(200).end(), 3_000))
  const client = load.client(service)
  for (let count = 0; count < 5; count += 1) await load.publish(client)
  while (load.posts() < 3) await sleep(10)
  const inFlight = load.posts()
  const from = performance.now()
  const exitCode = await service.end('SIGTERM')
  const tookMs = Math.round(performance.now() - from)
  const next = await load.startService()
  const outcome = await load.outcome()
  await next.end('SIGTERM')
  await load.receiver.close()
  return { ...outcome, inFlight, exitCode, tookMs }
}

/**
 * A worker is stopped (SIGSTOP) with attempts in flight until its leases have expired and another worker has taken its
 * lanes, and then goes on (SIGCONT). Its late answers change nothing: the database records what the other did.
 */
export async function stoppedPastLease(
  postgres: TestPostgres,
): Promise<Outcome & { posts: number; attemptsOnRecord: number; takenOverAfterMs: number }> {
  const env = { ...envFor(postgres), DELIVERY_TIMEOUT: '1s' } // a lease is 16 s then
  const { load, service } = await Load.start({ ...env, ROLE: 'api' })
  const stopped = await load.startService({ ROLE: 'worker' })
  // Slow enough that the worker is stopped in the middle of its attempts.
  load.answer(6, (_, response) => setTimeout(() => response.writeHead(200).end(), 400))
  const client = load.client(service)
  for (let count = 0; count < 2; count += 1) await load.publish(client)
  while (load.posts() < 3) await sleep(5)
  let takenOverAfterMs = 0
  await load.fault(async () => {
    stopped.child.kill('SIGSTOP')
    const from = performance.now()
    const other = await load.startService({ ROLE: 'worker' })
    while ((await countAttempts(postgres)).pending > 0) await sleep(100)
    takenOverAfterMs = Math.round(performance.now() - from)
    stopped.child.kill('SIGCONT')
    await sleep(3_000)
    await other.end('SIGTERM')
  })
  const outcome = await load.outcome()
  const { attempts } = await countAttempts(postgres)
  await stopped.end('SIGTERM')
  await service.end('SIGTERM')
  await load.receiver.close()
  return { ...outcome, posts: load.posts(), attemptsOnRecord: attempts, takenOverAfterMs }
}

/**
 * One of two workers is killed under load, one that holds lanes. Measures how long the other one takes until nothing is pending.
 * `held`: the lanes that were taken over.
 */
export async function workerKilled(
  postgres: TestPostgres,
): Promise<Outcome & { held: number; takenOverAfterMs: number }> {
  const env = { ...envFor(postgres), DELIVERY_TIMEOUT: '15s', METRICS_TOKEN }
  const { load, service } = await Load.start({ ...env, ROLE: 'api' })
  const workers = [await load.startService({ ROLE: 'worker' }), await load.startService({ ROLE: 'worker' })]
  // Slow enough at first that the worker has attempts in flight when it is killed.
  let answerMs = 300
  load.answer(10_000, (_, response) => setTimeout(() => response.writeHead(200).end(), answerMs))
  const held = await load.publishing(service, async () => {
    await sleep(2_000)
    const lanes = await load.fault(() => killHolder(workers))
    answerMs = 0
    return lanes
  })
  const from = performance.now()
  await load.fault(async () => {
    while ((await countAttempts(postgres)).pending > 0) await sleep(100)
  })
  const takenOverAfterMs = Math.round(performance.now() - from)
  const outcome = await load.outcome()
  for (const process of [...workers, service]) await process.kill()
  await load.receiver.close()
  return { ...outcome, held, takenOverAfterMs }
}

const METRICS_TOKEN = 'a token for this run'

/** Kills the first of these processes that holds lanes; returns how many. */
async function killHolder(processes: readonly ServiceProcess[]): Promise<number> {
  for (;;)
    for (const process of processes) {
      const held = (await scrape(process.url, METRICS_TOKEN)).get('postrider_held_lanes')
      if (held === undefined) throw new Error('a worker does not tell how many lanes it holds')
      if (held === 0) continue
      await process.kill()
      return held
    }
}
