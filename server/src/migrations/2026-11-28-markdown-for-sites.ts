import { type Kysely, sql } from 'kysely'

/** The Markdown that sites get where the author's has what they must not get; posts have it from their next change on. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table posts add column body_site_markdown text').execute(db)
}
