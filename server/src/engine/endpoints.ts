/** The endpoints of sites: where events go. Owned here, changed by the sites that own them. */
import { type RawBuilder, sql } from 'kysely'
import { MOST_PER_OWNER } from '../platform/changes/changes.ts'
import type { Context } from '../platform/context.ts'
import { type Keys, seal, unseal } from '../platform/crypto.ts'
import type { Db, Tx } from '../platform/db/database.ts'
import { type ChangedDelivery, deliveryChanges } from './changes.ts'
import { lockLanes } from './lanes.ts'
import { MISSING_POSTS } from './missing.ts'
import { POSTS_NOT_LIVE } from './not-live.ts'

/** The associated data of an endpoint's sealed secret. */
export function secretAssociatedData(siteId: string): string {
  return `endpoints.secret:${siteId}`
}

/** Opens an endpoint's sealed secret. */
export function openSecret(keys: Keys, siteId: string, sealed: Buffer): string {
  return unseal(keys, secretAssociatedData(siteId), sealed)
}

/** Adds the endpoint of a new site, with an idle lane. */
export async function addEndpoint(
  tx: Tx,
  keys: Keys,
  endpoint: {
    siteId: string
    accountId: string
    siteName: string
    kind: string
    config: object
    /** As in `endpoints`; null where each delivery gets attempts of its own. */
    debounceSeconds: number | null
    /** Whether what failed is sent again by itself once the site accepts requests. */
    recovers: boolean
    /** Whether the pages of delivered posts are looked at. */
    verifies: boolean
    secret: string
    now: Date
  },
): Promise<void> {
  await tx
    .insertInto('endpoints')
    .values({
      site_id: endpoint.siteId,
      account_id: endpoint.accountId,
      site_name: endpoint.siteName,
      kind: endpoint.kind,
      config: JSON.stringify(endpoint.config),
      debounce_seconds: endpoint.debounceSeconds,
      recovers: endpoint.recovers,
      verifies: endpoint.verifies,
      secret_sealed: seal(keys, secretAssociatedData(endpoint.siteId), endpoint.secret),
      created_at: endpoint.now,
    })
    .execute()
  await tx.insertInto('lanes').values({ site_id: endpoint.siteId, account_id: endpoint.accountId }).execute()
}

/**
 * Changes an endpoint. Pausing keeps what is pending; resuming makes it due now and forgets earlier failures, so that the
 * site is active because its owner says so. A new address is not suspect for what the old one did. Attempts in flight finish; none
 * starts with values read before.
 */
export async function changeEndpoint(
  ctx: Pick<Context, 'clock' | 'keys' | 'signals'>,
  tx: Tx,
  siteId: string,
  change: {
    siteName?: string | undefined
    kind?: string | undefined
    config?: object | undefined
    debounceSeconds?: number | null | undefined
    recovers?: boolean | undefined
    verifies?: boolean | undefined
    secret?: string | undefined
    paused?: boolean | undefined
  },
): Promise<void> {
  await lockLanes(tx, [siteId])
  const columns = {
    ...(change.siteName === undefined ? {} : { site_name: change.siteName }),
    ...(change.kind === undefined ? {} : { kind: change.kind }),
    ...(change.debounceSeconds === undefined ? {} : { debounce_seconds: change.debounceSeconds }),
    ...(change.recovers === undefined ? {} : { recovers: change.recovers }),
    ...(change.verifies === undefined ? {} : { verifies: change.verifies }),
    ...(change.config === undefined ? {} : { config: JSON.stringify(change.config) }),
    ...(change.secret === undefined
      ? {}
      : { secret_sealed: seal(ctx.keys, secretAssociatedData(siteId), change.secret) }),
    ...(change.paused === undefined ? {} : { paused: change.paused }),
  }
  if (Object.keys(columns).length === 0) return
  await tx.updateTable('endpoints').set(columns).where('site_id', '=', siteId).execute()
  await ctx.signals.send(tx, 'endpoint', siteId)
  const resumed = change.paused === false
  // What waited for the time that an endpoint's debounce said may be due now.
  const isDue = resumed || change.debounceSeconds !== undefined
  if (!isDue && change.config === undefined) return
  if (isDue) await ctx.signals.send(tx, 'deliver')
  await tx
    .updateTable('lanes')
    .set({
      suspect: false,
      ...(isDue ? { due_at: sql<Date>`least(due_at, ${ctx.clock.inDatabase()})` } : {}),
      ...(resumed ? { failing: false, failures_in_a_row: 0 } : {}),
    })
    .where('site_id', '=', siteId)
    .execute()
}

/** Ends an endpoint: its secret is gone and its pending deliveries end as failed. History and the name stay. */
export async function retireEndpoint(
  ctx: Pick<Context, 'changes' | 'signals'>,
  tx: Tx,
  siteId: string,
  now: Date,
): Promise<void> {
  await lockLanes(tx, [siteId])
  await tx
    .updateTable('endpoints')
    .set({ deleted_at: now, secret_sealed: null })
    .where('site_id', '=', siteId)
    .execute()
  // There may be a million; more ids than this are not told one by one.
  const { rows: ended } = await sql<ChangedDelivery>`
    with ended as (
      update deliveries set status = 'failed', last_error = 'site_deleted', next_attempt_at = null, finished_at = ${now}
      where site_id = ${siteId} and status = 'pending'
      returning id, account_id as "accountId", site_id as "siteId"
    )
    select * from ended limit ${MOST_PER_OWNER + 1}
  `.execute(tx)
  ctx.changes.note(tx, deliveryChanges(ended))
  await tx.deleteFrom('skipped_posts').where('site_id', '=', siteId).execute()
  await tx.updateTable('lanes').set({ due_at: null, suspect: false }).where('site_id', '=', siteId).execute()
  await ctx.signals.send(tx, 'endpoint', siteId)
}

/** What a site shows of its endpoint. Counts are of finished deliveries; superseded ones count nowhere. */
export type EndpointState = {
  siteId: string
  kind: string
  config: unknown
  debounceSeconds: number | null
  secretSealed: Buffer | null
  status: 'active' | 'inactive' | 'error'
  delivered: number
  failed: number
  /** Posts that the site should have and does not. */
  missing: number
  recovers: boolean
  verifies: boolean
  /** Posts that it accepted and does not show. */
  notLive: number
  lastDeliveredAt: Date | null
}

/** The endpoints of the account's living sites (of these only, if `siteIds` is given), by site id. */
export async function endpointStates(
  db: Db,
  accountId: string,
  siteIds?: readonly string[],
): Promise<Map<string, EndpointState>> {
  const rows = await db
    .selectFrom('endpoints as e')
    .innerJoin('lanes as l', 'l.site_id', 'e.site_id')
    .select([
      'e.site_id',
      'e.kind',
      'e.config',
      'e.debounce_seconds',
      'e.secret_sealed',
      'e.paused',
      'e.recovers',
      'e.verifies',
      'l.failing',
      'l.delivered',
      'l.failed',
      'l.last_delivered_at',
      MISSING_POSTS.as('missing'),
      POSTS_NOT_LIVE.as('notLive'),
    ])
    .where('e.account_id', '=', accountId)
    .where('e.deleted_at', 'is', null)
    .$if(siteIds !== undefined, (query) => query.where('e.site_id', '=', sql<string>`any(${siteIds}::uuid[])`))
    .execute()
  return new Map(
    rows.map((row) => [
      row.site_id,
      {
        siteId: row.site_id,
        kind: row.kind,
        config: row.config,
        debounceSeconds: row.debounce_seconds,
        secretSealed: row.secret_sealed,
        status: row.paused ? 'inactive' : row.failing ? 'error' : 'active',
        delivered: row.delivered,
        failed: row.failed,
        missing: row.missing,
        recovers: row.recovers,
        verifies: row.verifies,
        notLive: row.notLive,
        lastDeliveredAt: row.last_delivered_at,
      },
    ]),
  )
}

/** An expression for the living sites of an account: an object by site id, in their order, with whether they are paused. */
export function pausedSites(accountId: RawBuilder<string>): RawBuilder<Record<string, boolean>> {
  return sql`(
    select coalesce(json_object_agg(e.site_id, e.paused order by e.site_id), '{}') from endpoints e
    where e.account_id = ${accountId} and e.deleted_at is null
  )`
}

/** Whether history of the account's site is kept: the site is connected, or was deleted not too long ago. */
export async function keepsHistoryOf(db: Db, accountId: string, siteId: string): Promise<boolean> {
  const row = await db
    .selectFrom('endpoints')
    .select('site_id')
    .where('account_id', '=', accountId)
    .where('site_id', '=', siteId)
    .executeTakeFirst()
  return row !== undefined
}

/** Whether a site is connected. */
export function isConnected(siteId: RawBuilder<string>): RawBuilder<boolean> {
  return sql<boolean>`exists (select from endpoints e where e.site_id = ${siteId} and e.deleted_at is null)`
}

/** Whether nothing is kept of a site any more: it was deleted, and its history has been removed. */
export function isForgotten(siteId: RawBuilder<string>): RawBuilder<boolean> {
  return sql<boolean>`not exists (select from endpoints e where e.site_id = ${siteId})`
}
