/** Time zones by the names that people know them by. */
import { zones } from '../../../schedule/zoned.ts'

/** Browsers still list these places by the names they had when their zones were made. */
const PRESENT: Record<string, string> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Godthab': 'America/Nuuk',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
}

/** `Tokyo (Asia)`, `Ho Chi Minh (Asia)`, `UTC`. */
export function zoneName(zone: string): string {
  const [area = '', ...place] = (PRESENT[zone] ?? zone).replaceAll('_', ' ').split('/')
  return place.length === 0 ? area : `${place.toReversed().join(', ')} (${area})`
}

/** `Tokyo`, for sentences. */
export function zonePlace(zone: string): string {
  return zoneName(zone)
    .replace(/[,(].*/, '')
    .trim()
}

/** The zone of this name, id or place, in any case; undefined if there is none or several. */
export function zoneOf(text: string): string | undefined {
  const wanted = text.trim().toLowerCase()
  const isIt = (name: string) => name.toLowerCase() === wanted
  const all = zones()
  const exact = all.find((zone) => [zone, PRESENT[zone] ?? zone, zoneName(zone)].some(isIt))
  const [first, ...others] = exact === undefined ? all.filter((zone) => isIt(zonePlace(zone))) : [exact]
  return others.length === 0 ? first : undefined
}
