import { AsyncLocalStorage } from 'node:async_hooks'
import type { Context } from '../platform/context.ts'
import { isDatabaseGone, isLockTimeout, isStatementTimeout } from '../platform/db/database.ts'
import { endOfTurn } from '../platform/end-of-turn.ts'
import { errorField, type Log } from '../platform/log.ts'
import { type ChangedDelivery, outcomeChanges } from './changes.ts'
import type { LaneLease } from './lease.ts'
import type { Settled, Settlement } from './results.ts'
import { type Batch, type IfLocked, type NextDue, NOTHING_DUE, type Release, settleBatch } from './settle.ts'

/** Larger batches would be cheaper still, but requests wait while one is put together. */
const LARGEST_BATCH = 1_500

/** After a batch of at least `from` entries the next one gathers for `ms`. */
export type Gathering = { from: number; ms: number }

/** The wait before a batch is tried again; it doubles each time, up to the longest. */
const RETRY_MS = 250
const LONGEST_RETRY_MS = 2_000
/** The wait before an entry that fails alone is tried again. */
const AGAIN_MS = 1_000

/** What a batch consists of: the result of an attempt, or the release of a lane. */
type Entry = { settlement: Settlement } | { release: Release }

/** Entries that are written one batch after another, the batch that is being written, and whether something in it has failed by itself. */
type Line = { entries: Entry[]; batch: readonly Entry[]; isWriting: boolean; hasFailed: boolean }

type Needs = Pick<Context, 'changes' | 'clock' | 'config' | 'db' | 'log'>

/** Called when a batch is committed or given up, with its releases and when the first of these lanes are due. */
type OnReleased = (releases: readonly Release[], nextDue: NextDue) => void

/**
 * Collects results and releases and records them in batches: while one batch is being written the next one gathers, so
 * batches grow with the load and a lone result is written at once. Each batch has a fixed cost here and in the database, so under
 * load the next one gathers a little longer (decision 40). Results and releases stand in one line, so a lane is released right
 * after its own results. If releases had to wait until no results are left, under load none would be written before the work
 * has run out.
 *
 * A lane that another transaction keeps locked (one that publishes a hundred posts to a thousand sites, or removes an account) must
 * not hold up the others: what belongs to it is set aside, into a line of its own, until that is written. So is an entry that fails
 * by itself; to find it, a batch that fails or takes too long is halved.
 *
 * What cannot be written because the database is away is tried again until it is back; another worker may hold the lane by then, so the
 * fence decides whether it counts. An entry that fails for another reason is logged, and dropped once its lease has run out; its
 * delivery is still pending, and is attempted again. A later release of its lane is unclean.
 */
export class Recorder {
  readonly #ctx: Needs
  readonly #gathering: Gathering
  readonly #onReleased: OnReleased
  readonly #line: Line = { entries: [], batch: [], isWriting: false, hasFailed: false }
  /** Entries whose lanes others have locked, or that fail even alone, and the lanes of these entries. */
  readonly #aside: Line = { entries: [], batch: [], isWriting: false, hasFailed: false }
  #lanesAside: ReadonlySet<string> = new Set()
  /** Leases under which results were dropped. */
  readonly #incomplete = new WeakSet<LaneLease>()
  /** Batches are written outside the async context of whoever triggered them: they must not join its trace or transaction. */
  readonly #outside = AsyncLocalStorage.snapshot()

  constructor(ctx: Needs, gathering: Gathering, onReleased: OnReleased) {
    this.#ctx = ctx
    this.#gathering = gathering
    this.#onReleased = onReleased
  }

  record(settlement: Settlement): void {
    this.#add({ settlement })
  }

  /** Must be called after the lane's results were handed to `record`. */
  release(release: Release): void {
    this.#add({ release })
  }

  /** Whether something of a lane was set aside and is not written yet. */
  isAside(siteId: string): boolean {
    return this.#lanesAside.has(siteId)
  }

  #add(entry: Entry): void {
    const line = this.isAside(siteOf(entry)) ? this.#aside : this.#line
    line.entries.push(entry)
    this.#write(line)
  }

  #write(line: Line): void {
    if (line.isWriting) return
    line.isWriting = true
    void this.#outside(() => this.#writeAll(line))
  }

  async #writeAll(line: Line): Promise<void> {
    // Let everything that is ready in this turn of the event loop join the batch.
    await endOfTurn()
    while (line.entries.length > 0) {
      const written = line.entries.splice(0, LARGEST_BATCH)
      line.batch = written
      line.hasFailed = false
      const leftOut = await this.#writeBatch(line, written)
      const left = written.filter((entry) => leftOut.has(siteOf(entry)))
      line.batch = []
      if (left.length > 0) this.#setAside(left, leftOut)
      else if (line === this.#aside) this.#noteAside()
      await this.#pause(line, written.length)
    }
    line.isWriting = false // no await since the line was seen empty: a later entry starts a new run
  }

  /** Lets what fails by itself wait for its next try, and the next batch gather if the last one was large; a full one need not. */
  async #pause(line: Line, written: number): Promise<void> {
    const { from, ms } = this.#gathering
    if (line === this.#aside) {
      if (line.hasFailed) await this.#ctx.clock.sleep(AGAIN_MS)
    } else if (written >= from && line.entries.length < LARGEST_BATCH) await this.#ctx.clock.sleep(ms)
  }

  /** Puts entries that were left out into the line for these, before what has come for the same lanes since. */
  #setAside(left: readonly Entry[], lanes: ReadonlySet<string>): void {
    const found = [...lanes].filter((siteId) => !this.#lanesAside.has(siteId)).length
    if (found > 0) this.#ctx.log.warn('deliveries.set_aside', { lanes: found })
    const since = this.#line.entries.filter((entry) => lanes.has(siteOf(entry)))
    this.#line.entries = this.#line.entries.filter((entry) => !lanes.has(siteOf(entry)))
    this.#aside.entries = [...left, ...this.#aside.entries, ...since]
    this.#noteAside()
    this.#write(this.#aside)
  }

  #noteAside(): void {
    this.#lanesAside = new Set([...this.#aside.batch, ...this.#aside.entries].map(siteOf))
  }

  /** The release as the lane's next holder must see it: not clean if results of the lane were dropped. */
  #checked(release: Release): Release {
    return { ...release, clean: release.clean && !this.#incomplete.has(release.lease) }
  }

  /** Records a batch, or what it can of it; returns the lanes of which it left something out, because they are locked or it fails. */
  async #writeBatch(line: Line, entries: readonly Entry[]): Promise<ReadonlySet<string>> {
    const { changes, clock, config, db, log } = this.#ctx
    const batch: Batch = {
      settlements: entries.flatMap((entry) => ('settlement' in entry ? entry.settlement : [])),
      releases: entries.flatMap((entry) => ('release' in entry ? this.#checked(entry.release) : [])),
    }
    const { settlements, releases } = batch
    const lastChanceMs = Math.max(...entries.map((entry) => leaseOf(entry).untilMs))
    // Of all tries: if the connection was lost during a commit that succeeded, the next try changes nothing.
    const changed: ChangedDelivery[] = []
    let retryMs = RETRY_MS
    for (let ifLocked: IfLocked = 'wait'; ; ) {
      try {
        const { settled, late, leftOut, nextDue } = await db.tx(async (tx) => {
          const done = await settleBatch(tx, batch, { ifLocked, retryDelaysMs: config.retryDelaysMs, now: clock.now() })
          changed.push(...done.settled.map(changedBy), ...done.superseded)
          return done
        })
        changes.tell(outcomeChanges(changed))
        logAttempts(log, settled)
        for (const one of late) log.warn('delivery.late_answer', attemptFields(one, 'ignored'))
        const released = releases.filter(({ lease }) => !leftOut.has(lease.siteId))
        logPostponed(log, released)
        this.#onReleased(released, await nextDue)
        return leftOut
      } catch (error) {
        if (isLockTimeout(error) && ifLocked === 'wait') {
          ifLocked = 'leave'
          continue
        }
        const isAway = isDatabaseGone(error) && !isStatementTimeout(error)
        if (!isAway) changes.tell(outcomeChanges(changed))
        if (!isAway && entries.length > 1) return this.#writeHalves(line, entries)
        const isDropped = !isAway && clock.monotonicMs() >= lastChanceMs
        log.error('delivery.not_recorded', {
          results: settlements.length,
          lanes: releases.length,
          dropped: isDropped,
          error: errorField(error),
        })
        if (isDropped) {
          for (const { lease } of settlements) this.#incomplete.add(lease)
          this.#onReleased(releases, NOTHING_DUE)
          return new Set()
        }
        if (!isAway) {
          line.hasFailed = true
          return new Set(entries.map(siteOf))
        }
        await clock.sleep(retryMs)
        retryMs = Math.min(2 * retryMs, LONGEST_RETRY_MS)
      }
    }
  }

  /** Nothing of a lane is written before what was left out of it. */
  async #writeHalves(line: Line, entries: readonly Entry[]): Promise<ReadonlySet<string>> {
    const half = entries.length >> 1
    const leftOut = await this.#writeBatch(line, entries.slice(0, half))
    const rest = entries.slice(half).filter((entry) => !leftOut.has(siteOf(entry)))
    return rest.length === 0 ? leftOut : leftOut.union(await this.#writeBatch(line, rest))
  }
}

function leaseOf(entry: Entry): LaneLease {
  return 'release' in entry ? entry.release.lease : entry.settlement.lease
}

function siteOf(entry: Entry): string {
  return leaseOf(entry).siteId
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

function logPostponed(log: Log, released: readonly Release[]): void {
  const postponed = released.filter((release) => release.postponed !== undefined)
  if (postponed.length > 0) log.info('deliveries.postponed', { lanes: postponed.length, why: 'large contents' })
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
