import { type Insertable, sql, type UpdateObject } from 'kysely'
import type { Db, Tx } from '../platform/db/database.ts'
import type { Tables } from '../platform/db/tables.ts'
import type { Platform, SiteRow } from './tables.ts'

/** Stores a new site. */
export async function insertSite(tx: Tx, site: Insertable<Tables['sites']>): Promise<void> {
  await tx.insertInto('sites').values(site).execute()
}

/** The account's sites (those among `ids`, if given), oldest first. */
export async function listSites(db: Db, accountId: string, ids?: readonly string[]): Promise<SiteRow[]> {
  return db
    .selectFrom('sites')
    .selectAll()
    .where('account_id', '=', accountId)
    .$if(ids !== undefined, (query) => query.where('id', '=', sql<string>`any(${ids}::uuid[])`))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** The account's sites that show previews at the addresses of posts. */
export async function sitesWithPreviews(db: Db, accountId: string): Promise<Array<SiteRow & { post_url: string }>> {
  const sites = await listSites(db, accountId)
  return sites.flatMap((site) => {
    const { post_url } = site
    return site.last_test?.previews === true && post_url?.includes('{slug}') ? [{ ...site, post_url }] : []
  })
}

/** How many sites each account has; those without any are not in it. */
export async function countSites(db: Db): Promise<Map<string, number>> {
  const { count } = db.fn
  const rows = await db
    .selectFrom('sites')
    .select(['account_id', count<number>('id').as('sites')])
    .groupBy('account_id')
    .execute()
  return new Map(rows.map((row) => [row.account_id, row.sites]))
}

/** Deletes all sites of the account, without a word about their endpoints. */
export async function deleteSites(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('sites').where('account_id', '=', accountId).execute()
}

/** One site of the account. */
export async function findSite(db: Db, accountId: string, id: string): Promise<SiteRow | undefined> {
  return db.selectFrom('sites').selectAll().where('account_id', '=', accountId).where('id', '=', id).executeTakeFirst()
}

/** One site of the account, which nobody else changes until the transaction ends. */
export async function lockSite(tx: Tx, accountId: string, id: string): Promise<SiteRow | undefined> {
  return tx
    .selectFrom('sites')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/** Records the platform that was found, unless the user has chosen one. */
export async function setDetectedPlatform(tx: Tx, id: string, platform: Platform): Promise<void> {
  await tx.updateTable('sites').set({ platform }).where('id', '=', id).where('platform_given', '=', false).execute()
}

/** Changes and locks a site of the account; an empty change only locks it. Returns whether the site exists. */
export async function updateSite(
  tx: Tx,
  accountId: string,
  id: string,
  change: UpdateObject<Tables, 'sites'>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('sites')
    .set({ id, ...change })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Removes a site of the account. Returns whether there was one. */
export async function deleteSite(tx: Tx, accountId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('sites')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Whether the account has this site. */
export async function siteExists(db: Db, accountId: string, id: string): Promise<boolean> {
  return (await findSite(db, accountId, id)) !== undefined
}
