import { type Kysely, sql } from 'kysely'

/** Idempotency keys. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
create table idempotency_keys (
  scope text not null,
  key text not null,
  request bytea not null,
  state text not null check (state in ('running', 'committed', 'answered')),
  begun_at timestamptz not null,
  status integer,
  headers jsonb,
  body bytea,
  primary key (scope, key)
);
create index idempotency_keys_old on idempotency_keys (begun_at);
`)
    .execute(db)
}
