import { type Kysely, sql } from 'kysely'

/** One site may show the original of a post: others name its address. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table accounts add column primary_site_id uuid`.execute(db)
  await sql`
    alter table sites add column canonical text not null default 'primary' check (canonical in ('primary', 'own'))
  `.execute(db)
  await sql`alter table posts add column primary_site_id uuid`.execute(db)
  await sql`create index posts_with_original on posts (account_id, id) where primary_site_id is not null`.execute(db)
  await sql`
    alter table post_sites
      add column live_url text, -- where the site shows the post, as it said last
      add column canonical_url text -- what the site was sent as the address of the original
  `.execute(db)
}
