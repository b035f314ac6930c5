import { type Kysely, sql } from 'kysely'

/**
 * A revision is a time in microseconds, or one more than the last. After failover to a standby that lacks the last commits, a counter
 * would come to the same number again, and answers cached under the lost revision would be taken for current ones.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(APPLY).execute(db)
}

const APPLY = `
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
      select account_id, case when bool_or(shown) then (extract(epoch from clock_timestamp()) * 1000000)::bigint else 0 end,
        sum(draft), sum(scheduled), sum(published), sum(open)
      from changes group by account_id order by account_id
      on conflict (account_id) do update set
        revision = case when excluded.revision = 0 then c.revision else greatest(c.revision + 1, excluded.revision) end,
        draft = c.draft + excluded.draft, scheduled = c.scheduled + excluded.scheduled,
        published = c.published + excluded.published, open = c.open + excluded.open
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
