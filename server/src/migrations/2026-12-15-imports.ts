import { type Kysely, sql } from 'kysely'

/** Files whose posts are imported: what was read of them, and what became of each post; and from where posts once came. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table imports (
      id uuid primary key,
      account_id uuid not null references accounts (id) on delete cascade,
      name text not null,
      format text not null,
      status text not null check (status in ('receiving', 'reading', 'ready', 'importing', 'complete', 'failed', 'undoing', 'undone')),
      problem text,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )
  `.execute(db)
  await sql`create index imports_of_account on imports (account_id, created_at desc, id desc)`.execute(db)
  await sql`create index imports_oldest on imports (updated_at)`.execute(db)
  await sql`
    create table import_items (
      import_id uuid not null references imports (id) on delete cascade,
      place int not null,
      source_id text not null,
      title text not null,
      author text,
      source text, -- null once it is not needed any more
      digest text,
      outcome text check (outcome in ('new', 'same', 'changed', 'refused')), -- null until it was looked at
      reason text,
      slug text,
      losses jsonb not null default '[]',
      media jsonb not null default '[]',
      redirects jsonb not null default '[]',
      post_id uuid,
      version int,
      former_version int,
      left_at timestamptz, -- the post's updated_at
      undone boolean,
      primary key (import_id, place)
    )
  `.execute(db)
  await sql`create index import_items_by_source on import_items (import_id, source_id, place)`.execute(db)
  await sql`create index import_items_unseen on import_items (import_id, place) where outcome is null`.execute(db)
  await sql`
    create table imported_posts (
      account_id uuid not null references accounts (id) on delete cascade,
      source_id text not null,
      post_id uuid not null references posts (id) on delete cascade,
      digest text not null,
      version int not null,
      primary key (account_id, source_id)
    )
  `.execute(db)
  await sql`create index imported_posts_of_post on imported_posts (post_id)`.execute(db)
}
