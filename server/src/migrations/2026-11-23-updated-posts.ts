import { type Kysely, sql } from 'kysely'

/** Lists of posts with the last changed first. What is written while somebody types changes other indexes of the row anyway. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('create index posts_updated on posts (account_id, updated_at desc, id desc)').execute(db)
}
