import { sql } from 'kysely'
import type { TestService } from './service.ts'

/** Gives a post with one delivery as many more like it, each of an older event, as if it had been changed so often while the site was away. */
export async function failedBefore(service: TestService, postId: string, count: number): Promise<void> {
  await sql`
    insert into deliveries
    select older.* from deliveries d, generate_series(1, ${count}::int) as n,
      jsonb_populate_record(d, jsonb_build_object(
        'id', overlay(d.id::text placing lpad(to_hex(n), 12, '0') from 25), 'sequence', d.sequence - n
      )) as older
    where d.post_id = ${postId}
  `.execute(service.ctx.db.root)
}
