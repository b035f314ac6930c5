/**
 * Detects sites' platforms. `detect_at` is when a site is due for a look:
 *
 * - set when a site is created without a platform, or such a site moves to another address;
 * - moved into the future when a look begins, so that a crash repeats the look, and when the site did not answer;
 * - cleared by a result, by the last try, and when the user chooses a platform.
 *
 * Looks run concurrently and outside any transaction; a site that hangs occupies one of several places for some seconds.
 */
import { plusMs } from '../../platform/clock.ts'
import type { Context } from '../../platform/context.ts'
import { errorField } from '../../platform/log.ts'
import type { StepResult } from '../../platform/loop.ts'
import { detectPlatform, LONGEST_LOOK_MS } from './detect-platform.ts'
import {
  type DetectionLease,
  leaseDueSites,
  nextDetectionAt,
  postponeDetection,
  returnDetection,
  settleDetection,
} from './queries.ts'

/** The most looks at the same time in this process. */
const PLACES = 16
/** Several times what a look and its recording take. */
const LEASE_MS = 4 * LONGEST_LOOK_MS
/** Long enough for the site to finish a deployment or get its certificate. */
const AGAIN_AFTER_MS = 5 * 60_000

type Needs = Pick<Context, 'changes' | 'clock' | 'db' | 'egress' | 'log'>

/** Runs this process's looks. */
export class Detector {
  readonly #ctx: Needs
  readonly #onCapacity: () => void
  readonly #abort = new AbortController()
  readonly #underWay = new Set<Promise<void>>()

  /** Calls `onCapacity` when a place becomes free and a step may fill it. */
  constructor(ctx: Needs, onCapacity: () => void) {
    this.#ctx = ctx
    this.#onCapacity = onCapacity
  }

  /** Starts the looks that are due, as far as there are places; does not wait for them. One call at a time. */
  async step(): Promise<StepResult> {
    const free = PLACES - this.#underWay.size
    if (this.#abort.signal.aborted || free === 0) return { again: false }
    const { clock, db } = this.#ctx
    const now = clock.now()
    const leases = await leaseDueSites(db.root, { limit: free, now, until: plusMs(now, LEASE_MS) })
    for (const lease of leases) this.#begin(lease)
    if (leases.length > 0) return { again: true }
    const next = await nextDetectionAt(db.root, now)
    return next === undefined ? { again: false } : { again: false, waitMs: Math.max(1, next.getTime() - now.getTime()) }
  }

  /** Runs until nothing is due and no look is under way. */
  async drain(): Promise<void> {
    while ((await this.step()).again) await this.#idle()
    await this.#idle()
  }

  /** Ends the looks under way and starts no more; another process, or the next start, repeats them. Call it when no step runs. */
  async stop(): Promise<void> {
    this.#abort.abort()
    await this.#idle()
  }

  async #idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  #begin(lease: DetectionLease): void {
    const look = this.#look(lease).finally(() => {
      this.#underWay.delete(look)
      this.#onCapacity()
    })
    this.#underWay.add(look)
  }

  /** Makes one look and records its result. Never rejects: a look that is not recorded is repeated when its lease expires. */
  async #look(lease: DetectionLease): Promise<void> {
    const { changes, clock, db, egress, log } = this.#ctx
    const about = { site_id: lease.siteId, tries: lease.tries }
    try {
      const look = await detectPlatform(egress, lease.url, this.#abort.signal)
      switch (look.kind) {
        case 'settled':
          if (!(await settleDetection(db.root, lease, look.platform))) return
          changes.tell([{ owner: lease.accountId, kind: 'site', id: lease.siteId }])
          log.info('site.detected', { ...about, platform: look.platform, unreached: look.unreached })
          return
        case 'later':
          await postponeDetection(db.root, lease, plusMs(clock.now(), AGAIN_AFTER_MS))
          log.info('site.not_detected', { ...about, reason: look.reason })
          return
        case 'interrupted':
          await returnDetection(db.root, lease, clock.now())
      }
    } catch (error) {
      log.error('site.detection_failed', { ...about, error: errorField(error) })
    }
  }
}
