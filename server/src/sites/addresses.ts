/**
 * Where sites show posts, as far as that follows from the sites: posts that have an original name its address. What changes here changes
 * what sites are sent of such posts; the job that sends it is the posts' (`posts/originals.ts`).
 */
import { type RawBuilder, sql } from 'kysely'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/db/database.ts'
import { enqueueJob } from '../platform/jobs/queue.ts'
import type { SiteChange } from './policy.ts'
import type { SiteRow } from './tables.ts'

/** The job that brings posts level with the addresses of a site, which is its key. */
export const ADDRESSES_JOB = 'site-addresses'

/** Whether a change of a site changes what follows from it for the addresses of posts. */
export function changesAddresses({ postUrl, canonical }: SiteChange, before: SiteRow): boolean {
  const isMoved = postUrl !== undefined && postUrl !== before.post_url
  return isMoved || (canonical !== undefined && canonical !== before.canonical)
}

/** What the job knows besides the site: whether that names its own addresses, or did so until now, and so every post may be concerned. */
export type AddressesChange = { isOwn: boolean }

/** Has posts brought level with a site whose addresses have changed, or which is gone, in the transaction that does it. */
export async function announceAddresses(
  ctx: Pick<Context, 'clock' | 'signals'>,
  tx: Tx,
  { accountId, siteId }: { accountId: string; siteId: string },
  change: AddressesChange,
): Promise<void> {
  await enqueueJob(ctx, tx, { kind: ADDRESSES_JOB, key: siteId, accountId, payload: change })
}

/** SQL: the connected site with this id, as (`site_id`, `post_url`). */
export function addressedSite(id: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select id as site_id, post_url from sites where id = ${id})`
}

/** SQL: the account's sites that name their own addresses, as (`site_id`, `post_url`). */
export function sitesWithOwnAddresses(accountId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select id as site_id, post_url from sites where account_id = ${accountId} and canonical = 'own')`
}

/** Whether the account has this site. It cannot be disconnected before the transaction ends. */
export async function holdSite(tx: Tx, accountId: string, id: string): Promise<boolean> {
  const found = await tx
    .selectFrom('sites')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst()
  return found !== undefined
}
