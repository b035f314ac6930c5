import { type Kysely, sql } from 'kysely'

/** Detection of sites' platforms. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
-- When the site is to be looked at (null: nothing to do), and how many looks at its present address were begun.
alter table sites
  add column detect_at timestamptz,
  add column detect_tries smallint not null default 0;
update sites set detect_at = created_at where not platform_given;
create index sites_to_look_at on sites (detect_at) where detect_at is not null;
`)
    .execute(db)
}
