/**
 * Reading again what has changed, in rounds: the first at once, each next one when the last has been answered and a pause has
 * passed, which grows while things keep changing. So a thousand deliveries cost a handful of requests.
 */
import type { LiveEvent } from '@postrider/sdk'
import type { QueryClient, QueryKey } from '@tanstack/react-query'

const FIRST_ROUND_AFTER_MS = 50
const SHORTEST_PAUSE_MS = 500
// While things keep changing pauses grow to this: a few requests each stay far below the 5,000 an hour that the service allows.
const LONGEST_PAUSE_MS = 8_000

/** What has changed since the last round: everything, or some things of some nouns. */
type Changed = { everything: boolean; nouns: Set<string>; ids: Set<string> }

const nothing = (): Changed => ({ everything: false, nouns: new Set(), ids: new Set() })

/**
 * Which nouns an event is about, and which things of them, by the rule for keys in `queries.ts`. `known`: the thing itself
 * is as it was read last.
 */
function note(changed: Changed, { event, data }: LiveEvent, known: boolean): void {
  const about = (nouns: string[], ...ids: string[]) => {
    for (const noun of nouns) changed.nouns.add(noun)
    for (const id of ids) changed.ids.add(id)
  }
  switch (event) {
    case 'ready':
    case 'resync':
      changed.everything = true
      break
    case 'post.changed':
    case 'post.deleted':
      about(['posts', 'deliveries'], ...(known ? [] : [data.id]))
      break
    case 'delivery.changed':
      about(['posts', 'deliveries', 'sites'], data.id, data.post_id, data.site_id)
      break
    case 'site.changed':
    case 'site.deleted':
      about(['sites', 'posts', 'deliveries'], data.id)
      break
    case 'job.changed':
    case 'job.deleted':
      about(['jobs'], data.id)
      break
    default:
      event satisfies never
  }
}

/** Whether what is kept under a key is older than the changes. */
function isOld({ everything, nouns, ids }: Changed, [noun, kind, id]: QueryKey): boolean {
  if (everything) return true
  return nouns.has(String(noun)) && (kind !== 'one' || ids.has(String(id)))
}

/** Gathers what has changed, and has it read again in rounds. */
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

  /** Something has changed. */
  note(event: LiveEvent): void {
    note(this.#changed, event, this.#knows(event))
    this.#next()
  }

  /** Whether this page has caused it: then it has the post as it is now, and need not read the whole text again. */
  #knows({ event, data }: LiveEvent): boolean {
    if (event !== 'post.changed') return false
    const known = this.#queries.getQueryData<{ version: number; status: string }>(['posts', 'one', data.id])
    return known?.version === data.version && known.status === data.status
  }

  /** Nothing is read any more. */
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
    // What cannot be read says so where it is shown.
    await this.#queries.invalidateQueries({
      refetchType: document.visibilityState === 'hidden' ? 'none' : 'active',
      predicate: ({ queryKey }) => isOld(changed, queryKey),
    })
    this.#endedAt = performance.now()
    this.#running = false
    this.#next()
  }
}
