/**
 * The time zone for planning, kept in this browser; it may be the readers' zone. This machine's own zone is not kept, because
 * it changes when somebody travels.
 */

import { OWN_ZONE, zones } from '../../../schedule/zoned.ts'
import { attempt } from '../saving/draft-shelf.ts'

const KEY = 'postrider.zone'

/** The zone chosen last, or this machine's if none was chosen. */
export function chosenZone(): string {
  const kept = attempt(() => localStorage.getItem(KEY))
  return kept != null && zones().includes(kept) ? kept : OWN_ZONE
}

/** Keeps a zone, if the browser allows it. */
export function chooseZone(zone: string): void {
  attempt(() => (zone === OWN_ZONE ? localStorage.removeItem(KEY) : localStorage.setItem(KEY, zone)))
}
