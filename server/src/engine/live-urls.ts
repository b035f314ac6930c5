import { sql } from 'kysely'
import type { Db } from '../platform/db/database.ts'

/** Where a site shows a post, as it said. `isRepeat`: it said so of an update that brought no other version, after a publication. */
export type SaidUrl = { siteId: string; url: string; isRepeat: boolean }

/** Where sites show a post, as each said last and has not withdrawn since. What they said of events before `since` is left out. */
export async function saidUrls(db: Db, postId: string, since: Date | null): Promise<SaidUrl[]> {
  const { rows } = await sql<SaidUrl>`
    select distinct on (d.site_id) d.site_id as "siteId", d.live_url as url, coalesce(v.previous_version = v.version, false) as "isRepeat"
    from deliveries d join events v on v.id = d.event_id
    where d.post_id = ${postId} and d.live_url is not null and (${since}::timestamptz is null or v.occurred_at >= ${since}::timestamptz)
      and not exists (
        select from deliveries later join events w on w.id = later.event_id
        where later.post_id = d.post_id and later.site_id = d.site_id and later.sequence > d.sequence and w.kind = 'post.deleted'
      )
    order by d.site_id, d.sequence desc
  `.execute(db)
  return rows
}
