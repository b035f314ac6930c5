import { type Kysely, sql } from 'kysely'

/** `read_until`: a lane's holder may have attempted what was due by then, which the next must know after a crash. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table lanes add column read_until timestamptz`.execute(db)
}
