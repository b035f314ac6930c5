import { type Kysely, sql } from 'kysely'

/** Links with which anybody may read a post that is not published. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table previews (
      id uuid primary key,
      post_id uuid not null references posts (id) on delete cascade,
      account_id uuid not null,
      token text not null unique, -- not hashed: whoever reads it here can read the post too
      created_at timestamptz not null,
      expires_at timestamptz not null,
      revoked_at timestamptz
    )
  `.execute(db)
  await sql`create index previews_of_post on previews (post_id, created_at)`.execute(db)
  await sql`create index previews_expiring on previews (expires_at)`.execute(db)
}
