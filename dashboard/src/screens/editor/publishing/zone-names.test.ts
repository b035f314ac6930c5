import { expect, it } from 'vitest'
import { zones } from '../../../schedule/zoned.ts'
import { zoneName, zoneOf, zonePlace } from './zone-names.ts'

it.each([
  ['Asia/Tokyo', 'Tokyo (Asia)', 'Tokyo'],
  ['Asia/Saigon', 'Ho Chi Minh (Asia)', 'Ho Chi Minh'],
  ['Europe/Kiev', 'Kyiv (Europe)', 'Kyiv'],
  ['America/Argentina/Ushuaia', 'Ushuaia, Argentina (America)', 'Ushuaia'],
  ['UTC', 'UTC', 'UTC'],
])('%s is called %s', (zone, name, place) => {
  expect(zoneName(zone)).toBe(name)
  expect(zonePlace(zone)).toBe(place)
})

it.each([
  ['tokyo', 'Asia/Tokyo'],
  ['Europe/Kyiv', 'Europe/Kiev'],
  ['Kyiv (Europe)', 'Europe/Kiev'],
  [' europe/berlin ', 'Europe/Berlin'],
  ['Atlantis', undefined],
  ['', undefined],
])('%j means %s', (text, zone) => {
  expect(zoneOf(text)).toBe(zone)
})

it('gives every zone a name of its own', () => {
  expect(zones().map((zone) => zoneOf(zoneName(zone)))).toEqual(zones())
})
