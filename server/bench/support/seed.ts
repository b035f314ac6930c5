/** Rows for benches, written by set-based statements: seconds instead of hours over the API, and the same to the engine. */
import { sql } from 'kysely'
import { secretAssociatedData } from '../../src/engine/index.ts'
import type { Context } from '../../src/platform/context.ts'
import { lookupIndex, seal } from '../../src/platform/crypto.ts'
import type { Db } from '../../src/platform/db/database.ts'

/** A seeded site and the account it belongs to. */
export type SeededSite = { id: string; accountId: string }

const PER_STATEMENT = 5_000
/** The webhook secret of every seeded site. */
export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** `accounts` accounts with `sitesEach` sites each; the webhooks of site N go to `urlOf(N)`. */
export async function seedSites(
  ctx: Pick<Context, 'clock' | 'db' | 'ids' | 'keys'>,
  { accounts, sitesEach, urlOf }: { accounts: number; sitesEach: number; urlOf: (index: number) => string },
): Promise<SeededSite[]> {
  const { db, ids, keys, clock } = ctx
  const now = clock.now()
  const accountIds = Array.from({ length: accounts }, () => ids.next())
  await sql`
    insert into accounts (id, name, email, email_key, password_hash, plan, created_at)
    select id, 'Bench', id || '@example.com', id || '@example.com', 'none', 'agency', ${now}
    from unnest(${accountIds}::uuid[]) as a (id)
  `.execute(db.root)
  const sites = accountIds.flatMap((accountId) =>
    Array.from({ length: sitesEach }, () => ({ id: ids.next(), accountId })),
  )
  for (let from = 0; from < sites.length; from += PER_STATEMENT) {
    const part = sites.slice(from, from + PER_STATEMENT)
    const siteIds = part.map(({ id }) => id)
    await sql`
      insert into sites (id, account_id, name, url, platform, platform_given, niche, api_key_sealed, api_key_index, created_at)
      select id, account_id, 'Bench site', 'https://blog.example.com', 'custom', true, '', '', index, ${now}
      from unnest(${siteIds}::uuid[], ${part.map(({ accountId }) => accountId)}::uuid[],
        ${siteIds.map((id) => lookupIndex(keys, id))}::bytea[]) as s (id, account_id, index)
    `.execute(db.root)
    await sql`
      insert into endpoints (site_id, account_id, site_name, kind, config, secret_sealed, created_at)
      select id, account_id, 'Bench site', 'webhook', jsonb_build_object('url', url), sealed, ${now}
      from unnest(${siteIds}::uuid[], ${part.map(({ accountId }) => accountId)}::uuid[],
        ${part.map((_, index) => urlOf(from + index))}::text[],
        ${siteIds.map((id) => seal(keys, secretAssociatedData(id), SECRET))}::bytea[]) as e (id, account_id, url, sealed)
    `.execute(db.root)
    await sql`
      insert into lanes (site_id, account_id)
      select id, account_id from unnest(${siteIds}::uuid[], ${part.map(({ accountId }) => accountId)}::uuid[]) as l (id, account_id)
    `.execute(db.root)
  }
  return sites
}

/** A post that makes webhook bodies of about `bytes`. */
export function postOf(bytes: number) {
  const text = 'A sentence of the kind that posts are made of, with a little "quoting" in it. '
  const html = `<p>${text}</p>`.repeat(Math.ceil((bytes - 600) / (text.length + 7)))
  return {
    id: '0198a2f0-0000-7000-8000-000000000000',
    version: 1,
    slug: 'a-post',
    title: 'A post',
    excerpt: text,
    body: { html, markdown: '', json: { type: 'doc' } },
    meta: { title: 'A post', description: text },
    tags: ['bench'],
    status: 'published' as const,
    published_at: '2026-11-21T08:00:00.000Z',
  }
}

/** The same as JSON text. */
export function postPayload(bytes: number): string {
  return JSON.stringify(postOf(bytes))
}

/** Makes `postsEach` posts of every account pending for each of its sites, with bodies of about `bytes`; returns how many deliveries. */
export async function seedBacklog(db: Db, { postsEach, bytes }: { postsEach: number; bytes: number }): Promise<number> {
  const payload = postPayload(bytes)
  await sql`
    insert into events (id, account_id, post_id, sequence, kind, occurred_at, payload, payload_bytes)
    select uuidv7(), a.id, uuidv7(), 1, 'post.published', now(), ${payload}, ${Buffer.byteLength(payload)}
    from accounts a cross join generate_series(1, ${postsEach}::int)
  `.execute(db)
  const { numAffectedRows } = await sql`
    insert into deliveries (id, account_id, site_id, post_id, event_id, sequence, status, next_attempt_at, created_at)
    select uuidv7(), e.account_id, s.site_id, e.post_id, e.id, 1, 'pending', now(), now()
    from events e join endpoints s on s.account_id = e.account_id
  `.execute(db)
  await sql`update lanes set due_at = now()`.execute(db)
  await sql`vacuum analyze lanes, events, deliveries, endpoints`.execute(db)
  return Number(numAffectedRows)
}

/** How many deliveries are not finished, and how many were delivered with the first attempt. */
export async function countDeliveries(db: Db): Promise<{ pending: number; delivered: number }> {
  const { rows } = await sql<{ pending: number; delivered: number }>`
    select count(*) filter (where status = 'pending') as pending,
      count(*) filter (where status = 'delivered' and attempts = 1) as delivered
    from deliveries
  `.execute(db)
  return rows[0] ?? { pending: 0, delivered: 0 }
}
