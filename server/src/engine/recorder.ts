import { AsyncLocalStorage } from 'node:async_hooks'
import type { Context } from '../platform/context.ts'
import { isDatabaseGone, isStatementTimeout, type Tx } from '../platform/db/database.ts'
import { errorField, type Log } from '../platform/log.ts'
import { type ChangedDelivery, outcomeChanges } from './changes.ts'
import type { LaneLease } from './lease.ts'
import { codeOf, errorOf } from './policy.ts'
import {
  type Entry,
  type LiveUrl,
  leaseOf,
  type Release,
  type Settled,
  type Settlement,
  type SiteOutcome,
  settleBatch,
} from './settle.ts'

/** Larger batches would be cheaper still, but requests wait while one is put together. */
const LARGEST_BATCH = 1_500
/** The wait before a batch is tried again because the database is away. */
const AWAY_MS = 250
const LONGEST_AWAY_MS = 2_000

type Needs = Pick<Context, 'changes' | 'clock' | 'config' | 'db' | 'log'>

/**
 * `onReleased` is called with the leases that have ended: released, lost, or left to run out; `onOutcomes` in the transaction that records
 * results, with what they mean for sites that fail or have failed, or whose pages are looked at; so is `onLiveUrls`, with where sites
 * said that they show posts.
 */
type RecorderHooks = {
  onReleased(leases: readonly LaneLease[]): void
  onOutcomes(tx: Tx, outcomes: readonly SiteOutcome[]): Promise<void>
  onLiveUrls(tx: Tx, liveUrls: readonly LiveUrl[]): Promise<void>
}

/**
 * Collects results and releases and records them in batches. The first is written at once; while it is being written, and for
 * `gatherMs` after it, the next batch gathers, so that a site with a long backlog costs a statement for dozens of results. Results and
 * releases stand in one queue: a lane is released right after its own results.
 *
 * What cannot be written now is written later: entries of a lane that a long transaction keeps locked, and everything while the
 * database is away, however long. Another worker may hold the lane by then; the fence decides whether the entry still counts. An entry
 * that the database refuses even alone is logged and dropped, and its lane is not released: when the lease runs out, the delivery is
 * attempted again, as after a crash.
 */
export class Recorder {
  readonly #ctx: Needs
  readonly #pauses: { gatherMs: number; lockedMs: number }
  readonly #onReleased: (leases: readonly LaneLease[]) => void
  readonly #onOutcomes: RecorderHooks['onOutcomes']
  readonly #onLiveUrls: RecorderHooks['onLiveUrls']
  #entries: Entry[] = []
  #isWriting = false
  /** Leases under which a result was dropped. */
  readonly #incomplete = new WeakSet<LaneLease>()
  /** Batches are written outside the async context of whoever triggered them: they must not join its trace or transaction. */
  readonly #outside = AsyncLocalStorage.snapshot()

  constructor(
    ctx: Needs,
    pauses: { gatherMs: number; lockedMs: number },
    { onReleased, onOutcomes, onLiveUrls }: RecorderHooks,
  ) {
    this.#ctx = ctx
    this.#pauses = pauses
    this.#onReleased = onReleased
    this.#onOutcomes = onOutcomes
    this.#onLiveUrls = onLiveUrls
  }

  record(settlement: Settlement): void {
    this.#add({ settlement })
  }

  /** Must be called after the lane's results were handed to `record`. */
  release(release: Release): void {
    this.#add({ release })
  }

  #add(entry: Entry): void {
    this.#entries.push(entry)
    if (this.#isWriting) return
    this.#isWriting = true
    void this.#outside(() => this.#writeAll())
  }

  async #writeAll(): Promise<void> {
    // What is ready in this turn of the event loop joins the batch.
    await new Promise(setImmediate)
    for (let awayMs = AWAY_MS; this.#entries.length > 0; ) {
      const batch = this.#entries.splice(0, LARGEST_BATCH)
      try {
        const locked = await this.#write(batch)
        this.#entries.unshift(...locked)
        awayMs = AWAY_MS
        const waitMs = locked.length > 0 ? this.#pauses.lockedMs : this.#pauses.gatherMs
        if (waitMs > 0 && this.#entries.length < LARGEST_BATCH) await this.#ctx.clock.sleep(waitMs)
      } catch (error) {
        this.#ctx.log.error('delivery.not_recorded', { entries: batch.length, error: errorField(error) })
        this.#entries.unshift(...batch)
        await this.#ctx.clock.sleep(awayMs)
        awayMs = Math.min(2 * awayMs, LONGEST_AWAY_MS)
      }
    }
    this.#isWriting = false // no await since the queue was seen empty: a later entry starts a new run
  }

  /** Records a batch; returns the entries whose lanes are locked. Rejects, with nothing done, when the database is away. */
  async #write(batch: readonly Entry[]): Promise<Entry[]> {
    const { changes, clock, config, db, log } = this.#ctx
    // Of all tries: if the connection was lost during a commit that succeeded, the next try changes nothing.
    const changed: ChangedDelivery[] = []
    try {
      const { settled, late, locked } = await db.tx(async (tx) => {
        const done = await settleBatch(tx, this.#checked(batch), { clock, retryDelaysMs: config.retryDelaysMs })
        if (done.outcomes.length > 0) await this.#onOutcomes(tx, done.outcomes)
        if (done.liveUrls.length > 0) await this.#onLiveUrls(tx, done.liveUrls)
        changed.push(...done.settled.map(changedBy), ...done.superseded)
        return done
      })
      logSettled(log, settled, late)
      const left = new Set(locked)
      this.#onReleased(batch.flatMap((entry) => ('release' in entry && !left.has(entry) ? [entry.release.lease] : [])))
      return locked
    } catch (error) {
      if (isDatabaseGone(error) && !isStatementTimeout(error)) throw error
      return this.#writeAlone(batch, error)
    } finally {
      changes.announce(outcomeChanges(changed))
    }
  }

  /** A batch was refused. Its lanes are written one by one, so that what is wrong with one holds up no other; that one is dropped. */
  async #writeAlone(batch: readonly Entry[], refused: unknown): Promise<Entry[]> {
    const lanes = [...Map.groupBy(batch, leaseOf).values()]
    if (lanes.length > 1) {
      const locked: Entry[] = []
      for (const entries of lanes) locked.push(...(await this.#write(entries)))
      return locked
    }
    this.#ctx.log.error('delivery.dropped', { entries: batch.length, error: errorField(refused) })
    for (const entry of batch) {
      if ('release' in entry) this.#onReleased([entry.release.lease])
      else this.#incomplete.add(entry.settlement.lease)
    }
    return []
  }

  /** The batch with the releases as the lanes' next holders must see them: abandoned if results of the lane were dropped. */
  #checked(batch: readonly Entry[]): Entry[] {
    return batch.map((entry) =>
      'release' in entry && this.#incomplete.has(entry.release.lease)
        ? { release: { ...entry.release, isAbandoned: true } }
        : entry,
    )
  }
}

function changedBy({ lease, delivery }: Settlement): ChangedDelivery {
  return { id: delivery.id, accountId: lease.accountId, siteId: lease.siteId }
}

/** First attempts that succeeded are logged as one count: under load they would be thousands of equal lines a second. */
function logSettled(log: Log, settled: readonly Settled[], late: readonly Settlement[]): void {
  const smooth = settled.filter(({ next }) => next.status === 'delivered')
  if (smooth.length > 0) log.info('deliveries.delivered', { at_once: smooth.length })
  for (const one of settled) {
    const { status } = one.next
    if (status === 'delivered') log.debug('delivery.attempted', () => attemptFields(one, status))
    else log.info('delivery.attempted', attemptFields(one, status))
  }
  for (const one of late) log.warn('delivery.late_answer', attemptFields(one, 'ignored'))
}

function attemptFields({ lease, delivery, result }: Settlement, status: string): object {
  return {
    delivery_id: delivery.id,
    site_id: lease.siteId,
    post_id: delivery.postId,
    attempt: delivery.attempts + 1,
    status,
    code: codeOf(result),
    error: errorOf(result),
    took_ms: Math.round(result.tookMs),
  }
}
