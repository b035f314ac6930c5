import { type Kysely, sql } from 'kysely'

/** When a request that works for long last said that it does, so that nobody takes its idempotency key over. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table idempotency_keys add column alive_at timestamptz`.execute(db)
}
