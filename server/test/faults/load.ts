/**
 * What the fault runs share: a service under publishing load, and a receiver in this process that records every POST.
 * Each run checks that every publish that was answered 2xx arrived at every site, and that a fault explains every delivery
 * that was POSTed twice.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, type PostriderClient } from '@postrider/sdk'
import { type ServiceProcess, startProcess } from '../support/process.ts'
import { type Answer, type Receiver, startReceiver } from '../support/receiver.ts'

/** The outcome of a run. `repeats` counts POSTs beyond the first of a delivery. */
export type Outcome = {
  acknowledged: number
  delivered: number
  lost: string[]
  repeats: number
  unexplainedRepeats: number
}

const SITES = 3
const PUBLISHERS = 4
const ARRIVAL_DEADLINE_MS = 90_000

/** The account, its sites and its receiver; services come and go. */
export class Load {
  readonly receiver: Receiver
  readonly #env: Record<string, string>
  readonly #token: string
  readonly #acknowledged = new Set<string>()
  readonly #arrivals = new Map<string, number[]>()
  readonly #sites = new Map<string, Set<string>>()
  readonly #faults: Array<[number, number]> = []

  private constructor(receiver: Receiver, env: Record<string, string>, token: string) {
    this.receiver = receiver
    this.#env = env
    this.#token = token
    receiver.received.push = (...requests) => {
      for (const { headers, json } of requests) this.#note(String(headers['webhook-id']), json)
      return 0
    }
  }

  /** Starts a service in `env`, and an account with sites at it. */
  static async start(env: Record<string, string>): Promise<{ load: Load; service: ServiceProcess }> {
    const limitless = { ...env, RATE_LIMIT_AUTH: 'off', RATE_LIMIT_STARTER: 'off' }
    const service = await startProcess(limitless)
    const receiver = await startReceiver()
    const client = createClient({ baseUrl: service.url })
    const { token } = await client.auth.register({
      name: 'Ada',
      email: `load-${randomUUID()}@example.com`,
      password: 'correct horse',
    })
    for (let index = 0; index < SITES; index += 1)
      await client.sites.create({
        name: `Site ${index}`,
        url: 'https://example.com',
        webhook_url: receiver.url,
        platform: 'custom',
      })
    return { load: new Load(receiver, limitless, token), service }
  }

  /** Another service on the same database. */
  startService(more: Record<string, string> = {}): Promise<ServiceProcess> {
    return startProcess({ ...this.#env, ...more })
  }

  client(service: Pick<ServiceProcess, 'url'>): PostriderClient {
    return createClient({ baseUrl: service.url, token: this.#token })
  }

  /** The next `count` requests are answered like this. */
  answer(count: number, answer: Answer): void {
    this.receiver.answerNext(...Array.from({ length: count }, () => answer))
  }

  /** Publishes with four clients while `work` goes on; what is acknowledged has to arrive. */
  async publishing<T>(service: Pick<ServiceProcess, 'url'>, work: () => Promise<T>): Promise<T> {
    let over = false
    const publisher = async () => {
      const client = this.client(service)
      while (!over) {
        try {
          await this.publish(client)
        } catch {
          if (!over) await sleep(5)
        }
      }
    }
    const publishers = Array.from({ length: PUBLISHERS }, publisher)
    try {
      return await work()
    } finally {
      over = true
      await Promise.all(publishers)
    }
  }

  /** Publishes one post; once acknowledged, it has to arrive. */
  async publish(client: PostriderClient): Promise<void> {
    const post = await client.posts.create({
      title: 'Under load',
      body: { markdown: 'Some *text*.' },
      status: 'published',
    })
    this.#acknowledged.add(post.id)
  }

  /** Causes a fault, which explains POSTs that are repeated during it. */
  async fault<T>(harm: () => Promise<T>): Promise<T> {
    const period: [number, number] = [performance.now(), Number.POSITIVE_INFINITY]
    this.#faults.push(period)
    const result = await harm()
    // What a dead process still had in its sockets arrives before this.
    period[1] = performance.now()
    return result
  }

  /** How many POSTs have arrived. */
  posts(): number {
    return [...this.#arrivals.values()].reduce((sum, times) => sum + times.length, 0)
  }

  /** The longest time without a POST, in seconds. */
  longestPause(): number {
    const times = [...this.#arrivals.values()].flat().toSorted((a, b) => a - b)
    return Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? at))) / 1_000
  }

  /** Waits until everything has arrived, or the deadline has passed. */
  async outcome(): Promise<Outcome> {
    const deadline = performance.now() + ARRIVAL_DEADLINE_MS
    const missing = () => [...this.#acknowledged].filter((postId) => (this.#sites.get(postId)?.size ?? 0) < SITES)
    while (missing().length > 0 && performance.now() < deadline) await sleep(50)
    const lost = missing()
    const repeats = [...this.#arrivals.values()].flatMap((times) =>
      times.slice(1).map((after, index): [number, number] => [times[index] ?? 0, after]),
    )
    return {
      acknowledged: this.#acknowledged.size,
      delivered: this.#acknowledged.size - lost.length,
      lost,
      repeats: repeats.length,
      unexplainedRepeats: repeats.filter((between) => !this.#isExplained(between)).length,
    }
  }

  /** A fault may begin before the second POST and end after the first. */
  #isExplained([first, second]: [number, number]): boolean {
    return this.#faults.some(([from, to]) => from <= second && to >= first)
  }

  #note(deliveryId: string, json: Record<string, unknown>): void {
    this.#arrivals.set(deliveryId, [...(this.#arrivals.get(deliveryId) ?? []), performance.now()])
    const { post, site } = json as { post: { id: string }; site: { id: string } } // the service's own bodies
    this.#sites.set(post.id, (this.#sites.get(post.id) ?? new Set()).add(site.id))
  }
}
