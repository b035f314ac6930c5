import { setTimeout as sleep } from 'node:timers/promises'
import { Load, type Outcome } from './load.ts'

/** Options of a run. `env` selects the database; `random` returns numbers from 0 to 1. */
export type KillOptions = {
  kills: number
  env: Record<string, string>
  random: () => number
  onRound?: (round: number) => void
}

const LOAD_MS = { least: 30, most: 2_000 }

/** kill -9 of the service at random moments under load. Rejects only when the service does not come back. */
export async function killStory({
  kills,
  env,
  random,
  onRound,
}: KillOptions): Promise<Outcome & { kills: number; slowestRestartMs: number }> {
  const { load, service: first } = await Load.start(env)
  let service = first
  let slowestRestartMs = 0
  for (let round = 1; round <= kills; round += 1) {
    await load.publishing(service, async () => {
      await sleep(LOAD_MS.least + random() * (LOAD_MS.most - LOAD_MS.least))
      await load.fault(() => service.kill())
    })
    const startedAt = performance.now()
    service = await load.startService()
    slowestRestartMs = Math.max(slowestRestartMs, performance.now() - startedAt)
    onRound?.(round)
  }
  const outcome = await load.outcome()
  await service.end('SIGTERM')
  await load.receiver.close()
  return { kills, ...outcome, slowestRestartMs: Math.round(slowestRestartMs) }
}
