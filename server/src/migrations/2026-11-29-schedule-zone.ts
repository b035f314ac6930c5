import { type Kysely, sql } from 'kysely'

/** The time zone by which a post's schedule was planned. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table posts add column schedule_zone text').execute(db)
}
