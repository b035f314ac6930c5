import { type Kysely, sql } from 'kysely'

/** Sessions that were signed out: until they would have expired, their tokens are refused. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
create table ended_sessions (
  id uuid primary key,
  expires_at timestamptz not null
);
create index ended_sessions_expired on ended_sessions (expires_at);
`)
    .execute(db)
}
