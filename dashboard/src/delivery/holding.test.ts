import type { LoggedDelivery } from '@postrider/sdk'
import { expect, it } from 'vitest'
import { type Holding, holdingsOf } from './holding.ts'

const delivery = (what: string): LoggedDelivery => {
  const [event, status] = what.split(' ')
  return { site_id: 'one', event: `post.${event}`, status } as LoggedDelivery
}

it.each<[newestFirst: string[], Holding | undefined]>([
  [['published delivered'], 'current'],
  [['updated delivered_retry', 'published delivered'], 'current'],
  [['updated failed', 'published delivered'], 'earlier'],
  [['updated pending', 'updated failed', 'published delivered'], 'earlier'],
  [['published pending'], 'coming'],
  [['published failed'], 'refused'],
  [['published failed', 'deleted delivered', 'published delivered'], 'refused'],
  [['updated failed', 'published failed'], 'refused'],
  [['deleted pending', 'published delivered'], undefined],
  [['deleted delivered', 'published delivered'], undefined],
  [[], undefined],
])('of a site with %o: %s', (newestFirst, expected) => {
  expect(holdingsOf(newestFirst.map(delivery)).get('one')).toBe(expected)
})
