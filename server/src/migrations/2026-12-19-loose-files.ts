import { type Kysely, sql } from 'kysely'

/** Folders of files that are in their place while nothing names them yet, or that nothing names any more. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table loose_files (folder text primary key, noted_at timestamptz not null)`.execute(db)
}
