/**
 * The gate of the Pull API. One statement, for all requests that come at once, finds the key's site, counts the request
 * exactly and reads the revision of what the account has published.
 *
 * The revision makes cached answers safe. It is read in the same snapshot as the key, after the request came, and every
 * transaction that changes what a site may see changes the revision too. So an answer cached under a revision is exactly
 * what a fresh read would give, in this process and in every other; nothing has to be invalidated.
 */
import { sql } from 'kysely'
import { type BatchItem, batched } from '../platform/batching.ts'
import type { Context } from '../platform/context.ts'
import { plainArray } from '../platform/db/arrays.ts'
import { prepared } from '../platform/db/statements.ts'
import type { AuthScheme } from '../platform/http/endpoint.ts'
import { oncePer } from '../platform/once-per.ts'
import { type Counted, countHits, usageOf } from '../platform/rate-limit/rate-limit.ts'
import { withRevision } from '../posts/index.ts'
import { siteKeyIndex, siteKeyOf, siteKeyScheme, sitesOfKeys, unknownSiteKey } from '../sites/index.ts'

/**
 * The most different keys, pages or posts in one statement. With more, all requests would soon wait for the same statement,
 * and then the database for all of them; with fewer, a statement takes longer to send and to read than to execute.
 */
export const MOST_AT_ONCE = 32

/** The site that asks, and the revision of what its account has published at that moment. */
export type SitePrincipal = { siteId: string; accountId: string; revision: number }

/** `X-API-Key: <API_KEY>` (specification, section 5), counted per site. */
export const siteKeyAuth: AuthScheme<SitePrincipal> = {
  ...siteKeyScheme,
  async admit(ctx, request) {
    const { result: row, ...share } = await gateOf(ctx)(siteKeyOf(request))
    if (row === undefined) throw unknownSiteKey()
    const { siteId, accountId, revision } = row
    const { pull: limit } = ctx.config.rateLimits
    return {
      principal: { siteId, accountId, revision },
      tenant: accountId,
      usage: limit === 'off' ? undefined : usageOf(limit, { ...share, result: row }),
    }
  },
}

const gateOf = oncePer((ctx: Context) =>
  batched(
    (key: string) => key,
    (asked) => pass(ctx, asked),
    MOST_AT_ONCE,
  ),
)

type Row = SitePrincipal & Counted & { place: number }

/** Finds the sites of the keys and counts the requests (without a limit the counts are null); undefined for unknown keys. */
async function pass(ctx: Context, asked: ReadonlyArray<BatchItem<string>>): Promise<Array<Row | undefined>> {
  const indexes = asked.map(({ item }) => siteKeyIndex(ctx.keys, item))
  if (indexes.every((index) => index === undefined)) return indexes
  const { pull: limit } = ctx.config.rateLimits
  const { requests, windowMs } = limit === 'off' ? { requests: 0, windowMs: 0 } : limit
  const keys = sql`(
    select * from unnest(${plainArray(indexes.map((index) => index ?? null))}::text[], ${plainArray(asked.map(({ callers }) => callers))}::int[])
      with ordinality as k (key_index, hits, place)
  )`
  const { rows } = await prepared(sql<Row>`
    with asking as materialized (${withRevision(sitesOfKeys(keys))}),
    hits as materialized (
      select 'pull:' || site_id as bucket, hits, ${windowMs}::float8 as window_ms from asking where ${limit !== 'off'}::boolean
    ),
    counted as (${countHits(sql`hits`, ctx.clock.now(), sql`${requests}::int`)})
    select a.place, a.site_id as "siteId", a.account_id as "accountId", a.revision, counted.used, counted."leftMs"
    from asking a left join counted on counted.bucket = 'pull:' || a.site_id
  `).execute(ctx.db.root)
  const byPlace = new Map(rows.map((row) => [row.place, row]))
  return asked.map((_, index) => byPlace.get(index + 1))
}
