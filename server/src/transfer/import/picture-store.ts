/** The table of pictures that come along with an import. */
import type { Db } from '../../platform/db/database.ts'

/** What is known of one: `sha256` of its bytes as they came, and why it is not taken. */
export type KnownPicture = { sha256: string | null; problem: string | null }

/** Notes what is known of a picture; what is not given stays as it is. */
export async function notePicture(
  db: Db,
  importId: string,
  source: string,
  known: Partial<KnownPicture> & { added?: boolean },
): Promise<void> {
  await db
    .insertInto('import_pictures')
    .values({ import_id: importId, source, sha256: null, problem: null, ...known })
    .onConflict((conflict) => conflict.columns(['import_id', 'source']).doUpdateSet({ source, ...known }))
    .execute()
}

/** What is known of a picture, if it was tried before. */
export async function knownPicture(db: Db, importId: string, source: string): Promise<KnownPicture | undefined> {
  return db
    .selectFrom('import_pictures')
    .select(['sha256', 'problem'])
    .where('import_id', '=', importId)
    .where('source', '=', source)
    .executeTakeFirst()
}

/** How many pictures come along. */
export async function countPictures(db: Db, importId: string): Promise<number> {
  const { count } = await db
    .selectFrom('import_pictures')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('import_id', '=', importId)
    .where('problem', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

/** The SHA-256 of pictures that the import has added to the library. */
export async function addedPictures(db: Db, importId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('import_pictures')
    .select((eb) => eb.ref('sha256').$notNull().as('sha256'))
    .where('import_id', '=', importId)
    .where('added', '=', true)
    .where('sha256', 'is not', null)
    .execute()
  return rows.map(({ sha256 }) => sha256)
}
