import { type Kysely, sql } from 'kysely'

/** Fences are times in microseconds, those of jobs too. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table generation_jobs alter column fence type bigint`.execute(db)
}
