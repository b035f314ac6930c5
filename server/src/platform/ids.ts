import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'
import type { Clock } from './clock.ts'

/** Makes identifiers: UUIDv7 (RFC 9562), so that they sort roughly by time of creation. */
export type Ids = { next(): string }

/** Ids stamped with the given clock's time. */
export function createIds(clock: Clock): Ids {
  const rng = pooledRandomBytes()
  return { next: () => v7({ msecs: clock.now().getTime(), rng }) }
}

const ID_BYTES = 16

/** Random bytes, fetched for 512 ids at once: fetching them for each id took 1.6 of the 1.8 µs that an id took. */
function pooledRandomBytes(): () => Uint8Array {
  const pool = new Uint8Array(512 * ID_BYTES)
  let used = pool.length
  return () => {
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    used += ID_BYTES
    return pool.subarray(used - ID_BYTES, used)
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether `text` has the form of an id; anything else names a resource that does not exist. */
export function isId(text: string): boolean {
  return UUID.test(text)
}

/** The smallest id that can have been made at `time`: ids below it are older. */
export function firstIdAt(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}
