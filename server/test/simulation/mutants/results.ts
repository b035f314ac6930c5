// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of source text
/** What becomes due, what is sent, and what is recorded of it. */
import type { Mutant } from '../mutants.ts'

export const RESULTS: readonly Mutant[] = [
  {
    name: 'a released lane is not due when its next delivery is',
    file: 'engine/settle.ts',
    from: 'select greatest(d.next_attempt_at, ${now}, ${EARLIEST_ATTEMPT}) from',
    to: 'select null::timestamptz from',
  },
  {
    name: 'an enqueue does not make its lanes due',
    file: 'engine/enqueue.ts',
    from: 'update lanes l set due_at = least(l.due_at, ${ctx.clock.inDatabase()})',
    to: 'update lanes l set due_at = l.due_at',
  },
  {
    name: 'what was read before a change of the endpoint is sent after it',
    file: 'engine/held-lane.ts',
    from: '    this.isOutdated = true\n    this.isHalted = true',
    to: '    this.isOutdated = true',
  },
  {
    name: 'what is paused is sent',
    file: 'engine/lease.ts',
    from: 'and not paused and secret_sealed is not null',
    to: 'and secret_sealed is not null',
  },
  {
    name: 'resuming a site does not make it due',
    file: 'engine/endpoints.ts',
    from: '...(isDue ? { due_at: sql<Date>`least(due_at, ${ctx.clock.inDatabase()})` } : {}),\n',
    to: '',
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
    name: 'a site that does not answer is no suspect',
    file: 'engine/policy.ts',
    from: 'return { suspect: result.isSilent, failing, failuresInARow }',
    to: 'return { suspect: false, failing, failuresInARow }',
    survives: 'within a story of seconds a suspect costs the others no more than a slow site does',
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
    name: 'one attempt fewer than promised',
    file: 'engine/policy.ts',
    from: 'retryDelaysMs[made.attemptsInRound - 1]',
    to: 'retryDelaysMs[made.attemptsInRound]',
  },
  {
    name: 'the roll-ups miss what has ended',
    file: 'engine/settle.ts',
    from: 'await addToRollUps(tx, outcomesOf(settled))',
    to: '',
  },
  {
    name: 'a manual retry does not take the failure out of the sums',
    file: 'deliveries/requeue.ts',
    from: 'set failed = h.failed - s.failed',
    to: 'set failed = h.failed',
  },
  {
    name: 'a scheduled post is published whenever somebody has read that it is due',
    file: 'posts/schedule.ts',
    from: "return status === 'scheduled' && scheduled_at !== null && scheduled_at <= now ? 'publish' : undefined",
    to: "return 'publish'",
  },
]
