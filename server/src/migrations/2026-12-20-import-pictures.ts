import { type Kysely, sql } from 'kysely'

/** Pictures that come along with the posts of an import. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table import_pictures (
      import_id uuid not null references imports (id) on delete cascade,
      source text not null, -- the SHA-256 of one from the file, the address of one on another host
      sha256 text, -- of the bytes as they came; null until there are any
      problem text, -- why it is not taken: a sentence
      added boolean not null default false, -- to the library, by this import
      primary key (import_id, source)
    )
  `.execute(db)
}
