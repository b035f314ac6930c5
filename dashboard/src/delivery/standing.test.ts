import { expect, it } from 'vitest'
import { type DeliveryFacts, type Standing, standingOf } from './standing.ts'

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
