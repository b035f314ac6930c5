import { v7 } from 'uuid'
import type { Clock } from './clock.ts'

/** Makes identifiers: UUIDv7 (RFC 9562), so that they sort roughly by time of creation. */
export type Ids = { next(): string }

/** Ids stamped with the given clock's time. */
export function createIds(clock: Clock): Ids {
  return { next: () => v7({ msecs: clock.now().getTime() }) }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether `text` can be an id at all; anything else names a resource that does not exist. */
export function isId(text: string): boolean {
  return UUID.test(text)
}
