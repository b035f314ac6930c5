import { type Kysely, sql } from 'kysely'

/** Lists of posts by status and tag, and searches, without reading posts that are not wanted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(LISTS + SEARCH).execute(db)
}

// The included columns let a list skip to a page far back without reading the posts before it.
const LISTS = `
drop index posts_newest;
create index posts_newest on posts (account_id, created_at desc, id desc) include (status, visible_to_all);
create index posts_unpublished on posts (account_id, created_at desc, id desc) where status <> 'published';
create index posts_tags on posts using gin (array_prepend(account_id::text, tags));
`

// Rebuilding the index is faster than changing it row by row.
const SEARCH = `
drop index posts_search;
update posts set search = search || array_to_tsvector(array[
  '^' || account_id, '^' || account_id || '/' || floor(extract(epoch from created_at) / 86400)
]);
create index posts_search on posts using gin (search);
`
