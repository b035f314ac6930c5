import { addressOf, createWebhookSecret, shownAddressOf } from '../destinations/index.ts'
import {
  addEndpoint,
  askForProbe,
  changeEndpoint,
  type EndpointState,
  endpointStates,
  lookAgain,
  openSecret,
  retireEndpoint,
  type Target,
} from '../engine/index.ts'
import type { Context } from '../platform/context.ts'
import { lookupIndex, seal, unseal } from '../platform/crypto.ts'
import type { Database, Tx } from '../platform/db/database.ts'
import { fail, invalid } from '../platform/errors.ts'
import { isId } from '../platform/ids.ts'
import { assertKeyInUse } from '../platform/secret-key.ts'
import { announceAddresses, changesAddresses } from './addresses.ts'
import { createApiKey } from './api-key.ts'
import { cancelDetection, enqueueDetection } from './detect/detection-job.ts'
import { debounceOf, platformAfter, type SiteChange } from './policy.ts'
import { deleteSite, insertSite, listSites, lockSite, updateSite } from './queries.ts'
import {
  type LastTest,
  type Platform,
  type Recovery,
  SITE_KINDS,
  type SiteCanonical,
  type SiteKind,
  type SiteRow,
} from './tables.ts'

/** A site with the state of its endpoint. */
export type Site = { row: SiteRow; endpoint: EndpointState }

/** A site with its two secrets in clear. */
export type SiteWithSecrets = Site & { apiKey: string; webhookSecret: string }

/** The context that a sealed API key is bound to. */
export function apiKeyAssociatedData(siteId: string): string {
  return `sites.api_key:${siteId}`
}

/** Notes that the transaction connects, changes or disconnects the site, for live updates. */
function noteSite(ctx: Pick<Context, 'changes'>, tx: Tx, accountId: string, id: string): void {
  ctx.changes.note(tx, [{ owner: accountId, kind: 'site', id }])
}

export function siteNotFound(): Error {
  return fail('not_found', 'There is no such site.')
}

/** Throws `invalid` for a webhook address that could never be called (decision S7). */
function assertWebhookUrl(ctx: Context, url: string): void {
  const verdict = ctx.egress.check(url)
  if (!verdict.ok)
    throw invalid(
      'webhook_url',
      `This address cannot receive webhooks: ${verdict.reason}. Use a public https address; private addresses and http work only for targets that the operator allows (WEBHOOK_ALLOW).`,
    )
}

function sealedKey(ctx: Context, siteId: string, apiKey: string) {
  return {
    api_key_sealed: seal(ctx.keys, apiKeyAssociatedData(siteId), apiKey),
    api_key_index: lookupIndex(ctx.keys, apiKey),
  }
}

/** A site to connect. */
export type NewSite = {
  name: string
  url: string
  webhookUrl: string
  platform?: Platform | undefined
  framework?: string | null | undefined
  niche?: string | undefined
  kind?: SiteKind | undefined
  debounceSeconds?: number | null | undefined
  postUrl?: string | null | undefined
  canonical?: SiteCanonical | undefined
  recovery?: Recovery | undefined
  verify?: boolean | undefined
}

/** Connects a site and generates its API key and webhook secret. Throws `invalid` for an address that could never be called. */
export async function createSite(ctx: Context, accountId: string, input: NewSite): Promise<SiteWithSecrets> {
  const { kind = 'webhook' } = input
  const debounceSeconds = debounceOf(kind, input.debounceSeconds, null)
  assertWebhookUrl(ctx, input.webhookUrl)
  const id = ctx.ids.next()
  const now = ctx.clock.now()
  const apiKey = createApiKey()
  return ctx.db.tx(async (tx) => {
    await insertSite(tx, {
      id,
      account_id: accountId,
      name: input.name,
      url: input.url,
      platform: input.platform ?? 'custom',
      platform_given: input.platform !== undefined,
      framework: input.framework ?? null,
      niche: input.niche ?? '',
      post_url: input.postUrl ?? null,
      ...(input.canonical === undefined ? {} : { canonical: input.canonical }),
      ...sealedKey(ctx, id, apiKey),
      created_at: now,
    })
    await addEndpoint(tx, ctx.keys, {
      siteId: id,
      accountId,
      siteName: input.name,
      kind,
      config: { url: input.webhookUrl },
      debounceSeconds,
      recovers: input.recovery === 'automatic',
      verifies: input.verify ?? false,
      secret: createWebhookSecret(),
      now,
    })
    await assertKeyInUse(tx, ctx.keys)
    noteSite(ctx, tx, accountId, id)
    if (input.platform === undefined) await enqueueDetection(ctx, tx, { id, accountId, url: input.url })
    return reveal(ctx, await oneSite(tx, accountId, id))
  })
}

/** The account's sites. */
export async function sitesOf(db: Database, accountId: string): Promise<Site[]> {
  return db.snapshot((tx) => sitesIn(tx, accountId))
}

async function sitesIn(tx: Tx, accountId: string, ids?: readonly string[]): Promise<Site[]> {
  const [rows, endpoints] = [await listSites(tx, accountId, ids), await endpointStates(tx, accountId, ids)]
  return rows.flatMap((row) => {
    const endpoint = endpoints.get(row.id)
    return endpoint === undefined ? [] : [{ row, endpoint }]
  })
}

type SealedSite = Site & { endpoint: { secretSealed: Buffer } }

function currentSite({ db }: Context, accountId: string, id: string): Promise<SealedSite> {
  return db.snapshot((tx) => oneSite(tx, accountId, id))
}

async function oneSite(tx: Tx, accountId: string, id: string): Promise<SealedSite> {
  const [site] = isId(id) ? await sitesIn(tx, accountId, [id.toLowerCase()]) : []
  if (site === undefined || site.endpoint.secretSealed === null) throw siteNotFound()
  return { row: site.row, endpoint: { ...site.endpoint, secretSealed: site.endpoint.secretSealed } }
}

/** One site with its secrets. Throws `not_found`. */
export async function revealSite(ctx: Context, accountId: string, id: string): Promise<SiteWithSecrets> {
  return reveal(ctx, await currentSite(ctx, accountId, id))
}

function reveal({ keys }: Context, { row, endpoint }: SealedSite): SiteWithSecrets {
  return {
    row,
    endpoint,
    apiKey: unseal(keys, apiKeyAssociatedData(row.id), row.api_key_sealed),
    webhookSecret: openSecret(keys, row.id, endpoint.secretSealed),
  }
}

/** Changes a site. Throws `not_found`, or `invalid` for an address or a status that cannot be set. */
export async function changeSite(ctx: Context, accountId: string, id: string, change: SiteChange): Promise<Site> {
  const { row, endpoint } = await currentSite(ctx, accountId, id)
  const destination = destinationAfter(endpoint, change)
  if (destination?.isMoved) assertWebhookUrl(ctx, destination.config.url)
  if (change.status === 'error' && endpoint.status !== 'error') {
    throw invalid('status', 'Only the service sets the status "error"; set "active" or "inactive".')
  }
  return ctx.db.tx(async (tx) => {
    const before = await lockSite(tx, accountId, row.id)
    if (before === undefined) throw siteNotFound()
    const platform = platformAfter(change, row.platform, before)
    await updateSite(tx, accountId, row.id, {
      ...(change.name === undefined ? {} : { name: change.name }),
      ...(change.url === undefined ? {} : { url: change.url }),
      ...platform,
      ...(change.framework === undefined ? {} : { framework: change.framework }),
      ...(change.niche === undefined ? {} : { niche: change.niche }),
      ...(change.postUrl === undefined ? {} : { post_url: change.postUrl }),
      ...(change.canonical === undefined ? {} : { canonical: change.canonical }),
      ...(destination?.isMoved ? { last_test: null } : {}),
    })
    if (changesAddresses(change, before))
      await announceAddresses(
        ctx,
        tx,
        { accountId, siteId: row.id },
        { isOwn: [before.canonical, change.canonical].includes('own') },
      )
    if (platform?.platform_given === true) await cancelDetection(ctx, tx, row.id)
    if (platform?.platform_given === false)
      await enqueueDetection(ctx, tx, { id: row.id, accountId, url: change.url ?? before.url })
    noteSite(ctx, tx, accountId, row.id)
    const paused = change.status === undefined || change.status === 'error' ? undefined : change.status === 'inactive'
    const recovers = change.recovery === undefined ? undefined : change.recovery === 'automatic'
    const { name: siteName, verify: verifies } = change
    await changeEndpoint(ctx, tx, row.id, { siteName, ...destination?.columns, paused, recovers, verifies })
    const mayComeBack = recovers === true || (paused === false && endpoint.recovers && recovers !== false)
    if (mayComeBack) await askForProbe(ctx, tx, { siteId: row.id, accountId }, 0)
    if (change.url !== undefined || change.postUrl !== undefined)
      await lookAgain(ctx, tx, { accountId, siteId: row.id })
    return oneSite(tx, accountId, row.id)
  })
}

/**
 * Where a change sends the site's events from now on; undefined if it says nothing of that. The address of a build hook comes back as
 * it is shown to those who only repeat what they read. Throws `invalid` on `debounce_seconds`.
 */
function destinationAfter(endpoint: EndpointState, { kind, webhookUrl, debounceSeconds }: SiteChange) {
  if (kind === undefined && webhookUrl === undefined && debounceSeconds === undefined) return undefined
  const before = addressOf(endpoint)
  const url = webhookUrl === undefined || webhookUrl === shownAddressOf(endpoint) ? before : webhookUrl
  const kindAfter = kind ?? kindOf(endpoint)
  const debounceAfter = debounceOf(kindAfter, debounceSeconds, endpoint.debounceSeconds)
  const isDebounceChanged = debounceAfter !== endpoint.debounceSeconds
  return {
    config: { url },
    isMoved: url !== before || kindAfter !== endpoint.kind,
    columns: { kind: kindAfter, config: { url }, ...(isDebounceChanged ? { debounceSeconds: debounceAfter } : {}) },
  }
}

/** The kind of a site. */
export function kindOf({ kind }: Pick<EndpointState, 'kind'>): SiteKind {
  const known = SITE_KINDS.find((one) => one === kind)
  if (known === undefined) throw new TypeError(`sites know no destinations of the kind "${kind}"`)
  return known
}

/** Replaces both secrets; the old ones stop working with the commit (decision S5). */
export async function rotateKeys(
  ctx: Context,
  accountId: string,
  id: string,
): Promise<{ siteId: string; apiKey: string; webhookSecret: string; rotatedAt: Date }> {
  const { row } = await currentSite(ctx, accountId, id)
  const rotated = {
    siteId: row.id,
    apiKey: createApiKey(),
    webhookSecret: createWebhookSecret(),
    rotatedAt: ctx.clock.now(),
  }
  await ctx.db.tx(async (tx) => {
    if (!(await updateSite(tx, accountId, row.id, sealedKey(ctx, row.id, rotated.apiKey)))) throw siteNotFound()
    await assertKeyInUse(tx, ctx.keys)
    await changeEndpoint(ctx, tx, row.id, { secret: rotated.webhookSecret })
  })
  return rotated
}

/** Disconnects a site: its key stops working and its pending deliveries end (decision S6). */
export async function removeSite(ctx: Context, accountId: string, givenId: string): Promise<void> {
  if (!isId(givenId)) throw siteNotFound()
  const id = givenId.toLowerCase()
  await ctx.db.tx(async (tx: Tx) => {
    if (!(await deleteSite(tx, accountId, id))) throw siteNotFound()
    await announceAddresses(ctx, tx, { accountId, siteId: id }, { isOwn: false })
    await cancelDetection(ctx, tx, id)
    await retireEndpoint(ctx, tx, id, ctx.clock.now())
    noteSite(ctx, tx, accountId, id)
  })
}

/** Keeps what came of a test of a site, until the next one. A site that was disconnected meanwhile is passed over. */
export async function recordTest(
  ctx: Pick<Context, 'changes' | 'clock' | 'db'>,
  accountId: string,
  id: string,
  test: Omit<LastTest, 'at'>,
): Promise<void> {
  await ctx.db.tx(async (tx) => {
    const lastTest: LastTest = { at: ctx.clock.now().toISOString(), ...test }
    if (await updateSite(tx, accountId, id, { last_test: JSON.stringify(lastTest) })) noteSite(ctx, tx, accountId, id)
  })
}

/** The id of a site, and whether it is paused or failing. Throws `not_found`. */
export async function siteStatusOf(
  ctx: Context,
  accountId: string,
  id: string,
): Promise<{ siteId: string } & Pick<EndpointState, 'status' | 'verifies'>> {
  const { row, endpoint } = await currentSite(ctx, accountId, id)
  return { siteId: row.id, status: endpoint.status, verifies: endpoint.verifies }
}

/** Where a site's events go, and its own address. Throws `not_found`. */
export async function targetOf(ctx: Context, accountId: string, id: string): Promise<{ target: Target; url: string }> {
  const { row, endpoint } = await currentSite(ctx, accountId, id)
  const { kind, config, secretSealed } = endpoint
  return { target: { siteId: row.id, siteName: row.name, kind, config, secretSealed }, url: row.url }
}
