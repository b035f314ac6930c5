/**
 * The one session of the embedded database, lent to one client at a time.
 *
 * Free → held (`attach`, by a stream) → free (`detach`, which rolls back and discards what the client left behind, so
 * that the next one meets a fresh session). Broken is final: once PostgreSQL has aborted, every call fails, and no
 * answer of the batch in which it happened is passed on, so a commit that was not synced is never acknowledged.
 * Work runs strictly one after the other.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from './engine.ts'
import { EmbeddedError } from './errors.ts'
import type { Health } from './health.ts'

/** How long a newcomer waits for the previous holder, which is normally ending already. */
const HANDOVER_MS = 2_000

const RESET = ['ROLLBACK', 'DISCARD ALL'].map(simpleQuery)

export class Session {
  readonly #engine: Engine
  readonly #health: Health
  readonly #handoverMs: number
  #tail: Promise<unknown> = Promise.resolve()
  #holder: object | null = null
  #freed = Promise.withResolvers<void>()
  #ended = false

  constructor(engine: Engine, health: Health, handoverMs: number = HANDOVER_MS) {
    this.#engine = engine
    this.#health = health
    this.#handoverMs = handoverMs
  }

  /** Lends the session to `holder`; throws `busy` when the present holder keeps it. */
  async attach(holder: object): Promise<void> {
    const deadline = AbortSignal.timeout(this.#handoverMs)
    while (this.#holder !== null) {
      if (deadline.aborted)
        throw new EmbeddedError('busy', 'The embedded database has one connection: use one pool, with max: 1.')
      await Promise.race([this.#freed.promise, sleep(this.#handoverMs, undefined, { ref: false })])
    }
    this.#assertUsable()
    this.#holder = holder
    this.#freed = Promise.withResolvers()
  }

  /** Takes the session back from `holder`; does nothing when it does not hold it. */
  async detach(holder: object): Promise<void> {
    if (this.#holder !== holder) return
    await this.#exclusive(async () => {
      // A stream that is destroyed while it ends detaches twice; by the second time the session may be lent to another.
      if (this.#holder !== holder) return
      try {
        if (this.#health.broken || this.#ended) return
        for (const message of RESET) await this.#send(message)
      } finally {
        this.#holder = null
        this.#freed.resolve()
      }
    })
  }

  /** Runs complete frontend messages and resolves with the backend's answer. */
  execute(messages: Uint8Array): Promise<Uint8Array[]> {
    return this.#exclusive(() => this.#send(messages))
  }

  /** A tarball of the database; throws `busy` in a transaction. */
  dump(): Promise<Blob> {
    return this.#exclusive(() => {
      this.#assertUsable()
      return this.#engine.dump()
    })
  }

  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#tail.then(work)
    this.#tail = done.catch(() => undefined)
    return done
  }

  /** Waits for the work under way, shuts down and refuses everything after it. */
  end(): Promise<void> {
    return this.#exclusive(async () => {
      this.#ended = true
      await this.#engine.shutDown()
    })
  }

  #assertUsable(): void {
    if (this.#health.broken) throw this.#health.broken
    if (this.#ended) throw new EmbeddedError('closed', 'The embedded database has been closed.')
  }

  async #send(messages: Uint8Array): Promise<Uint8Array[]> {
    this.#assertUsable()
    const answer = await this.#engine.execute(messages)
    this.#assertUsable()
    return answer
  }
}

/** A simple query message: 'Q', length, text, zero. */
function simpleQuery(sql: string): Uint8Array {
  const text = Buffer.from(`${sql}\0`)
  const head = Buffer.from('Q\0\0\0\0')
  head.writeInt32BE(text.length + 4, 1)
  return Buffer.concat([head, text])
}
