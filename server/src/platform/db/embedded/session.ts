/**
 * The one session of the embedded database, lent to one client at a time.
 *
 * Free → held (`attach`, by a stream) → free (`detach`, which rolls back and discards what the client left behind, so
 * that the next one meets a fresh session). Broken is final: once PostgreSQL has aborted, every call fails, and no
 * answer of the batch in which it happened is passed on, so a commit that was not synced is never acknowledged.
 * Work runs strictly one after the other, each batch synchronously on the event loop.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { PGlite } from '@electric-sql/pglite'
import { EmbeddedError } from './errors.ts'
import type { Health } from './health.ts'

/** How long a newcomer waits for the previous holder, which is normally ending already. */
const HANDOVER_MS = 2_000

const RESET = ['ROLLBACK', 'DISCARD ALL'].map(simpleQuery)

export class Session {
  readonly #pglite: PGlite
  readonly #health: Health
  readonly #handoverMs: number
  #tail: Promise<unknown> = Promise.resolve()
  #holder: object | null = null
  #freed = Promise.withResolvers<void>()
  #ended = false

  constructor(pglite: PGlite, health: Health, handoverMs: number = HANDOVER_MS) {
    this.#pglite = pglite
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
    await this.exclusive(async () => {
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
  execute(messages: Uint8Array): Promise<Buffer[]> {
    return this.exclusive(() => this.#send(messages))
  }

  /** Runs `work` between two batches. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#tail.then(work)
    this.#tail = done.catch(() => undefined)
    return done
  }

  /** Waits for the work under way, runs `shutDown` and refuses everything after it. */
  end(shutDown: () => Promise<void>): Promise<void> {
    return this.exclusive(async () => {
      this.#ended = true
      await shutDown()
    })
  }

  #assertUsable(): void {
    if (this.#health.broken) throw this.#health.broken
    if (this.#ended) throw new EmbeddedError('closed', 'The embedded database has been closed.')
  }

  async #send(messages: Uint8Array): Promise<Buffer[]> {
    this.#assertUsable()
    const answer: Buffer[] = []
    try {
      // The bytes are a view of WebAssembly memory that the next call overwrites.
      const onRawData = (bytes: Uint8Array): void => void answer.push(Buffer.from(bytes))
      await this.#pglite.execProtocolRawStream(messages, { syncToFs: false, onRawData })
    } catch (error) {
      this.#health.breakDown('', error)
    }
    this.#assertUsable()
    // Otherwise a client with more work queued would starve timers and sockets for as long as it has any.
    await nextTurn()
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
