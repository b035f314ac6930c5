import { LRUCache } from 'lru-cache'

/** How many sites are remembered one by one: those last heard of. */
const KNOWN = 1_000

/** Of which sites there was news lately, and when. The time is the number of news so far. */
export class News {
  #count = 0
  /** The last news that may concern any site: of all sites, or of one that is not remembered any more. */
  #ofAny = 0
  readonly #ofSite = new LRUCache<string, number>({
    max: KNOWN,
    dispose: (at, _siteId, reason) => {
      if (reason === 'evict') this.#ofAny = Math.max(this.#ofAny, at)
    },
  })

  /** The number of news so far. */
  get count(): number {
    return this.#count
  }

  /** Notes news of a site; of any site, if undefined. */
  hear(siteId: string | undefined): void {
    this.#count += 1
    if (siteId === undefined) this.#ofAny = this.#count
    else this.#ofSite.set(siteId, this.#count)
  }

  /** Whether there may have been news of a site since `count` was `heard`. */
  since(heard: number, siteId: string): boolean {
    return this.#ofAny > heard || (this.#ofSite.get(siteId) ?? 0) > heard
  }
}
