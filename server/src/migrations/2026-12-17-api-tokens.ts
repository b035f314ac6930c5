import { type Kysely, sql } from 'kysely'

/** Tokens of programs: found by an HMAC, so that they cannot be read here. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table api_tokens (
      id uuid primary key,
      account_id uuid not null references accounts (id) on delete cascade,
      name text not null,
      token_index bytea not null unique,
      last_four text not null,
      scopes text[] not null,
      site_ids uuid[], -- null: all sites
      created_at timestamptz not null,
      expires_at timestamptz, -- null: never
      last_used_at timestamptz
    )
  `.execute(db)
  await sql`create index api_tokens_of_account on api_tokens (account_id, created_at)`.execute(db)
}
