import { sql } from 'kysely'
import type { Tx } from '../platform/db/database.ts'
import { prepared } from '../platform/db/statements.ts'

/**
 * Locks lanes until the transaction ends, in the order of site ids, as every writer does. A transaction that changes what
 * is due in a lane, or its endpoint, does this first and reads rows afterwards: the engine's release does the same, so each
 * sees what the other has done.
 */
export async function lockLanes(tx: Tx, siteIds: readonly string[]): Promise<void> {
  await prepared(sql`select from lanes where site_id = any(${siteIds}::uuid[]) order by site_id for update`).execute(tx)
}

/**
 * The same for all lanes of an account. A transaction that enqueues several times does this before the first enqueue: locking
 * some lanes now and others later would break that order.
 */
export async function lockLanesOfAccount(tx: Tx, accountId: string): Promise<void> {
  await sql`
    select site_id from lanes where site_id in (select site_id from endpoints where account_id = ${accountId})
    order by site_id for update
  `.execute(tx)
}
