/** The requests to a seeded installation: with whose keys and tokens, for which pages, posts, periods and words. */
import { sql } from 'kysely'
import { issueToken } from '../../src/accounts/tokens.ts'
import type { Context } from '../../src/platform/context.ts'
import { lookupIndex } from '../../src/platform/crypto.ts'
import type { Db } from '../../src/platform/db/database.ts'
import { createApiKey } from '../../src/sites/api-key.ts'
import type { Request } from './load-process.ts'
import { makeTexts } from './words.ts'

/** Requests by what they are for. */
export type Asked = {
  lists: Request[]
  posts: Request[]
  overviews: Record<string, Request[]>
  searches: Record<string, Request[]>
}

const PAGES = 5
const OTHER_ACCOUNTS = 700

/** Half of the requests are for the account with half of the posts. Its sites request pages 1 to 5, others the first. */
export async function prepareRequests(ctx: Context): Promise<Asked> {
  const db = ctx.db.root
  const accounts = await accountsBySize(db)
  const [largest = ''] = accounts
  const others = accounts.slice(1, OTHER_ACCOUNTS + 1)
  const ofLargest = await keysOf(ctx, await sitesOf(db, [largest], 100))
  const ofOthers = await keysOf(ctx, await sitesOf(db, others, 1))
  const list = (key: string, page: number) => pull(`/api/pull/posts?page=${page}`, key)
  const largestKeys = [...ofLargest.values()].flat()
  const posts = [...(await newest(db, [largest], 2_000)), ...(await newest(db, others, 3))]
  const tokens = new Map<string, string>()
  for (const id of accounts.slice(0, 50)) tokens.set(id, await tokenOf(ctx, id))
  const asAccount = (id: string, path: string): Request => ({
    path,
    headers: { Authorization: `Bearer ${tokens.get(id)}` },
  })
  const overview = (id: string, days: number) =>
    asAccount(id, `/api/analytics/overview?from=${new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)}`)
  const eleven = accounts.slice(0, 11)
  return {
    lists: [
      ...largestKeys.flatMap((key) => Array.from({ length: PAGES }, (_, index) => list(key, index + 1))),
      ...[...ofOthers.values()].flat().map((key) => list(key, 1)),
    ],
    posts: posts.map(({ accountId, slug }, index) => {
      const keys = ofLargest.get(accountId) ?? ofOthers.get(accountId) ?? []
      return pull(`/api/pull/posts/${slug}`, keys[index % keys.length] ?? '')
    }),
    overviews: {
      'the largest account, 30 days': [overview(largest, 30)],
      'the largest account, a year': [overview(largest, 365)],
      'fifty accounts, 30 days': [...tokens.keys()].map((id) => overview(id, 30)),
    },
    searches: Object.fromEntries(
      Object.entries(makeTexts().terms).map(([kind, terms]) => [
        kind,
        terms.flatMap((term) =>
          eleven.flatMap((id) => {
            const one = asAccount(id, `/api/posts?search=${encodeURIComponent(term)}`)
            return id === largest ? Array<Request>(10).fill(one) : [one]
          }),
        ),
      ]),
    ),
  }
}

const pull = (path: string, key: string): Request => ({ path, headers: { 'X-API-Key': key } })

/** The account with the most posts first. */
async function accountsBySize(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select account_id as id from posts group by account_id having bool_or(status = 'published' and visible_to_all) order by count(*) desc
  `.execute(db)
  return rows.map(({ id }) => id)
}

type Site = { id: string; accountId: string }

async function sitesOf(db: Db, accounts: readonly string[], most: number): Promise<Site[]> {
  const { rows } = await sql<Site>`
    select s.id, a.id as "accountId" from unnest(${accounts}::uuid[]) as a (id)
    cross join lateral (select id from sites where account_id = a.id order by id limit ${most}) as s
  `.execute(db)
  return rows
}

/** Gives the sites new keys; returns them by account. */
async function keysOf({ db, keys }: Context, sites: readonly Site[]): Promise<Map<string, string[]>> {
  const given = sites.map((site) => ({ ...site, key: createApiKey() }))
  await sql`
    update sites s set api_key_index = k.index
    from unnest(${given.map(({ id }) => id)}::uuid[], ${given.map(({ key }) => lookupIndex(keys, key))}::bytea[]) as k (id, index)
    where s.id = k.id
  `.execute(db.root)
  const byAccount = Map.groupBy(given, ({ accountId }) => accountId)
  return new Map([...byAccount].map(([id, of]) => [id, of.map(({ key }) => key)]))
}

/** The newest posts of accounts that all of their sites may see. */
async function newest(
  db: Db,
  accounts: readonly string[],
  most: number,
): Promise<Array<{ accountId: string; slug: string }>> {
  const { rows } = await sql<{ accountId: string; slug: string }>`
    select a.id as "accountId", p.slug from unnest(${accounts}::uuid[]) as a (id)
    cross join lateral (
      select slug from posts where account_id = a.id and status = 'published' and visible_to_all
      order by published_at desc, id desc limit ${most}
    ) as p
  `.execute(db)
  return rows
}

async function tokenOf(ctx: Context, id: string): Promise<string> {
  const account = await ctx.db.root.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  return (await issueToken(ctx, account, 'token')).token
}
