import { type Kysely, sql } from 'kysely'

/**
 * A published post's entry in the lists that sites pull, as the JSON text that is sent: a page is then concatenated instead
 * of being serialised anew for every reader. It is a generated column, so PostgreSQL keeps it up to date. The functions it
 * uses are not declared immutable because of types and settings that do not occur here.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
create function listed_post(id uuid, slug text, title text, excerpt text, published_at timestamptz, tags text[]) returns text
language sql immutable parallel safe as $$
  select '{"id":"' || id || '","slug":' || to_json(slug) || ',"title":' || to_json(title) || ',"excerpt":' || to_json(excerpt)
    || ',"published_at":"' || to_char(published_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    || '","tags":' || to_json(tags) || '}'
$$;
alter table posts add column listed text generated always as (
  case when status = 'published' then listed_post(id, slug, title, excerpt, published_at, tags) end
) stored;
`)
    .execute(db)
}
