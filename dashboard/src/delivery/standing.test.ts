import { expect, it } from 'vitest'
import { type DeliveryFacts, type Standing, standingName, standingOf } from './standing.ts'

const webhook = { kind: 'webhook', verify: true } as const

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
  expect(standingOf(facts, { ...webhook, status: paused ? 'inactive' : 'active' })).toBe(standing)
})

it('is that of a build while its page is looked for, for half an hour at most', () => {
  const host = { kind: 'build_hook', status: 'active', verify: true } as const
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
  const live = (state: string, checked_at: string | null = null) => ({ live: { state, checked_at } })
  const delivered = { status: 'delivered', finished_at: minutesAgo(4), ...live('unknown') } as const
  expect(standingOf(delivered, host)).toBe('building')
  expect(standingOf({ status: 'delivered_retry', delivered_at: minutesAgo(4), ...live('unknown') }, host)).toBe(
    'building',
  )
  expect(standingOf({ ...delivered, finished_at: minutesAgo(40) }, host)).toBe('arrived')
  expect(standingOf({ ...delivered, ...live('verified', minutesAgo(1)) }, host)).toBe('arrived')
  expect(standingOf({ ...delivered, ...live('gone', minutesAgo(1)) }, host)).toBe('not-live')
  expect(standingOf(delivered, { ...host, verify: false })).toBe('arrived')
  expect(standingOf(delivered, { ...host, kind: 'webhook' })).toBe('arrived')
})

it('of a removal does not say that a site has the post', () => {
  const removals = (['arrived', 'arrived-late', 'not-live', 'failed', 'overtaken'] as const).map((one) =>
    standingName(one, 'post.deleted'),
  )
  expect(removals).toEqual([
    'Removed',
    'Removed after retry',
    'Still there',
    'Not removed',
    'Replaced by a newer version',
  ])
  expect(standingName('arrived', 'post.updated')).toBe('Delivered')
})
