import { type Kysely, sql } from 'kysely'

/** Makes reading cheap: an account's revision and counts, and each site's own posts in the order they are read. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(CATALOGS + NAMED + CHANGES + TRIGGERS).execute(db)
}

const CATALOGS = `
-- The posts of an account. The revision changes with every transaction that changes what any of its sites may see; the
-- counts are of posts by status, and of those among the published ones that all of its sites may see (open).
create table catalogs (
  account_id uuid primary key,
  revision bigint not null default 0,
  draft integer not null default 0,
  scheduled integer not null default 0,
  published integer not null default 0,
  open integer not null default 0
) with (fillfactor = 50);
insert into catalogs (account_id, revision, draft, scheduled, published, open)
  select account_id, 1, count(*) filter (where status = 'draft'), count(*) filter (where status = 'scheduled'),
    count(*) filter (where status = 'published'), count(*) filter (where status = 'published' and visible_to_all)
  from posts group by account_id;

create index posts_open on posts (account_id, published_at desc, id desc) where status = 'published' and visible_to_all;
`

// A post is visible either to all sites or by name to some, never both: so what a site sees is two disjoint lists.
const NAMED = `
alter table post_sites add column published_at timestamptz;
update post_sites s set named = not p.visible_to_all, published_at = p.published_at
  from posts p where p.id = s.post_id and s.named;
alter table post_sites add constraint post_sites_named_since check (published_at is not null or not named);
create index post_sites_named on post_sites (site_id, published_at desc, post_id desc) where named;
drop index post_sites_of_site;
`

// Statements only note their changes. At the commit all notes of a transaction go into the catalogs, ordered by account, and
// lock the accounts' rows. A transaction that locked them earlier could wait for another one's lanes while that one waits for
// these rows: a deadlock. No other transaction ever sees a note, so a crash loses none.
const CHANGES = `
create unlogged table catalog_changes (
  transaction xid8 not null default pg_current_xact_id(),
  account_id uuid not null,
  shown boolean not null,
  draft integer not null default 0,
  scheduled integer not null default 0,
  published integer not null default 0,
  open integer not null default 0
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index catalog_changes_of_transaction on catalog_changes (transaction);

create function apply_catalog_changes() returns trigger language plpgsql as $$
begin
  with changes as (
    delete from catalog_changes where transaction = pg_current_xact_id() returning *
  )
  insert into catalogs as c (account_id, revision, draft, scheduled, published, open)
    select account_id, bool_or(shown)::int, sum(draft), sum(scheduled), sum(published), sum(open)
    from changes group by account_id order by account_id
    on conflict (account_id) do update set revision = c.revision + excluded.revision, draft = c.draft + excluded.draft,
      scheduled = c.scheduled + excluded.scheduled, published = c.published + excluded.published, open = c.open + excluded.open;
  return null;
end $$;
create constraint trigger catalog_changes_applied after insert on catalog_changes deferrable initially deferred
  for each row execute function apply_catalog_changes();
`

// Bodies are not compared, because comparing them means reading them; the version rises when they change.
const TRIGGERS = `
create function note_inserted_posts() returns trigger language plpgsql as $$
begin
  insert into catalog_changes (account_id, shown, draft, scheduled, published, open)
    select account_id, bool_or(status = 'published'), count(*) filter (where status = 'draft'),
      count(*) filter (where status = 'scheduled'), count(*) filter (where status = 'published'),
      count(*) filter (where status = 'published' and visible_to_all)
    from new_posts group by account_id order by account_id;
  return null;
end $$;

create function note_updated_posts() returns trigger language plpgsql as $$
begin
  insert into catalog_changes (account_id, shown, draft, scheduled, published, open)
    select n.account_id, bool_or('published' in (o.status, n.status)),
      sum((n.status = 'draft')::int - (o.status = 'draft')::int),
      sum((n.status = 'scheduled')::int - (o.status = 'scheduled')::int),
      sum((n.status = 'published')::int - (o.status = 'published')::int),
      sum((n.status = 'published' and n.visible_to_all)::int - (o.status = 'published' and o.visible_to_all)::int)
    from old_posts o join new_posts n on n.id = o.id
    where (o.status, o.visible_to_all, o.published_at, o.version, o.updated_at, o.slug, o.title, o.excerpt, o.tags, o.meta)
      is distinct from (n.status, n.visible_to_all, n.published_at, n.version, n.updated_at, n.slug, n.title, n.excerpt, n.tags, n.meta)
    group by n.account_id order by n.account_id;
  return null;
end $$;

create function note_deleted_posts() returns trigger language plpgsql as $$
begin
  insert into catalog_changes (account_id, shown, draft, scheduled, published, open)
    select account_id, bool_or(status = 'published'), -count(*) filter (where status = 'draft'),
      -count(*) filter (where status = 'scheduled'), -count(*) filter (where status = 'published'),
      -count(*) filter (where status = 'published' and visible_to_all)
    from old_posts group by account_id order by account_id;
  return null;
end $$;

create trigger posts_inserted after insert on posts referencing new table as new_posts
  for each statement execute function note_inserted_posts();
create trigger posts_updated after update on posts referencing old table as old_posts new table as new_posts
  for each statement execute function note_updated_posts();
create trigger posts_deleted after delete on posts referencing old table as old_posts
  for each statement execute function note_deleted_posts();

-- For what belongs to a post, one note per transaction and account will do.
create function note_shown() returns trigger language plpgsql as $$
declare
  account uuid := coalesce(new.account_id, old.account_id);
begin
  if not exists (
    select from catalog_changes where transaction = pg_current_xact_id() and account_id = account and shown
  ) then
    insert into catalog_changes (account_id, shown) values (account, true);
  end if;
  return null;
end $$;

create trigger post_slugs_changed after insert or update or delete on post_slugs for each row execute function note_shown();
create trigger post_sites_named_inserted after insert on post_sites for each row when (new.named) execute function note_shown();
create trigger post_sites_named_updated after update on post_sites for each row
  when (old.named is distinct from new.named) execute function note_shown();
create trigger post_sites_named_deleted after delete on post_sites for each row when (old.named) execute function note_shown();
`
