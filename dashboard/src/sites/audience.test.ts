import { expect, it } from 'vitest'
import { audienceChange, audienceText, isSameAudience, sitesText } from './audience.ts'

const SITES = ['Atlas', 'Bakery', 'Club', 'Diary', 'Estate'].map((name) => ({
  id: name[0] ?? '',
  name,
  status: name === 'Club' ? ('inactive' as const) : ('active' as const),
}))
const ids = (names: string) => [...names]

it.each([
  [null, 'all sites, also those you add later'],
  [[], 'no site'],
  [['gone'], 'no site'],
  [ids('B'), 'Bakery'],
  [ids('BA'), 'Atlas and Bakery'],
  [ids('ABCD'), '4 of 5 sites'],
])('%j is for %s', (audience, text) => {
  expect(audienceText(audience, SITES)).toBe(text)
})

it('names a few sites and counts the others', () => {
  expect(sitesText(ids('ABC'), SITES)).toBe('Atlas, Bakery and Club')
  expect(sitesText(ids('ABCDE'), SITES)).toBe('Atlas, Bakery and 3 others')
})

it.each([
  [null, 'AB', { coming: '', leaving: 'CDE' }],
  ['AB', null, { coming: 'DE', leaving: '' }],
  ['AB', 'BCD', { coming: 'D', leaving: 'A' }],
  ['', 'A', { coming: 'A', leaving: '' }],
])('from %j to %j sends it to some and takes it off others; paused sites get nothing', (before, after, change) => {
  const given = (names: string | null) => (names === null ? null : ids(names))
  expect(audienceChange(given(before), given(after), SITES)).toEqual({
    coming: ids(change.coming),
    leaving: ids(change.leaving),
  })
})

it('compares without regard to order', () => {
  expect(isSameAudience(ids('AB'), ids('BA'))).toBe(true)
  expect(isSameAudience(ids('AB'), ids('AC'))).toBe(false)
  expect(isSameAudience(null, [])).toBe(false)
})
