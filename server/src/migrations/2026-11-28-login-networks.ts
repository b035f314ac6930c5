import { type Kysely, sql } from 'kysely'

/** Networks from which somebody has logged in to an account: they are not locked out by others' guesses. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
create table login_networks (
  account_id uuid not null references accounts (id) on delete cascade,
  network bytea not null,
  last_login_at timestamptz not null,
  primary key (account_id, network)
);
create index login_networks_old on login_networks (last_login_at);
`)
    .execute(db)
}
