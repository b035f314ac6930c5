import { type Kysely, sql } from 'kysely'

/** What posts were before: the content of every version that a newer one has replaced. The newest is in `posts`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Null: nobody knows better than updated_at.
  await sql`alter table posts add column revised_at timestamptz, add column revised_by text not null default 'person'`.execute(
    db,
  )
  await sql`
    create table post_revisions (
      post_id uuid not null references posts (id) on delete cascade,
      version int not null,
      account_id uuid not null,
      revised_at timestamptz not null,
      revised_by text not null,
      sent boolean not null,
      words int not null,
      title text not null,
      fields jsonb not null,
      body_html text not null,
      body_markdown text not null,
      body_site_markdown text,
      body_json jsonb not null,
      primary key (post_id, version)
    )
  `.execute(db)
  await sql`create index post_revisions_unsent on post_revisions (post_id, version desc) where not sent`.execute(db)
}
