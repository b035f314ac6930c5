import { type Kysely, sql } from 'kysely'

/** Generations of tokens are times in seconds, which an `integer` can hold until 2038. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table accounts alter column token_generation type bigint`.execute(db)
}
