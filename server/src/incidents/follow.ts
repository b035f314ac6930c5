/**
 * Opening and closing incidents, and telling of them. The engine writes how a site is doing into its lane, in the transaction that records
 * an attempt, and a look at a page what it found; this looks at both every few seconds. So it costs deliveries nothing, and what happened is told however late:
 * the incident changes and its messages are kept in one transaction.
 *
 *     in trouble ──▶ open, told ──▶ sums of failures after an hour, then daily
 *                      │   ▲
 *           accepts for a while │ in trouble again within the hour: not told again
 *                      ▼   │
 *                     closed, told
 */
import { sql, type Updateable } from 'kysely'
import { endpointStates } from '../engine/index.ts'
import { notify } from '../notifications/index.ts'
import { plusMs } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/db/database.ts'
import type { Tables } from '../platform/db/tables.ts'
import type { StepResult } from '../platform/loop.ts'
import { findSite } from '../sites/index.ts'
import { INCIDENT_KINDS, type IncidentKind, type SiteTrouble } from './kinds.ts'
import type { IncidentRow } from './tables.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** How long a site must be fine before its incident is over, so that one that answers now and then is not told of again and again. */
const QUIET_MS = 60_000
const QUIET_AFTER_REOPENING_MS = 30 * 60_000

/** Advisory lock of the one process that looks (an arbitrary number). */
const FOLLOWING_LOCK = 7_301_946_117

type Needs = Pick<Context, 'changes' | 'clock' | 'db' | 'ids' | 'signals'>

/** One look at all sites. */
export async function followIncidents(ctx: Needs): Promise<StepResult> {
  await ctx.db.tx(async (tx) => {
    const { rows } = await sql<{ free: boolean }>`select pg_try_advisory_xact_lock(${FOLLOWING_LOCK}) as free`.execute(
      tx,
    )
    if (rows[0]?.free !== true) return
    for (const kind of INCIDENT_KINDS) await followKind(ctx, tx, kind)
    await sumUp(ctx, tx)
  })
  return { again: false }
}

async function followKind(ctx: Needs, tx: Tx, kind: IncidentKind): Promise<void> {
  const troubles = new Map((await kind.find(tx)).map((trouble) => [trouble.siteId, trouble]))
  const open = new Map((await openIncidents(tx, kind)).map((incident) => [incident.site_id, incident]))
  for (const trouble of troubles.values()) {
    const incident = open.get(trouble.siteId)
    if (incident === undefined) await begin(ctx, tx, kind, trouble)
    else await goOn(tx, incident, trouble)
  }
  for (const incident of open.values())
    if (troubles.get(incident.site_id)?.isLasting !== true) await endIfQuiet(ctx, tx, kind, incident)
}

/** The first trouble of a site: an incident, and a message. One that was closed within the hour goes on instead, without another message. */
async function begin(ctx: Needs, tx: Tx, kind: IncidentKind, trouble: SiteTrouble): Promise<void> {
  const { siteId, accountId, siteName, failures, posts } = trouble
  const now = ctx.clock.now()
  const reason = await trouble.reason()
  const reopened = await tx
    .updateTable('incidents')
    .set((eb) => ({
      closed_at: null,
      accepting_since: null,
      reopened: true,
      failures: eb('failures', '+', failures),
      reason,
    }))
    .where('site_id', '=', siteId)
    .where('kind', '=', kind.name)
    .where('closed_at', '>', plusMs(now, -HOUR_MS))
    .returning('id')
    .execute()
  for (const { id } of reopened) noteIncident(ctx, tx, { id, account_id: accountId })
  if (reopened.length > 0) return
  const id = ctx.ids.next()
  await tx
    .insertInto('incidents')
    .values({
      id,
      account_id: accountId,
      site_id: siteId,
      kind: kind.name,
      opened_at: now,
      reason,
      failures,
      told_failures: failures,
      next_summary_at: plusMs(now, HOUR_MS),
      accepting_since: null,
      closed_at: null,
    })
    .execute()
  const site = { id: siteId, name: siteName }
  await notify(ctx, tx, accountId, kind.begun(site, { reason, posts, since: now.toISOString() }))
  noteIncident(ctx, tx, { id, account_id: accountId })
}

/** More trouble of a site whose incident is open. */
async function goOn(tx: Tx, incident: IncidentRow, { isLasting, failures }: SiteTrouble): Promise<void> {
  if (failures === 0 && incident.accepting_since === null) return
  await tx
    .updateTable('incidents')
    .set((eb) => ({ failures: eb('failures', '+', failures), ...(isLasting ? { accepting_since: null } : {}) }))
    .where('id', '=', incident.id)
    .execute()
}

/** A site that is in trouble no more: after a quiet while its incident is over. One that was paused or removed ends without a word. */
async function endIfQuiet(ctx: Needs, tx: Tx, kind: IncidentKind, incident: IncidentRow): Promise<void> {
  const { id, account_id, site_id, accepting_since: since } = incident
  const now = ctx.clock.now()
  const site = await findSite(tx, account_id, site_id)
  const endpoint = (await endpointStates(tx, account_id, [site_id])).get(site_id)
  const isStopped = site === undefined || endpoint === undefined || endpoint.status === 'inactive'
  if (!isStopped && since === null) return setIncident(tx, id, { accepting_since: now })
  const quietMs = incident.reopened ? QUIET_AFTER_REOPENING_MS : QUIET_MS
  const fineForMs = since === null ? 0 : now.getTime() - since.getTime()
  if (!isStopped && fineForMs < quietMs) return
  if (!isStopped && kind.isComingBack(endpoint) && fineForMs < DAY_MS) return
  await setIncident(tx, id, { closed_at: now })
  noteIncident(ctx, tx, incident)
  if (isStopped || !kind.isToldOf(endpoint)) return
  const span = { since: incident.opened_at.toISOString(), until: (since ?? now).toISOString() }
  const about = { missing: endpoint.missing, ...span }
  await notify(ctx, tx, account_id, kind.ended({ id: site_id, name: site.name }, about))
}

/** Tells how many deliveries have failed since the last message, of every incident whose time for that has come. */
async function sumUp(ctx: Needs, tx: Tx): Promise<void> {
  const now = ctx.clock.now()
  const due = await tx
    .selectFrom('incidents')
    .selectAll()
    .where('closed_at', 'is', null)
    .where('next_summary_at', '<=', now)
    .execute()
  for (const { id, account_id, site_id, failures, told_failures, opened_at } of due) {
    await setIncident(tx, id, { told_failures: failures, next_summary_at: plusMs(now, DAY_MS) })
    const site = await findSite(tx, account_id, site_id)
    if (site === undefined || failures <= told_failures) continue
    const data = {
      site: { id: site_id, name: site.name },
      failures: failures - told_failures,
      since: opened_at.toISOString(),
    }
    await notify(ctx, tx, account_id, { name: 'delivery.failed', data })
  }
}

async function openIncidents(tx: Tx, { name }: IncidentKind): Promise<IncidentRow[]> {
  return tx
    .selectFrom('incidents')
    .selectAll()
    .where('closed_at', 'is', null)
    .where('kind', '=', name)
    .orderBy('id')
    .execute()
}

async function setIncident(tx: Tx, id: string, change: Updateable<Tables['incidents']>): Promise<void> {
  await tx.updateTable('incidents').set(change).where('id', '=', id).execute()
}

function noteIncident(ctx: Needs, tx: Tx, { id, account_id }: Pick<IncidentRow, 'id' | 'account_id'>): void {
  ctx.changes.note(tx, [{ owner: account_id, kind: 'incident', id }])
}
