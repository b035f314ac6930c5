import { type Kysely, sql } from 'kysely'

/** Pictures, and which of them are in a post. The files are elsewhere. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
create table media (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  sha256 text not null,
  source_sha256 text not null,
  hash text not null,
  name text not null,
  alt text not null,
  type text not null,
  width int not null,
  height int not null,
  animated boolean not null,
  bytes int not null,
  created_at timestamptz not null
);
create unique index media_hash on media (hash);
create unique index media_sha256 on media (account_id, sha256);
create index media_source on media (account_id, source_sha256);
create index media_of_account on media (account_id, id desc);

alter table posts add column media jsonb;
create index posts_media on posts using gin (media jsonb_path_ops) where media is not null;
`)
    .execute(db)
}
