import { AsyncLocalStorage } from 'node:async_hooks'
import type { Context } from '../platform/context.ts'
import { errorField, type Log } from '../platform/log.ts'
import { type ChangedDelivery, outcomeChanges } from './changes.ts'
import type { LaneLease } from './lease.ts'
import { type NextDue, NOTHING_DUE, type Release, type Settled, type Settlement, settleBatch } from './settle.ts'

/** Larger batches would be cheaper still, but requests wait while one is put together. */
const LARGEST_BATCH = 1_500
const RETRY_MS = 250

/** What a batch consists of: the result of an attempt, or the release of a lane. */
type Entry = { settlement: Settlement } | { release: Release }

type Needs = Pick<Context, 'changes' | 'clock' | 'config' | 'db' | 'log'>

/** Called when a batch is committed or given up, with its releases and when the first of these lanes are due. */
type OnReleased = (releases: readonly Release[], nextDue: NextDue) => void

/**
 * Collects results and releases and records them in batches: while one batch is being written the next one gathers, so
 * batches grow with the load and a lone result is written at once. A lane's results and its release stand in the same queue,
 * so that the lane is released right after its results, not once the results of all other lanes are written: under load that
 * moment would not come before the work has run out.
 *
 * A batch that cannot be written (the database is away) is tried again until its leases have run out. From then on
 * another worker may hold the lanes, so the results are dropped with a line in the log; their deliveries are still
 * pending and will be attempted again. If their lane is released later all the same, it is not clean.
 */
export class Recorder {
  readonly #ctx: Needs
  readonly #onReleased: OnReleased
  readonly #line: Entry[] = []
  /** Leases under which results were dropped. */
  readonly #incomplete = new WeakSet<LaneLease>()
  /** Batches are written outside the async context of whoever triggered them: they must not join its trace or transaction. */
  readonly #outside = AsyncLocalStorage.snapshot()
  #isWriting = false

  constructor(ctx: Needs, onReleased: OnReleased) {
    this.#ctx = ctx
    this.#onReleased = onReleased
  }

  record(settlement: Settlement): void {
    this.#line.push({ settlement })
    this.#write()
  }

  /** Must be called after the lane's results were handed to `record`. */
  release(release: Release): void {
    this.#line.push({ release })
    this.#write()
  }

  #write(): void {
    if (this.#isWriting) return
    this.#isWriting = true
    void this.#outside(() => this.#writeAll())
  }

  async #writeAll(): Promise<void> {
    // Let everything that is ready in this turn of the event loop join the batch.
    await new Promise(setImmediate)
    while (this.#line.length > 0) {
      const batch = this.#line.splice(0, LARGEST_BATCH)
      const settlements = batch.flatMap((entry) => ('settlement' in entry ? entry.settlement : []))
      const releases = batch.flatMap((entry) => ('release' in entry ? this.#checked(entry.release) : []))
      this.#onReleased(releases, await this.#writeBatch(settlements, releases))
    }
    this.#isWriting = false // no await since the line was seen empty: a later entry starts a new run
  }

  /** The release as the lane's next holder must see it: not clean if results of the lane were dropped. */
  #checked({ lease, clean }: Release): Release {
    return { lease, clean: clean && !this.#incomplete.has(lease) }
  }

  /** Returns when the first of the released lanes are due. */
  async #writeBatch(settlements: Settlement[], releases: Release[]): Promise<NextDue> {
    const { changes, clock, config, db, log } = this.#ctx
    const leases = [...settlements, ...releases].map(({ lease }) => lease)
    const lastChance = Math.max(...leases.map(({ until }) => until.getTime()))
    // Of all tries: if the connection was lost during a commit that succeeded, the next try changes nothing.
    const changed: ChangedDelivery[] = []
    for (;;) {
      try {
        const { settled, late, nextDue } = await db.tx(async (tx) => {
          const done = await settleBatch(tx, settlements, releases, config.retryDelaysMs, clock.now())
          changed.push(...done.settled.map(changedBy), ...done.superseded)
          return done
        })
        changes.tell(outcomeChanges(changed))
        logAttempts(log, settled)
        for (const one of late) log.warn('delivery.late_answer', attemptFields(one, 'ignored'))
        return nextDue
      } catch (error) {
        log.error('delivery.not_recorded', {
          results: settlements.length,
          lanes: releases.length,
          error: errorField(error),
        })
        if (clock.now().getTime() >= lastChance) {
          for (const { lease } of settlements) this.#incomplete.add(lease)
          return NOTHING_DUE
        }
        await clock.sleep(RETRY_MS)
      }
    }
  }
}

function changedBy({ lease, delivery }: Settlement): ChangedDelivery {
  return { id: delivery.id, accountId: lease.accountId, siteId: lease.siteId }
}

/** First attempts that succeeded are logged as one count: under load they would be thousands of equal lines a second. */
function logAttempts(log: Log, settled: readonly Settled[]): void {
  const smooth = settled.filter(({ next }) => next.status === 'delivered')
  if (smooth.length > 0) log.info('deliveries.delivered', { at_once: smooth.length })
  for (const one of settled) {
    const { status } = one.next
    if (status === 'delivered') log.debug('delivery.attempted', () => attemptFields(one, status))
    else log.info('delivery.attempted', attemptFields(one, status))
  }
}

function attemptFields({ lease, delivery, result }: Settlement, status: string): object {
  return {
    delivery_id: delivery.id,
    site_id: lease.siteId,
    post_id: delivery.postId,
    attempt: delivery.attempts + 1,
    status,
    code: result.code,
    error: result.error,
    took_ms: result.tookMs,
  }
}
