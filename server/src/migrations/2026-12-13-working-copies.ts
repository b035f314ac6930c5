import { type Kysely, sql } from 'kysely'

/** Changes to a post that nobody has published: its content with them, and the version that they began from. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table working_copies (
      post_id uuid primary key references posts (id) on delete cascade,
      account_id uuid not null,
      save_id uuid not null, -- another one with each save
      based_on int not null,
      saved_at timestamptz not null,
      fields jsonb not null,
      body_html text not null,
      body_markdown text not null,
      body_site_markdown text,
      body_json jsonb not null
    )
  `.execute(db)
  await sql`alter table posts add column has_changes boolean not null default false`.execute(db)
}
