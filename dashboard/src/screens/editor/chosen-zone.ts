/**
 * The zone in which somebody plans, kept in this browser: it may be that of the readers. The zone of this machine is not
 * kept, since it changes with the place.
 */
import { attempt } from './local.ts'
import { OWN_ZONE, zones } from './zoned.ts'

const KEY = 'postrider.zone'

/** The zone that was chosen last; that of this machine when none was. */
export function chosenZone(): string {
  const kept = attempt(() => localStorage.getItem(KEY))
  return kept != null && zones().includes(kept) ? kept : OWN_ZONE
}

/** Keeps a zone, where the browser allows that. */
export function chooseZone(zone: string): void {
  attempt(() => (zone === OWN_ZONE ? localStorage.removeItem(KEY) : localStorage.setItem(KEY, zone)))
}
