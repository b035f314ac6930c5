import { type Kysely, sql } from 'kysely'

/** What was published and is no longer still counts as published in its time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index posts_withdrawn on posts (account_id, published_at) where status <> 'published' and published_at is not null
  `.execute(db)
}
