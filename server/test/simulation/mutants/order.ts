// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of source text
/** What a site is sent of a post, and in which order: newer events, removals, confirmations. */
import type { Mutant } from '../mutants.ts'

/** In stories workers die or hang, and none is asked to stop while it sends; one in thousands has the right accident beside a change. */
const WITHDRAWN = 'server/test/withdrawn.test.ts'

export const ORDER: readonly Mutant[] = [
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
    name: 'what is withdrawn is sent by whoever has read it',
    file: 'engine/dispatcher.ts',
    from: 'if (event === undefined || lane.hasEnded(delivery)) return true',
    to: 'if (event === undefined) return true',
  },
  {
    name: 'no removal is sent of what may be under way',
    file: 'engine/supersede.ts',
    from: 'l.leased_until is not null or (\n          select',
    to: '(\n          select',
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
    name: 'a confirmation leaves older events pending',
    file: 'engine/confirm.ts',
    from: "set({ status: 'failed', last_error: 'superseded', next_attempt_at: null, finished_at: at })",
    to: 'set({ metadata: null })',
  },
  {
    name: 'a failed delivery is sent again although there is a newer one',
    file: 'deliveries/history.ts',
    from: 'newer.sequence < max(newer.sequence) over ()',
    to: 'false',
  },
]
