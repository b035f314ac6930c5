import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Tx } from '../platform/db/database.ts'
import type { MediumRow } from './tables.ts'

/** What a picture's address has in it. Accounts that have the same picture have different addresses of it: either may remove its own. */
export function addressHash(accountId: string, sha256: string): string {
  return hash('sha256', `${accountId}/${sha256}`).slice(0, 32)
}

/** Adds a picture; undefined if the account has these bytes already. */
export async function insertMedium(tx: Tx, row: MediumRow): Promise<MediumRow | undefined> {
  return tx
    .insertInto('media')
    .values(row)
    .onConflict((conflict) => conflict.columns(['account_id', 'sha256']).doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** The account's picture of these bytes, as they were uploaded or as they are kept. */
export async function findByBytes(db: Db, accountId: string, sha256: string): Promise<MediumRow | undefined> {
  return db
    .selectFrom('media')
    .selectAll()
    .where('account_id', '=', accountId)
    .where((is) => is.or([is('sha256', '=', sha256), is('source_sha256', '=', sha256)]))
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

/** The picture of a public address. */
export async function findByHash(db: Db, addressHash: string): Promise<MediumRow | undefined> {
  return db.selectFrom('media').selectAll().where('hash', '=', addressHash).executeTakeFirst()
}

export async function findMedium(db: Db, accountId: string, id: string): Promise<MediumRow | undefined> {
  return db.selectFrom('media').selectAll().where('account_id', '=', accountId).where('id', '=', id).executeTakeFirst()
}

/** A page of the account's pictures, newest first, whose name or alternative text has `search` in it. */
export async function listMedia(
  db: Db,
  accountId: string,
  { before, search, limit }: { before?: string | undefined; search?: string | undefined; limit: number },
): Promise<MediumRow[]> {
  const pattern = search === undefined ? undefined : `%${search.replaceAll(/[\\%_]/g, '\\$&')}%`
  return db
    .selectFrom('media')
    .selectAll()
    .where('account_id', '=', accountId)
    .$if(before !== undefined, (media) => media.where('id', '<', before ?? ''))
    .$if(pattern !== undefined, (media) => media.where(sql<boolean>`(name ilike ${pattern} or alt ilike ${pattern})`))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export async function updateMedium(
  tx: Tx,
  accountId: string,
  id: string,
  change: Partial<Pick<MediumRow, 'name' | 'alt'>>,
): Promise<MediumRow | undefined> {
  return tx
    .updateTable('media')
    .set({ id, ...change })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}

/** Locks a picture against whoever writes a post with it. */
export async function lockMedium(tx: Tx, accountId: string, id: string): Promise<MediumRow | undefined> {
  return tx
    .selectFrom('media')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

export async function deleteMedium(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('media').where('id', '=', id).execute()
}

/** The account's pictures with these hashes in their addresses; none of them can be removed before the transaction ends. */
export async function lockByHashes(tx: Tx, accountId: string, hashes: readonly string[]): Promise<MediumRow[]> {
  const { rows } = await sql<MediumRow>`
    select * from media where account_id = ${accountId} and hash = any(${hashes}::text[]) order by id for key share
  `.execute(tx)
  return rows
}

/** Removes the pictures of an account that is being removed; their files are loose then. */
export async function deleteMedia(tx: Tx, accountId: string, now: Date): Promise<void> {
  await tx.deleteFrom('media').where('account_id', '=', accountId).execute()
  await noteLoose(tx, accountId, now)
}

/** Notes that nothing names the files in a folder. */
export async function noteLoose(db: Db, folder: string, now: Date): Promise<void> {
  await db
    .insertInto('loose_files')
    .values({ folder, noted_at: now })
    .onConflict((conflict) => conflict.column('folder').doUpdateSet({ noted_at: now }))
    .execute()
}

/** Takes that back: something names them, or they are gone. */
export async function forgetLoose(db: Db, folder: string): Promise<void> {
  await db.deleteFrom('loose_files').where('folder', '=', folder).execute()
}

/** Folders that have been noted since before `before`, the longest first. */
export async function looseFolders(db: Db, before: Date, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('loose_files')
    .select('folder')
    .where('noted_at', '<', before)
    .orderBy('noted_at')
    .limit(limit)
    .execute()
  return rows.map(({ folder }) => folder)
}

/** Pictures in the order of their ids, a page of them, and how large they are: every account's. */
export async function allMedia(
  db: Db | Tx,
  after: string,
  limit: number,
): Promise<Array<Pick<MediumRow, 'id' | 'account_id' | 'bytes'>>> {
  return db
    .selectFrom('media')
    .select(['id', 'account_id', 'bytes'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
}
