// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of source text
/** Breaks the engine on purpose, one line at a time, to show that the simulation notices. */
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** One way to break the engine: `from` occurs once in the file and becomes `to`. */
export type Mutant = {
  name: string
  file: string
  from: string
  to: string
  /** Why the simulation cannot notice it; such a mutant is expected to survive. */
  survives?: string
  /** The test that notices it where the simulation cannot. */
  test?: string
}

/** On the simulation's one connection a transaction excludes all others, so no statement ever waits for a lock. */
const LOCKS = 'server/test/locks.test.ts'
/** Stories hardly ever hold a lane for long enough beside the right accident, or have clocks that differ by just enough. */
const LEASES = 'server/test/deliveries.test.ts'
/** At most one of 50,000 stories notices it, and a mutant is given far fewer. */
const HANDOVER = 'server/test/handover.test.ts'

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a worker that is missed goes on leasing lanes',
    file: 'deliveries/dispatcher.ts',
    from: 'return this.#stopping || this.#isMissed',
    to: 'return this.#stopping',
  },
  {
    name: 'a worker that is missed goes on under its leases',
    file: 'deliveries/dispatcher.ts',
    from: `this.#misses += 1
    this.endpointChanged(undefined)`,
    to: 'this.#misses += 1',
  },
  {
    name: 'a worker goes on with lanes that it leased while it was missed',
    file: 'deliveries/dispatcher.ts',
    from: 'if (misses !== this.#misses) run?.halt()',
    to: '',
    test: LEASES,
  },
  {
    name: 'a lane is handed over to whoever still has an attempt in flight in it',
    file: 'deliveries/dispatcher.ts',
    from: 'if (lost !== undefined && lost.flights.length > 0) {',
    to: 'if (lost === null) {',
    test: HANDOVER,
  },
  {
    name: 'a run whose lease is lost goes on beside the next one of its lane',
    file: 'deliveries/dispatcher.ts',
    from: 'lost?.halt()',
    to: '',
    test: HANDOVER,
  },
  {
    name: 'what was read under a lost lease is sent under the next one',
    file: 'deliveries/dispatcher.ts',
    from: 'run?.lease !== lease',
    to: 'run === undefined',
    test: HANDOVER,
  },
  {
    name: 'results are recorded without comparing the fence',
    file: 'deliveries/results.ts',
    from: 'on l.site_id = o.site_id and l.fence = o.fence',
    to: 'on l.site_id = o.site_id',
  },
  {
    name: 'lanes are released without comparing the fence',
    file: 'deliveries/settle.ts',
    from: 'lanes.get(lease.siteId)?.fence === lease.fence',
    to: 'lanes.has(lease.siteId)',
  },
  {
    name: 'a released lane is not due when its next delivery is',
    file: 'deliveries/settle.ts',
    from: '(select greatest(d.next_attempt_at, ${now}, ${POSTPONED})',
    to: '(select null::timestamptz',
  },
  {
    name: 'an enqueue does not make its lanes due',
    file: 'deliveries/enqueue.ts',
    from: 'else least(l.due_at, ${now}::timestamptz) end',
    to: 'else l.due_at end',
  },
  {
    name: 'an enqueue leases lanes that somebody holds',
    file: 'deliveries/enqueue.ts',
    from: 'l.leased_until is null and l.due_at is null',
    to: 'true',
  },
  {
    name: 'an enqueue leases lanes in which something else is due',
    file: 'deliveries/enqueue.ts',
    from: 'l.leased_until is null and l.due_at is null',
    to: 'l.leased_until is null',
    survives:
      'what else is due waits for one attempt, as behind any other to its site; the newest of a post goes first anyway',
  },
  {
    name: 'an enqueue leases lanes without raising their fence',
    file: 'deliveries/enqueue.ts',
    from: 'case when b.idle then ${nextFence(clock, sql`l.fence`)} else l.fence end',
    to: 'l.fence',
    survives:
      'another process has to lease a lane anew within the quarter of a second in which its release is repeated; handover.test.ts looks at the fence',
  },
  {
    name: 'an enqueue leases lanes whose last holder may not have recorded everything',
    file: 'deliveries/enqueue.ts',
    from: ' and not l.recovering',
    to: '',
    survives:
      'nobody has attempted what is enqueued, so that what comes of it is known; what was attempted before has ended',
  },
  {
    name: 'an enqueue leases the lanes of paused sites',
    file: 'deliveries/enqueue.ts',
    from: ' and not a.paused as idle',
    to: ' as idle',
  },
  {
    name: 'the takeover after a crash is forgotten by the claim',
    file: 'deliveries/lease.ts',
    from: 'recovering = recovering or leased_until is not null',
    to: 'recovering = recovering',
  },
  {
    name: 'after a crash what was due is judged by the own clock alone',
    file: 'deliveries/lease.ts',
    from: 'greatest(read_until, ${now})',
    to: '${now}::timestamptz',
    test: LEASES,
  },
  {
    name: 'after a crash what fails is due again at once',
    file: 'deliveries/lease.ts',
    from: '(d.next_attempt_at <= ${now} or not d.uncertain)',
    to: '${now}::timestamptz is not null',
    test: LEASES,
  },
  {
    name: 'after a crash the oldest event goes first',
    file: 'deliveries/dispatcher.ts',
    from: 'chooseAttempts(due, run.lease.recovering)',
    to: 'chooseAttempts(due, false)',
  },
  {
    name: 'a failure after a crash proves that nothing arrived',
    file: 'deliveries/results.ts',
    from: 'return delivery.uncertain || lease.recovering',
    to: 'return false',
  },
  {
    name: 'every release is a clean one',
    file: 'deliveries/settle.ts',
    from: 'case when o.released then not o.clean else l.recovering end',
    to: 'case when o.released then false else l.recovering end',
  },
  {
    name: 'all events of a post at once',
    file: 'deliveries/policy.ts',
    from: 'return [...byPost.values()]',
    to: 'return [...due]',
  },
  {
    name: 'older events are not superseded',
    file: 'deliveries/settle.ts',
    from: 'if (arrived.length === 0) return',
    to: 'return',
  },
  {
    name: 'what is withdrawn stays pending',
    file: 'deliveries/supersede.ts',
    from: "where id in (select id from own where status = 'pending')",
    to: 'where false',
  },
  {
    name: 'who has read what is withdrawn still sends it',
    file: 'deliveries/supersede.ts',
    from: "await ctx.signals.send(tx, 'superseded', `${siteId}/${postId}`)",
    to: 'void 0',
  },
  {
    name: 'no removal is sent of what is being attempted',
    file: 'deliveries/supersede.ts',
    from: 'l.leased_until is not null or l.recovering\n        or (',
    to: 'l.recovering or (',
  },
  {
    name: 'no removal is sent of what a dead worker may have attempted',
    file: 'deliveries/supersede.ts',
    from: 'l.leased_until is not null or l.recovering\n        or (',
    to: 'l.leased_until is not null or (',
  },
  {
    name: 'no removal is sent of what was attempted in vain',
    file: 'deliveries/supersede.ts',
    from: 'bool_and(untried)',
    to: 'true',
  },
  {
    name: 'the result of what was withdrawn meanwhile is not recorded',
    file: 'deliveries/results.ts',
    from: '...(await recordSuperseded(tx, others))',
    to: '',
  },
  {
    name: 'an update replaces what is being attempted',
    file: 'deliveries/supersede.ts',
    from: ' and l.leased_until is null and not l.recovering\n',
    to: '\n',
  },
  {
    name: 'the delay runs from the start of the attempt',
    file: 'deliveries/policy.ts',
    from: 'plusMs(result.finishedAt, delayMs)',
    to: 'plusMs(result.startedAt, delayMs)',
  },
  {
    name: 'one attempt fewer than promised',
    file: 'deliveries/policy.ts',
    from: 'retryDelaysMs[made.attemptsInRound - 1]',
    to: 'retryDelaysMs[made.attemptsInRound]',
  },
  {
    name: 'a batch that is repeated is recorded twice',
    file: 'deliveries/results.ts',
    from: "d.status = 'pending' and d.attempts = o.attempts - 1",
    to: "d.status = 'pending'",
  },
  {
    name: 'a result changes what has ended in another way',
    file: 'deliveries/results.ts',
    from: "where d.id = o.id and d.status = 'pending' and",
    to: 'where d.id = o.id and',
  },
  {
    name: 'a process takes its own lanes again after it was suspended',
    file: 'deliveries/lease.ts',
    from: 'and site_id not in (select unnest(${plainArray(held)}::uuid[]))',
    to: '',
    test: LEASES,
  },
  {
    name: 'attempts start without looking at the lease',
    file: 'deliveries/dispatcher.ts',
    from: '&& this.#isLongEnough(run.lease)',
    to: '',
  },
  {
    name: 'a clock that was set back makes a lease longer for its holder',
    file: 'deliveries/dispatcher.ts',
    from: ' && clock.monotonicMs() + neededMs <= untilMs',
    to: '',
    test: LEASES,
  },
  {
    name: 'a machine that slept relies on its leases',
    file: 'deliveries/dispatcher.ts',
    from: 'clock.now().getTime() + neededMs <= until.getTime() && ',
    to: '',
    test: LEASES,
  },
  {
    name: 'whether a lease has run out is decided by the own clock',
    file: 'deliveries/lease.ts',
    from: '(leased_until is null or leased_until <= ${clock.inDatabase()})',
    to: '(leased_until is null or leased_until <= ${now})',
  },
  {
    name: 'leases are ignored by the claim',
    file: 'deliveries/lease.ts',
    from: 'and (leased_until is null or leased_until <= ${clock.inDatabase()})',
    to: '',
  },
  {
    name: 'an abandoned lane is not due',
    file: 'deliveries/lease.ts',
    from: 'set leased_until = ${end}, due_at = ${end}',
    to: 'set leased_until = ${end}, due_at = null',
  },
  {
    name: 'a lane counts as recovered though only a part of it was read',
    file: 'deliveries/dispatcher.ts',
    from: 'run.complete = dueInLane.length < perLane[kindOf(lease)]',
    to: 'run.complete = true',
    test: LEASES,
  },
  {
    name: 'a lane counts as recovered though its site was paused',
    file: 'deliveries/lane-run.ts',
    from: 'this.target !== undefined && this.complete',
    to: 'this.complete',
  },
  {
    name: 'what was read before a change of the endpoint is sent after it',
    file: 'deliveries/lane-run.ts',
    from: 'this.halted = true',
    to: '',
  },
  {
    name: 'what is paused is sent',
    file: 'deliveries/lease.ts',
    from: 'and not paused and secret_sealed is not null',
    to: 'and secret_sealed is not null',
  },
  {
    name: 'the signature is over other bytes',
    file: 'deliveries/attempt.ts',
    from: 'deliveryId, body, at })',
    to: "deliveryId, body: Buffer.concat([body, Buffer.from(' ')]), at })",
  },
  {
    name: 'a kept signing key outlives its secret',
    file: 'deliveries/attempt.ts',
    from: 'const opened = new WeakMap<Target, SigningKey>()',
    to: 'const kept = new Map<string, SigningKey>(); const opened = { get: (one: Target) => kept.get(one.siteId), set: (one: Target, key: SigningKey) => kept.set(one.siteId, key) }',
  },
  {
    name: 'an attempt that hangs keeps its slot',
    file: 'deliveries/turns.ts',
    from: 'this.#takeFromSlow(now)\n    if (this.#free === 0) this.#comeBack(now)',
    to: 'if (this.#free === 0) this.#comeBack(now)',
  },
  {
    name: 'room for a large content is not given back',
    file: 'deliveries/turns.ts',
    from: 'this.#roomOf(run).give(flight.room)',
    to: '',
  },
  {
    name: 'a lane that finds no room keeps its lease',
    file: 'deliveries/turns.ts',
    from: 'run.postpone()\n      this.#leave(run)',
    to: 'run.postpone()',
  },
  {
    name: 'a site that does not answer is no suspect',
    file: 'deliveries/policy.ts',
    from: 'return { suspect: result.silent, failing, failuresInARow }',
    to: 'return { suspect: false, failing, failuresInARow }',
    survives: 'within a story of seconds a suspect costs the others no more than a slow site does',
  },
  {
    name: 'a paused site misses the update of a post that it has',
    file: 'deliveries/enqueue.ts',
    from: 'and e.deleted_at is null',
    to: 'and e.deleted_at is null and not e.paused',
  },
  {
    name: 'a scheduled post is published whenever somebody has read that it is due',
    file: 'posts/due-queries.ts',
    from: "    .where('status', '=', 'scheduled')\n    .where('scheduled_at', '<=', now)\n    .orderBy('id')",
    to: "    .orderBy('id')",
  },
  {
    name: 'a confirmation leaves older events pending',
    file: 'deliveries/confirm.ts',
    from: "set({ status: 'failed', last_error: 'superseded', next_attempt_at: null, finished_at: at })",
    to: 'set({ metadata: null })',
  },
  {
    name: 'a manual retry does not take the failure out of the sums',
    file: 'deliveries/requeue.ts',
    from: 'set failed = h.failed - s.failed',
    to: 'set failed = h.failed',
  },
  {
    name: 'a manual retry leaves the failure in the hour that the lane keeps',
    file: 'deliveries/requeue.ts',
    from: '  await closeHours(tx, siteIds)',
    to: '',
  },
  {
    name: 'an hour that is over is forgotten',
    file: 'deliveries/roll-ups.ts',
    from: 'if (kept !== undefined && kept.hour < newest.hour) others.push(kept)',
    to: '',
  },
  {
    name: 'an hour that is written down stays in its lane as well',
    file: 'deliveries/settle.ts',
    from: 'case when l.hour = o.hour then l.${name} else 0 end',
    to: 'l.${name}',
  },
  {
    name: 'what belongs to an earlier hour is forgotten',
    file: 'deliveries/settle.ts',
    from: 'await addToRollUps(tx, others)',
    to: '',
  },
  {
    name: 'resuming a site does not make it due',
    file: 'deliveries/endpoints.ts',
    from: 'due_at: sql<Date>`least(due_at, ${now}::timestamptz)`, ',
    to: '',
  },
  {
    name: 'settling does not lock the lanes',
    file: 'deliveries/settle.ts',
    from: 'order by site_id for update',
    to: 'order by site_id',
    test: LOCKS,
  },
  {
    name: 'enqueueing does not lock the lanes',
    file: 'deliveries/lanes.ts',
    from: 'any(${siteIds}::uuid[]) order by site_id for update',
    to: 'any(${siteIds}::uuid[]) order by site_id',
    test: LOCKS,
  },
  {
    name: 'two processes publish a due post without locking it',
    file: 'posts/due-queries.ts',
    from: '    .forUpdate()\n    .skipLocked()\n',
    to: '',
    test: LOCKS,
  },
]

const ROOT = resolve(import.meta.dirname, '../../..')

/** How often the code contains what the mutant replaces; it must be once. */
export async function fits(mutant: Mutant): Promise<number> {
  return (await readFile(join(ROOT, 'server/src', mutant.file), 'utf8')).split(mutant.from).length - 1
}

/** A copy of the service and of its simulation with the engine broken; `remove` deletes it. Throws when the mutant does not fit. */
export async function checkOut(mutant: Mutant): Promise<{ directory: string; remove(): Promise<void> }> {
  if ((await fits(mutant)) !== 1)
    throw new Error(`"${mutant.name}" does not fit ${mutant.file} any more: mend its \`from\`.`)
  const directory = await mkdtemp(join(tmpdir(), 'postrider-mutant-'))
  for (const part of [
    'package.json',
    'server/package.json',
    'server/src',
    'server/test/support',
    'server/test/simulation',
    ...(mutant.test === undefined ? [] : ['vitest.config.ts', 'scripts/test', mutant.test]),
  ])
    await cp(join(ROOT, part), join(directory, part), { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'))
  const path = join(directory, 'server/src', mutant.file)
  const source = await readFile(path, 'utf8')
  await writeFile(
    path,
    source.replace(mutant.from, () => mutant.to),
  )
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) }
}
