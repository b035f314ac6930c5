import { AsyncLocalStorage } from 'node:async_hooks'
import type { Context } from '../platform/context.ts'
import { errorField, type Log } from '../platform/log.ts'
import { type ChangedDelivery, outcomeChanges } from './changes.ts'
import { type NextDue, NOTHING_DUE, type Release, type Settled, type Settlement, settleBatch } from './settle.ts'

/** Larger ones would be cheaper still, but requests wait while one is put together. */
const LARGEST_BATCH = 1_500
const RETRY_MS = 250

/** Something to write down: what came of an attempt, or that a lane is given back. */
type Entry = { settlement: Settlement } | { release: Release }

type Needs = Pick<Context, 'changes' | 'clock' | 'config' | 'db' | 'log'>

/** Called after a commit, with the lanes it gave back and when the first of them are due. */
type OnReleased = (releases: readonly Release[], nextDue: NextDue) => void

/**
 * Collects results and releases and records them in batches: while one batch is being written the next one gathers,
 * so that batches are as large as the load asks for and a lone result waits for nobody. A lane's results and its release stand
 * in the same line, so that it is given back after its results, and not only once the results of all other lanes are written:
 * under load that moment would not come before the work has run out.
 *
 * A batch that cannot be written (the database is away) is tried again until its leases have run out. From then on
 * another worker may hold the lanes, so the results are dropped with a line in the log; their deliveries are still
 * pending and will be attempted again.
 */
export class Recorder {
  readonly #ctx: Needs
  readonly #onReleased: OnReleased
  readonly #line: Entry[] = []
  /** A batch is nobody's in particular: not of the trace or the transaction that the first result in it may come from. */
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

  /** To be called after the lane's results were handed to `record`. */
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
      const releases = batch.flatMap((entry) => ('release' in entry ? entry.release : []))
      this.#onReleased(releases, await this.#writeBatch(settlements, releases))
    }
    this.#isWriting = false // in the same breath as the look at the line: what comes a moment later begins anew
  }

  /** Returns when the first of the released lanes are due. */
  async #writeBatch(settlements: Settlement[], releases: Release[]): Promise<NextDue> {
    const { changes, clock, config, db, log } = this.#ctx
    const leases = [...settlements, ...releases].map(({ lease }) => lease)
    const lastChance = Math.max(...leases.map(({ until }) => until.getTime()))
    for (;;) {
      try {
        const { settled, superseded, late, nextDue } = await db.tx((tx) =>
          settleBatch(tx, settlements, releases, config.retryDelaysMs, clock.now()),
        )
        changes.tell(outcomeChanges([...settled.map(changedBy), ...superseded]))
        logAttempts(log, settled)
        for (const one of late) log.warn('delivery.late_answer', attemptFields(one, 'ignored'))
        return nextDue
      } catch (error) {
        log.error('delivery.not_recorded', {
          results: settlements.length,
          lanes: releases.length,
          error: errorField(error),
        })
        if (clock.now().getTime() >= lastChance) return NOTHING_DUE
        await clock.sleep(RETRY_MS)
      }
    }
  }
}

function changedBy({ lease, delivery }: Settlement): ChangedDelivery {
  return { id: delivery.id, accountId: lease.accountId, siteId: lease.siteId }
}

/** What went well at once is told in sum: under load there would be thousands of such lines a second, all the same. */
function logAttempts(log: Log, settled: readonly Settled[]): void {
  const smooth = settled.filter(({ next }) => next.status === 'delivered')
  if (smooth.length > 0) log.info('deliveries.delivered', { at_once: smooth.length })
  for (const one of settled)
    log[one.next.status === 'delivered' ? 'debug' : 'info']('delivery.attempted', attemptFields(one, one.next.status))
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
