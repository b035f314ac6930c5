// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of source text
/** Build hooks: what one request serves, and when the next may come. */
import type { Mutant } from '../mutants.ts'

export const BUILDS: readonly Mutant[] = [
  {
    name: 'a build settles what was enqueued after its request',
    file: 'engine/dispatcher.ts',
    from: 'const settled = alongside && [...alongside.due, ...(isAccepted(result) ? alongside.later : [])]',
    to: `const now = (await readPending({ db: this.#ctx.db.root, clock: this.#ctx.clock }, [siteId])).get(siteId)
      const settled = alongside && [...(now?.due ?? []), ...(now?.later ?? [])].filter(({ id }) => id !== delivery.id)`,
  },
  {
    name: 'a build that is accepted leaves what waits for a retry',
    file: 'engine/dispatcher.ts',
    from: 'isAccepted(result) ? alongside.later : []',
    to: '[]',
  },
  {
    name: 'a build that is refused counts for what waits for a retry',
    file: 'engine/dispatcher.ts',
    from: 'isAccepted(result) ? alongside.later : []',
    to: 'alongside.later',
  },
  {
    name: 'a build is started for every delivery',
    file: 'engine/held-lane.ts',
    from: 'if (!this.isDebounced) return undefined',
    to: 'return undefined',
  },
  {
    name: 'a build is started within the debounce',
    file: 'engine/debounce.ts',
    from: 'coalesce(${EARLIEST_ATTEMPT} <= ${now}, true)',
    to: 'true',
  },
  {
    name: 'nobody notes when a build was started',
    file: 'engine/debounce.ts',
    from: 'set attempted_at = ${clock.inDatabase()}',
    to: 'set attempted_at = null',
  },
  {
    name: 'a debounce is never over',
    file: 'engine/debounce.ts',
    from: 'coalesce(${EARLIEST_ATTEMPT} <= ${now}, true)',
    to: 'l.attempted_at is null',
  },
  {
    name: 'a lane is leased again and again until its debounce is over',
    file: 'engine/settle.ts',
    from: 'greatest(d.next_attempt_at, ${now}, ${EARLIEST_ATTEMPT})',
    to: 'greatest(d.next_attempt_at, ${now})',
  },
]
