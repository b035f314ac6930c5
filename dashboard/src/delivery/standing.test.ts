import { expect, it } from 'vitest'
import { type DeliveryFacts, type Standing, standingName, standingOf } from './standing.ts'

it.each<[DeliveryFacts, boolean, Standing]>([
  [{ status: 'delivered', attempts: 1 }, false, 'arrived'],
  [{ status: 'delivered', attempts: 1 }, true, 'arrived'],
  [{ status: 'delivered_retry', attempts: 3 }, false, 'arrived-late'],
  [{ status: 'pending' }, false, 'waiting'],
  [{ status: 'pending', attempts: 0 }, true, 'paused'],
  [{ status: 'pending', attempts: 2, last_error: 'timeout' }, false, 'trying'],
  [{ status: 'pending', attempts: 2 }, true, 'paused'],
  [{ status: 'failed', attempts: 4, last_error: 'timeout' }, true, 'failed'],
  [{ status: 'failed', attempts: 1, last_error: 'superseded' }, false, 'overtaken'],
])('%o, its site paused: %s, stands as %s', (facts, paused, standing) => {
  expect(standingOf(facts, paused)).toBe(standing)
})

it('of a removal does not say that a site has the post', () => {
  const removals = (['arrived', 'arrived-late', 'failed', 'overtaken'] as const).map((one) =>
    standingName(one, 'post.deleted'),
  )
  expect(removals).toEqual(['Removed', 'Removed after retry', 'Not removed', 'Replaced by a newer version'])
  expect(standingName('arrived', 'post.updated')).toBe('Delivered')
})
