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
/** In stories workers die or hang, and none is asked to stop while it sends; one in thousands has the right accident beside a change. */
const WITHDRAWN = 'server/test/withdrawn.test.ts'
/** Whom it concerns is cut off for longer than a story lasts. */
const WORKERS = 'server/test/database.test.ts'

export const MUTANTS: readonly Mutant[] = [
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
    name: 'a released lane is not due when its next delivery is',
    file: 'engine/settle.ts',
    from: 'select greatest(d.next_attempt_at, ${now}, ${EARLIEST_ATTEMPT}) from',
    to: 'select null::timestamptz from',
  },
  {
    name: 'a lane whose last attempt has no known outcome is released as if it had',
    file: 'engine/dispatcher.ts',
    from: 'isAbandoned: lane.hasUnknown',
    to: 'isAbandoned: false',
    test: WITHDRAWN,
  },
  {
    name: 'an enqueue does not make its lanes due',
    file: 'engine/enqueue.ts',
    from: 'update lanes l set due_at = least(l.due_at, ${ctx.clock.inDatabase()})',
    to: 'update lanes l set due_at = l.due_at',
  },
  {
    name: 'a paused site misses the update of a post that it has',
    file: 'engine/enqueue.ts',
    from: 'and e.deleted_at is null\n    ), happened',
    to: 'and e.deleted_at is null and not e.paused\n    ), happened',
  },
  {
    name: 'after a crash older events stay pending',
    file: 'engine/lease.ts',
    from: 'if (abandoned.length === 0) return []',
    to: 'return []',
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
    name: 'what is withdrawn is sent by whoever has read it',
    file: 'engine/dispatcher.ts',
    from: 'if (event === undefined || lane.hasEnded(delivery)) return true',
    to: 'if (event === undefined) return true',
  },
  {
    name: 'what was read before a change of the endpoint is sent after it',
    file: 'engine/held-lane.ts',
    from: '    this.isOutdated = true\n    this.isHalted = true',
    to: '    this.isOutdated = true',
  },
  {
    name: 'no removal is sent of what may be under way',
    file: 'engine/supersede.ts',
    from: 'l.leased_until is not null or (\n          select',
    to: '(\n          select',
  },
  {
    name: 'the result of what was withdrawn meanwhile is not recorded',
    file: 'engine/settle.ts',
    from: "and (d.status = 'pending' or d.status = 'failed' and d.last_error = 'superseded')",
    to: "and d.status = 'pending'",
  },
  {
    name: 'a batch that is repeated is recorded twice',
    file: 'engine/settle.ts',
    from: 'where d.id = o.id and d.attempts = o.attempts - 1 and',
    to: 'where d.id = o.id and',
  },
  {
    name: 'a result changes what has ended in another way',
    file: 'engine/settle.ts',
    from: "and (d.status = 'pending' or d.status = 'failed' and d.last_error = 'superseded')",
    to: '',
  },
  {
    name: 'a retry comes without a delay',
    file: 'engine/settle.ts',
    from: "${clock.inDatabase()} + o.retry_ms * interval '1 millisecond'",
    to: "${clock.inDatabase()} + o.retry_ms * interval '0'",
  },
  {
    name: 'an attempt that hangs keeps its place',
    file: 'engine/dispatcher.ts',
    from: 'void this.#ctx.clock.sleep(SLOW_MS, ended.signal).then(() => slot?.free())',
    to: '',
  },
  {
    name: 'memory for a large content is not given back',
    file: 'engine/dispatcher.ts',
    from: '      bytes?.free()\n',
    to: '',
  },
  {
    name: 'the roll-ups miss what has ended',
    file: 'engine/settle.ts',
    from: 'await addToRollUps(tx, outcomesOf(settled))',
    to: '',
  },
  {
    name: 'a failed delivery is sent again although there is a newer one',
    file: 'deliveries/history.ts',
    from: 'newer.sequence < max(newer.sequence) over ()',
    to: 'false',
  },
  {
    name: 'all events of a post at once',
    file: 'engine/policy.ts',
    from: 'return [...byPost.values()]',
    to: 'return [...due]',
  },
  {
    name: 'older events are not superseded',
    file: 'engine/settle.ts',
    from: 'if (arrived.length === 0) return',
    to: 'return',
  },
  {
    name: 'what is withdrawn stays pending',
    file: 'engine/supersede.ts',
    from: "where id in (select id from own where status = 'pending')",
    to: 'where false',
  },
  {
    name: 'who has read what is withdrawn still sends it',
    file: 'engine/supersede.ts',
    from: "await ctx.signals.send(tx, 'superseded', `${siteId}/${postId}`)",
    to: 'void 0',
  },
  {
    name: 'no removal is sent of what a worker attempted that died',
    file: 'engine/supersede.ts',
    from: "(l.unrecorded_at is null or d.created_at > l.unrecorded_at + interval '1 minute')",
    to: 'true',
    test: WITHDRAWN,
  },
  {
    name: 'no removal is sent of what was attempted in vain',
    file: 'engine/supersede.ts',
    from: 'bool_and(untried)',
    to: 'true',
  },
  {
    name: 'an update replaces what is being attempted',
    file: 'engine/supersede.ts',
    from: ' and l.leased_until is null\n',
    to: '\n',
    test: WITHDRAWN,
  },
  {
    name: 'one attempt fewer than promised',
    file: 'engine/policy.ts',
    from: 'retryDelaysMs[made.attemptsInRound - 1]',
    to: 'retryDelaysMs[made.attemptsInRound]',
  },
  {
    name: 'what is paused is sent',
    file: 'engine/lease.ts',
    from: 'and not paused and secret_sealed is not null',
    to: 'and secret_sealed is not null',
  },
  {
    name: 'the signature is over other bytes',
    file: 'destinations/webhook/channel.ts',
    from: 'deliveryId, body, at })',
    to: "deliveryId, body: Buffer.concat([body, Buffer.from(' ')]), at })",
  },
  {
    name: 'a kept signing key outlives its secret',
    file: 'destinations/webhook/channel.ts',
    from: 'const keys = new WeakMap<Target, SigningKey>()',
    to: 'const kept = new Map<string, SigningKey>(); const keys = { get: (one: Target) => kept.get(one.siteId), set: (one: Target, key: SigningKey) => kept.set(one.siteId, key) }',
  },
  {
    name: 'a site that does not answer is no suspect',
    file: 'engine/policy.ts',
    from: 'return { suspect: result.isSilent, failing, failuresInARow }',
    to: 'return { suspect: false, failing, failuresInARow }',
    survives: 'within a story of seconds a suspect costs the others no more than a slow site does',
  },
  {
    name: 'a scheduled post is published whenever somebody has read that it is due',
    file: 'posts/schedule.ts',
    from: "return status === 'scheduled' && scheduled_at !== null && scheduled_at <= now ? 'publish' : undefined",
    to: "return 'publish'",
  },
  {
    name: 'a confirmation leaves older events pending',
    file: 'engine/confirm.ts',
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
    name: 'resuming a site does not make it due',
    file: 'engine/endpoints.ts',
    from: '...(isDue ? { due_at: sql<Date>`least(due_at, ${ctx.clock.inDatabase()})` } : {}),\n',
    to: '',
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
    from: '.forUpdate().skipLocked()',
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
