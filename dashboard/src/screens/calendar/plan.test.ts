import type { ListedPost } from '@postrider/sdk'
import { expect, it } from 'vitest'
import { entriesOf, isMovable, movedTo } from './plan.ts'

const post = (given: Partial<ListedPost>) =>
  ({ status: 'scheduled', scheduled_at: null, published_at: null, site_ids: null, ...given }) as ListedPost

it('shows posts in order, on the day that the reader’s clock says, without drafts and those for other sites', () => {
  const posts = [
    post({ title: 'Late', scheduled_at: '2026-11-30T23:30:00Z' }),
    post({ title: 'Early', scheduled_at: '2026-11-30T01:00:00Z', site_ids: ['a'] }),
    post({ title: 'Out', status: 'published', published_at: '2026-11-29T23:00:00Z' }),
    post({ title: 'Draft', status: 'draft' }),
  ]
  const days = (site?: string) => entriesOf(posts, 'Europe/Berlin', site).map((one) => `${one.post.title} ${one.day}`)
  expect(days()).toEqual(['Out 2026-11-30', 'Early 2026-11-30', 'Late 2026-12-01'])
  expect(days('b')).toEqual(['Out 2026-11-30', 'Late 2026-12-01'])
})

it.each([
  ['2026-03-27T08:00:30.000Z', '2026-03-30', '2026-03-30T07:00:30.000Z'],
  ['2026-03-27T01:30:00.000Z', '2026-03-29', undefined],
])('%s, moved to %s, is %s', (from, day, to) => {
  const moved = movedTo({ at: Date.parse(from) }, day, 'Europe/Berlin')
  expect(moved === undefined ? undefined : new Date(moved).toISOString()).toBe(to)
})

it('moves only what waits for a time in the future', () => {
  const [entry] = entriesOf([post({ scheduled_at: '2026-11-30T08:00:00Z' })], 'UTC', undefined)
  if (entry === undefined) throw new Error('it is there')
  expect(isMovable(entry, entry.at - 1)).toBe(true)
  expect(isMovable(entry, entry.at)).toBe(false)
  expect(isMovable({ ...entry, post: post({ status: 'published' }) }, 0)).toBe(false)
})
