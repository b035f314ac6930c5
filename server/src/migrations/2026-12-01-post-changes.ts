import { type Kysely, sql } from 'kysely'

/**
 * What the foundation has since then, for databases that it made before: changes of posts and versions of events are kept, and no triggers
 * and counts. On a new database it changes nothing.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(WITHOUT_TRIGGERS + CHANGES).execute(db)
}

const WITHOUT_TRIGGERS = `
drop table if exists catalog_changes, site_catalogs cascade;
drop function if exists apply_catalog_changes, note_inserted_posts, note_updated_posts, note_deleted_posts, note_shown,
  note_inserted_post_sites, note_updated_post_sites, note_deleted_post_sites cascade;
alter table posts drop column if exists listed;
drop function if exists listed_post;
alter table catalogs
  drop column if exists draft, drop column if exists scheduled, drop column if exists published, drop column if exists open;
drop index posts_unpublished;
create index posts_unpublished on posts (account_id, created_at desc, id desc) include (status) where status <> 'published';
`

const CHANGES = `
alter table catalogs add column if not exists changes_since bigint not null default 0;
alter table lanes add column if not exists unrecorded_at timestamptz;
alter table events add column if not exists version integer not null default 0;
create table if not exists post_changes (
  post_id uuid primary key,
  account_id uuid not null,
  revision bigint not null,
  published_revision bigint not null,
  slug text not null,
  version integer not null,
  shown_to uuid[],
  removed_at timestamptz
) with (fillfactor = 70);
create index if not exists post_changes_by_revision on post_changes (account_id, revision, post_id);
create index if not exists post_changes_removed on post_changes (removed_at) where removed_at is not null;
insert into post_changes (post_id, account_id, revision, published_revision, slug, version, shown_to)
  select p.id, p.account_id, c.revision, c.revision, p.slug, p.version,
    case when not p.visible_to_all then array(select s.site_id from post_sites s where s.post_id = p.id and s.named) end
  from posts p join catalogs c on c.account_id = p.account_id where p.status = 'published'
  on conflict (post_id) do nothing;
`
