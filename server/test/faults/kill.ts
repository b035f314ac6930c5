/**
 * kill -9 under publishing load. The service runs as a process of its own and is killed again and again while posts
 * are being published; a receiver in this process notes what arrives.
 *
 * Checked: every publish that was answered 2xx arrives after the restart, and between two POSTs of one delivery there
 * was always a kill (nothing twice without a crash).
 */
import { createClient, type PostriderClient } from '@postrider/sdk'
import { type ServiceProcess, startProcess } from '../support/process.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

/** What came of it. `repeats` counts POSTs beyond the first of a delivery. */
export type KillReport = {
  kills: number
  acknowledged: number
  delivered: number
  lost: string[]
  repeats: number
  unexplainedRepeats: number
  slowestRestartMs: number
}

/** How it is run. `env` selects the database; `random` returns numbers from 0 to 1. */
export type KillOptions = {
  kills: number
  env: Record<string, string>
  random: () => number
  onRound?: (round: number) => void
}

const SITES = 3
const PUBLISHERS = 4
const LOAD_MS = { least: 30, most: 2_000 }
const ARRIVAL_DEADLINE_MS = 60_000

/** Runs the story; rejects only when the service does not come back. */
export async function killStory({ kills, env, random, onRound }: KillOptions): Promise<KillReport> {
  const receiver = await startReceiver()
  const arrivals = watchArrivals(receiver)
  const killedAt: number[] = []
  const acknowledged = new Set<string>()
  const person = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }
  let slowestRestartMs = 0
  const limitless = { ...env, RATE_LIMIT_AUTH: 'off', RATE_LIMIT_STARTER: 'off' }
  let service = await startProcess(limitless)
  const first = createClient({ baseUrl: service.url })
  const { token } = await first.auth.register(person)
  for (let index = 0; index < SITES; index += 1) {
    await first.sites.create({
      name: `Site ${index}`,
      url: 'https://example.com',
      webhook_url: receiver.url,
      platform: 'custom',
    })
  }
  for (let round = 1; round <= kills; round += 1) {
    await publishUntilKilled(service, createClient({ baseUrl: service.url, token }), acknowledged, random, killedAt)
    const startedAt = performance.now()
    service = await startProcess(limitless)
    slowestRestartMs = Math.max(slowestRestartMs, performance.now() - startedAt)
    onRound?.(round)
  }
  const lost = await waitForAll(acknowledged, arrivals.sitesOf)
  await service.end('SIGTERM')
  await receiver.close()
  const repeats = arrivals.repeats()
  const unexplained = repeats.filter(([before, after]) => !killedAt.some((at) => at >= before && at <= after))
  return {
    kills,
    acknowledged: acknowledged.size,
    delivered: acknowledged.size - lost.length,
    lost,
    repeats: repeats.length,
    unexplainedRepeats: unexplained.length,
    slowestRestartMs: Math.round(slowestRestartMs),
  }
}

async function publishUntilKilled(
  service: ServiceProcess,
  client: PostriderClient,
  acknowledged: Set<string>,
  random: () => number,
  killedAt: number[],
): Promise<void> {
  let dead = false
  const publisher = async () => {
    while (!dead) {
      try {
        const post = await client.posts.create({
          title: 'Under load',
          body: { markdown: 'Some *text*.' },
          status: 'published',
        })
        acknowledged.add(post.id)
      } catch {
        if (!dead) await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
  }
  const publishers = Array.from({ length: PUBLISHERS }, publisher)
  await new Promise((resolve) => setTimeout(resolve, LOAD_MS.least + random() * (LOAD_MS.most - LOAD_MS.least)))
  killedAt.push(performance.now())
  await service.kill()
  // What the dead process still had in its sockets arrives before this.
  killedAt.push(performance.now())
  dead = true
  await Promise.all(publishers)
}

function watchArrivals(receiver: Receiver) {
  const times = new Map<string, number[]>()
  const sites = new Map<string, Set<string>>()
  const push = receiver.received.push.bind(receiver.received)
  receiver.received.push = (...requests) => {
    for (const { headers, json } of requests) {
      const id = String(headers['webhook-id'])
      times.set(id, [...(times.get(id) ?? []), performance.now()])
      const { post, site } = json as { post: { id: string }; site: { id: string } }
      sites.set(post.id, (sites.get(post.id) ?? new Set()).add(site.id))
    }
    return push()
  }
  return {
    sitesOf: (postId: string) => sites.get(postId)?.size ?? 0,
    repeats: () =>
      [...times.values()].flatMap((all) =>
        all.slice(1).map((after, index): [number, number] => [all[index] ?? 0, after]),
      ),
  }
}

async function waitForAll(acknowledged: Set<string>, sitesOf: (postId: string) => number): Promise<string[]> {
  const deadline = performance.now() + ARRIVAL_DEADLINE_MS
  const missing = () => [...acknowledged].filter((postId) => sitesOf(postId) < SITES)
  while (missing().length > 0 && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50))
  return missing()
}
