import { LRUCache } from 'lru-cache'
import type { Keys } from '../platform/crypto.ts'
import { openSecret } from './endpoints.ts'
import { type SigningKey, signingKey } from './sign.ts'

/** How many sites' keys are kept unsealed; unsealing one costs about as much as signing. */
const KEPT = 4_096

/** The signing keys of sites, kept for those that were sent something last. */
export class SigningKeys {
  readonly #keys: Keys
  readonly #opened = new LRUCache<string, { sealed: Uint8Array; key: SigningKey }>({ max: KEPT })

  constructor(keys: Keys) {
    this.#keys = keys
  }

  /** The key in `sealed`. After a rotation the site's sealed bytes are others, so the kept key is not used. */
  of(siteId: string, sealed: Buffer): SigningKey {
    const known = this.#opened.get(siteId)
    if (known !== undefined && sealed.equals(known.sealed)) return known.key
    const key = signingKey(openSecret(this.#keys, siteId, sealed))
    // A copy: the original is a slice of a larger buffer, which it would retain.
    this.#opened.set(siteId, { sealed: new Uint8Array(sealed), key })
    return key
  }
}
