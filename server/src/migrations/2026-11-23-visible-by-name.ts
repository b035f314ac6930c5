import { type Kysely, sql } from 'kysely'

/** Counts how many posts each site may see by name, in the same triggers that count the accounts' posts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(SITE_CATALOGS + CHANGES + TRIGGERS).execute(db)
}

const SITE_CATALOGS = `
-- A site that is not here has no posts of its own.
create table site_catalogs (
  site_id uuid primary key,
  named integer not null
) with (fillfactor = 50);
insert into site_catalogs (site_id, named) select site_id, count(*) from post_sites where named group by site_id;
`

// A note names sites that may see one post more (1) or fewer (-1). They are counted after the accounts, whose rows are locked by
// then, so no two transactions ever wait for each other's sites. A row at zero is deleted: its site may be gone.
const CHANGES = `
alter table catalog_changes add column site_ids uuid[], add column named integer not null default 0;

create or replace function apply_catalog_changes() returns trigger language plpgsql as $$
declare
  sites uuid[];
  named_by integer[];
begin
  with changes as (
    delete from catalog_changes where transaction = pg_current_xact_id() returning *
  ),
  accounts as (
    insert into catalogs as c (account_id, revision, draft, scheduled, published, open)
      select account_id, bool_or(shown)::int, sum(draft), sum(scheduled), sum(published), sum(open)
      from changes group by account_id order by account_id
      on conflict (account_id) do update set revision = c.revision + excluded.revision, draft = c.draft + excluded.draft,
        scheduled = c.scheduled + excluded.scheduled, published = c.published + excluded.published, open = c.open + excluded.open
  )
  select array_agg(s.site_id), array_agg(n.named) into sites, named_by
    from changes n cross join unnest(n.site_ids) as s (site_id);
  if sites is not null then
    insert into site_catalogs as c (site_id, named)
      select site_id, sum(by) from unnest(sites, named_by) as n (site_id, by)
      group by site_id having sum(by) <> 0 order by site_id
      on conflict (site_id) do update set named = c.named + excluded.named;
    if -1 = any(named_by) then
      delete from site_catalogs where site_id = any(sites) and named = 0;
    end if;
  end if;
  return null;
end $$;
`

// One note per statement, however many sites it names.
const TRIGGERS = `
drop trigger post_sites_named_inserted on post_sites;
drop trigger post_sites_named_updated on post_sites;
drop trigger post_sites_named_deleted on post_sites;

create function note_inserted_post_sites() returns trigger language plpgsql as $$
begin
  insert into catalog_changes (account_id, shown, site_ids, named)
    select account_id, true, array_agg(site_id), 1 from new_rows where named group by account_id;
  return null;
end $$;

create function note_updated_post_sites() returns trigger language plpgsql as $$
begin
  insert into catalog_changes (account_id, shown, site_ids, named)
    select n.account_id, true, array_agg(n.site_id), case when n.named then 1 else -1 end
    from old_rows o join new_rows n on n.post_id = o.post_id and n.site_id = o.site_id and n.named <> o.named
    group by n.account_id, n.named;
  return null;
end $$;

create function note_deleted_post_sites() returns trigger language plpgsql as $$
begin
  insert into catalog_changes (account_id, shown, site_ids, named)
    select account_id, true, array_agg(site_id), -1 from old_rows where named group by account_id;
  return null;
end $$;

create trigger post_sites_inserted after insert on post_sites referencing new table as new_rows
  for each statement execute function note_inserted_post_sites();
create trigger post_sites_updated after update on post_sites referencing old table as old_rows new table as new_rows
  for each statement execute function note_updated_post_sites();
create trigger post_sites_deleted after delete on post_sites referencing old table as old_rows
  for each statement execute function note_deleted_post_sites();
`
