/** Posts on the days of a calendar, by the reader's clock. Pure. */
import type { ListedPost } from '@postrider/sdk'
import { instantOf, wallTime } from '../../schedule/zoned.ts'
import type { Day } from './days.ts'

/** A post on its day, in milliseconds since 1970. */
export type Entry = { post: ListedPost; at: number; day: Day }

/** The posts that are scheduled or published, each at its time; `site`: only those that are for this site. */
export function entriesOf(posts: readonly ListedPost[], zone: string, site: string | undefined): Entry[] {
  return posts
    .filter(({ site_ids: ids }) => site === undefined || ids === null || ids.includes(site))
    .flatMap((post) => {
      const time = post.status === 'scheduled' ? post.scheduled_at : post.published_at
      if (time === null) return []
      const at = new Date(time).getTime()
      return [{ post, at, day: wallTime(at, zone).date }]
    })
    .sort((a, b) => a.at - b.at)
}

/** Whether a post can be moved: it waits for a time that has not come. */
export function isMovable({ post, at }: Entry, now: number): boolean {
  return post.status === 'scheduled' && at > now
}

/** When a post goes out if it is moved to another day at the same time of the day; undefined where clocks leave that out. */
export function movedTo({ at }: Pick<Entry, 'at'>, day: Day, zone: string): number | undefined {
  const moved = instantOf({ ...wallTime(at, zone), date: day })
  // Its seconds stay.
  return moved === undefined ? undefined : moved + (at % 60_000)
}
