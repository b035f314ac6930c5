// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of source text
/** Who may work on a lane: workers, leases, fences and locks. */
import type { Mutant } from '../mutants.ts'

/** On the simulation's one connection a transaction excludes all others, so no statement ever waits for a lock. */
const LOCKS = 'server/test/locks.test.ts'
/** Stories hardly ever hold a lane for long enough beside the right accident, or have clocks that differ by just enough. */
const LEASES = 'server/test/deliveries.test.ts'
/** In stories workers die or hang, and none is asked to stop while it sends; one in thousands has the right accident beside a change. */
const WITHDRAWN = 'server/test/withdrawn.test.ts'
/** Whom it concerns is cut off for longer than a story lasts. */
const WORKERS = 'server/test/database.test.ts'

export const OWNERSHIP: readonly Mutant[] = [
  {
    name: 'a worker that others take for dead goes on leasing lanes',
    file: 'engine/workers.ts',
    from: 'return isTrusted ? this.#id : undefined',
    to: 'return this.#id',
  },
  {
    name: 'a worker whose row was removed goes on under its leases',
    file: 'engine/workers.ts',
    from: '      this.#id = ids.next()\n',
    to: '',
    test: WORKERS,
  },
  {
    name: 'a worker that was not seen either judges others after an outage',
    file: 'engine/workers.ts',
    from: 'since = case when seen_at < ${now} - ${UNSEEN} then ${now} else since end',
    to: 'since = since',
    test: WORKERS,
  },
  {
    name: 'a worker judges others as soon as it has joined',
    file: 'engine/workers.ts',
    from: 'returning since < ${now} - ${UNSEEN} as "mayJudge"',
    to: 'returning true as "mayJudge"',
    survives: 'only an outage makes the judge be wrong: everybody is unseen then; database.test.ts has one',
  },
  {
    name: 'results are recorded without comparing the fence',
    file: 'engine/settle.ts',
    from: 'const held = settlements.filter(isHeld)',
    to: 'const held = settlements',
  },
  {
    name: 'lanes are released without comparing the fence',
    file: 'engine/settle.ts',
    from: 'releases.filter(isHeld)',
    to: 'releases',
  },
  {
    name: 'a lane whose last attempt has no known outcome is released as if it had',
    file: 'engine/dispatcher.ts',
    from: 'isAbandoned: lane.hasUnknown',
    to: 'isAbandoned: false',
    test: WITHDRAWN,
  },
  {
    name: 'an attempt starts without looking at the lease',
    file: 'engine/dispatcher.ts',
    from: 'remainingMs(clock, lease.deadline) >= this.#channels.budgetMs + RECORDING_MS',
    to: 'true',
  },
  {
    name: 'a clock that was set back makes a lease longer for its holder',
    file: 'platform/clock.ts',
    from: 'return Math.min(at.getTime() - clock.now().getTime(), atMonotonicMs - clock.monotonicMs())',
    to: 'return at.getTime() - clock.now().getTime()',
    test: LEASES,
  },
  {
    name: 'a machine that slept relies on its leases',
    file: 'platform/clock.ts',
    from: 'return Math.min(at.getTime() - clock.now().getTime(), atMonotonicMs - clock.monotonicMs())',
    to: 'return atMonotonicMs - clock.monotonicMs()',
    test: LEASES,
  },
  {
    name: 'leases are ignored by the claim',
    file: 'engine/lease.ts',
    from: ' and (leased_until is null or leased_until <= ${now})',
    to: '',
  },
  {
    name: 'an abandoned lane is not due',
    file: 'engine/lease.ts',
    from: 'leased_by = ${workerId}::uuid, due_at = ${endIn(clock, ms)}',
    to: 'leased_by = ${workerId}::uuid, due_at = null',
  },
  {
    name: 'a process takes its own lanes again after it was suspended',
    file: 'engine/lease.ts',
    from: 'and site_id <> all(${plainArray(held)}::uuid[])',
    to: '',
    test: LEASES,
  },
  {
    name: 'settling does not lock the lanes',
    file: 'engine/settle.ts',
    from: 'order by site_id for update',
    to: 'order by site_id',
    test: LOCKS,
  },
  {
    name: 'enqueueing does not lock the lanes',
    file: 'engine/lanes.ts',
    from: 'any(${siteIds}::uuid[]) order by site_id for update',
    to: 'any(${siteIds}::uuid[]) order by site_id',
    test: LOCKS,
  },
  {
    name: 'two processes publish a due post without locking it',
    file: 'posts/schedule.ts',
    from: '    .forUpdate()\n    .skipLocked()\n',
    to: '',
    test: LOCKS,
  },
]
