import { type Kysely, sql } from 'kysely'

/** An index for lists with the last changed post first. Saves while somebody types change other indexes of the row anyway. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('create index posts_updated on posts (account_id, updated_at desc, id desc)').execute(db)
}
