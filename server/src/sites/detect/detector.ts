/**
 * Finds out what sites run on. A site with `detect_at` set is to be looked at then:
 *
 * - set by creating a site without a platform, and by moving such a site to another address;
 * - pushed forward by a look that begins, so that a crash repeats it, and by one that the site did not answer;
 * - cleared by what was found, by the last try, and by a user who chooses the platform.
 *
 * Looks run side by side and outside any transaction; a site that hangs takes one of several places, for seconds.
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

/** Looks under way in this process. */
const PLACES = 16
/** A look and its recording fit in several times over. */
const LEASE_MS = 4 * LONGEST_LOOK_MS
/** Long enough for a deployment or a certificate to be finished. */
const AGAIN_AFTER_MS = 5 * 60_000

type Needs = Pick<Context, 'changes' | 'clock' | 'db' | 'egress' | 'log'>

/** Holds the looks that this process has under way. */
export class Detector {
  readonly #ctx: Needs
  readonly #onCapacity: () => void
  readonly #abort = new AbortController()
  readonly #underWay = new Set<Promise<void>>()

  /** `onCapacity` is called when a place became free and a step may fill it. */
  constructor(ctx: Needs, onCapacity: () => void) {
    this.#ctx = ctx
    this.#onCapacity = onCapacity
  }

  /** Begins the looks that are due and have a place; does not wait for them. One call at a time. */
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

  /** Once no step runs: begins nothing more and ends the looks under way; another process, or the next start, makes them again. */
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

  /** One look and what follows from it. Never rejects: what is not recorded is repeated when the lease runs out. */
  async #look(lease: DetectionLease): Promise<void> {
    const { changes, clock, db, egress, log } = this.#ctx
    const about = { site_id: lease.siteId, tries: lease.tries }
    try {
      const look = await detectPlatform(egress, lease.url, this.#abort.signal)
      switch (look.kind) {
        case 'settled':
          if (!(await settleDetection(db.root, lease, look.platform))) return
          changes.tell([{ owner: lease.accountId, kind: 'site', id: lease.siteId }])
          log.info('site.detected', { ...about, platform: look.platform })
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
