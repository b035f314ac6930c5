import { type Kysely, sql } from 'kysely'

/** Until when what was due may have been attempted by the holder of a lane, which the next one must know after a crash. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table lanes add column read_until timestamptz`.execute(db)
}
