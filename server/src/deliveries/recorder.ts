import type { Context } from '../platform/context.ts'
import { errorField } from '../platform/log.ts'
import { outcomeChanges } from './changes.ts'
import { type Release, type Settlement, settleBatch } from './settle.ts'

const LARGEST_BATCH = 1_000
const RETRY_MS = 250

/** Something to write down: what came of an attempt, or that a lane is given back. */
type Entry = { settlement: Settlement } | { release: Release }

/**
 * Collects results and releases and records them in batches: while one batch is being written the next one gathers,
 * so that batches are as large as the load asks for and a lone result waits for nobody. Both stand in one line, so that a
 * lane is given back after its results, and not only once the results of all other lanes are written: under load that moment
 * would not come before the work has run out.
 *
 * A batch that cannot be written (the database is away) is tried again until its leases have run out. From then on
 * another worker may hold the lanes, so the results are dropped with a line in the log; their deliveries are still
 * pending and will be attempted again.
 */
export class Recorder {
  readonly #ctx: Pick<Context, 'changes' | 'clock' | 'config' | 'db' | 'log'>
  readonly #onReleased: (releases: readonly Release[], nextDue: Date | undefined) => void
  readonly #line: Entry[] = []
  #writing: Promise<void> | undefined

  constructor(
    ctx: Pick<Context, 'changes' | 'clock' | 'config' | 'db' | 'log'>,
    onReleased: (releases: readonly Release[], nextDue: Date | undefined) => void,
  ) {
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
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined
    })
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
  }

  /** Returns when the first of the released lanes is due. */
  async #writeBatch(settlements: Settlement[], releases: Release[]): Promise<Date | undefined> {
    const { changes, clock, config, db, log } = this.#ctx
    const leases = [...settlements, ...releases].map(({ lease }) => lease)
    const lastChance = Math.max(...leases.map(({ until }) => until.getTime()))
    for (;;) {
      try {
        const { settled, superseded, late, nextDue } = await db.tx((tx) =>
          settleBatch(tx, settlements, releases, config.retryDelaysMs, clock.now()),
        )
        changes.tell(outcomeChanges([...settled.map(({ delivery }) => delivery), ...superseded]))
        for (const one of settled) log.info('delivery.attempted', attemptFields(one, one.next.status))
        for (const one of late) log.warn('delivery.late_answer', attemptFields(one, 'ignored'))
        return nextDue
      } catch (error) {
        log.error('delivery.not_recorded', {
          results: settlements.length,
          lanes: releases.length,
          error: errorField(error),
        })
        if (clock.now().getTime() >= lastChance) return undefined
        await clock.sleep(RETRY_MS)
      }
    }
  }
}

function attemptFields({ delivery, result }: Settlement, status: string): object {
  return {
    delivery_id: delivery.id,
    site_id: delivery.siteId,
    post_id: delivery.postId,
    attempt: delivery.attempts + 1,
    status,
    code: result.code,
    error: result.error,
    took_ms: result.tookMs,
  }
}
