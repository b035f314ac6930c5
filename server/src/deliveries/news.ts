import { LRUCache } from 'lru-cache'

/** The sites last heard of are known by name. */
const KNOWN = 1_000

/** Of which sites something was heard lately, and when, counted in news. */
export class News {
  #count = 0
  /** The last news that may have been of any site. */
  #ofAny = 0
  readonly #ofSite = new LRUCache<string, number>({
    max: KNOWN,
    dispose: (at, _siteId, reason) => {
      if (reason === 'evict') this.#ofAny = Math.max(this.#ofAny, at)
    },
  })

  /** How much has been heard. */
  get count(): number {
    return this.#count
  }

  /** Notes news of a site; of any site, if undefined. */
  hear(siteId: string | undefined): void {
    this.#count += 1
    if (siteId === undefined) this.#ofAny = this.#count
    else this.#ofSite.set(siteId, this.#count)
  }

  /** Whether there may have been news of a site after so much had been heard. */
  since(heard: number, siteId: string): boolean {
    return this.#ofAny > heard || (this.#ofSite.get(siteId) ?? 0) > heard
  }
}
