/**
 * Fetches again what has changed, in rounds. The first round starts at once, each further one when the last has been answered
 * and a pause has passed; the pause grows while changes keep coming. So a thousand deliveries cost a handful of requests.
 */
import type { LiveEvent } from '@postrider/sdk'
import type { QueryClient, QueryKey } from '@tanstack/react-query'

const FIRST_ROUND_AFTER_MS = 50
const SHORTEST_PAUSE_MS = 500
// Pauses grow up to this: with a few requests each, the page stays far below the 5,000 an hour that the service allows.
const LONGEST_PAUSE_MS = 8_000

/** What has changed since the last round: everything, or things of some nouns. */
type Changed = { everything: boolean; nouns: Set<string>; ids: Set<string> }

const nothing = (): Changed => ({ everything: false, nouns: new Set(), ids: new Set() })

type Change = Exclude<LiveEvent, { event: 'ready' | 'resync' }>['event']

/** What shows things of each kind, by the rule for keys in `queries.ts`. A change of a delivery also changes its site, which is announced. */
const SHOWN_IN: Record<Change, readonly string[]> = {
  'post.changed': ['posts', 'deliveries', 'media'],
  'delivery.changed': ['posts', 'deliveries', 'sites'],
  'site.changed': ['sites', 'posts', 'deliveries'],
  'job.changed': ['jobs'],
  'channel.changed': ['channels'],
  'incident.changed': ['incidents'],
  'medium.changed': ['media'],
}

/** Adds the nouns and things that an event concerns. */
function note(changed: Changed, { event, data }: LiveEvent): void {
  if (event === 'ready' || event === 'resync') {
    changed.everything = true
    return
  }
  for (const noun of SHOWN_IN[event]) changed.nouns.add(noun)
  for (const id of data.ids) changed.ids.add(id)
}

/** Whether the changes make the query of this key stale. */
function isOld({ everything, nouns, ids }: Changed, [noun, kind, id]: QueryKey): boolean {
  if (everything) return true
  return nouns.has(String(noun)) && (kind !== 'one' || ids.has(String(id)))
}

/** Collects changes and fetches them again in rounds. */
export class Rounds {
  readonly #queries: QueryClient
  #changed = nothing()
  #timer: ReturnType<typeof setTimeout> | undefined
  #running = false
  #endedAt = Number.NEGATIVE_INFINITY
  #pauseMs = SHORTEST_PAUSE_MS

  constructor(queries: QueryClient) {
    this.#queries = queries
  }

  /** Notes a change. */
  note(event: LiveEvent): void {
    note(this.#changed, event)
    this.#next()
  }

  /** Starts no more rounds. */
  stop(): void {
    this.#changed = nothing()
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #next(): void {
    if (this.#running || this.#timer !== undefined) return
    if (!this.#changed.everything && this.#changed.nouns.size === 0) return
    const pauseMs = this.#endedAt + this.#pauseMs - performance.now()
    this.#timer = setTimeout(() => void this.#run(), Math.max(pauseMs, FIRST_ROUND_AFTER_MS))
  }

  async #run(): Promise<void> {
    const changed = this.#changed
    const wasQuiet = performance.now() - this.#endedAt > 2 * this.#pauseMs
    this.#pauseMs = wasQuiet ? SHORTEST_PAUSE_MS : Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS)
    this.#changed = nothing()
    this.#timer = undefined
    this.#running = true
    // A query that fails shows its error where it is used.
    await this.#queries.invalidateQueries({
      refetchType: document.visibilityState === 'hidden' ? 'none' : 'active',
      predicate: ({ queryKey }) => isOld(changed, queryKey),
    })
    this.#endedAt = performance.now()
    this.#running = false
    this.#next()
  }
}
