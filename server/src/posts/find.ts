/**
 * Finds posts by words, best match first (decisions P9, P10 and 15).
 *
 * Ranking a match reads its search vector, and a common word matches a third of all posts. So a search considers only the
 * newest matches, at most `MOST_FOUND`, enough that nobody misses the others. The way to them depends on how common the
 * words are, estimated from a sample of the newest posts:
 *
 * - Common words: read the newest posts until enough of them match. The index would return a long list to sort or, for a
 *   phrase, to read, because it does not know the words' positions.
 * - Other words: use the index, limited to as many recent days as should hold enough matches, or unlimited if matches are few.
 * - If that finds too few, because the words were more common in the past, use the index without a limit.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../platform/db/database.ts'
import { markQuery, type Search, searchQuery } from './search.ts'

/** The most posts that a search finds. */
const MOST_FOUND = 500

/** An account with at most this many posts is searched completely. */
const ALL = 1_000
/** Posts sampled to estimate how common words are. Each takes 15 µs, because its vector is stored apart from its row. */
const SAMPLE = 200
/** If at least this share of posts has the words, reading posts one after the other is faster than the index. */
const COMMON = 0.2
/** Up to this many matches are simply sorted by age, which reads their rows but not their vectors. */
const FEW = 2_000
/** Safety factor: how many times the estimated number of posts or days is searched. */
const MARGIN = 1.5
/** A longer span is not worth limiting: the query names every day, and each is a word to look up. */
const MOST_DAYS = 400
const DAY_MS = 24 * 3_600_000

/** What to find. `among` limits the rows of `posts`, to the account and by filters; `posts` is about how many the account has. */
type Wanted = { accountId: string; words: string; among: RawBuilder<boolean>; posts: number }

/** A page of ids, best match first, and the total number of posts found. */
type Found = { ids: string[]; total: number }

/** Finds a page of the account's posts. */
export async function findByWords(db: Db, wanted: Wanted, page: { limit: number; offset: number }): Promise<Found> {
  const search = searchQuery(wanted.words)
  let found: Found = { ids: [], total: 0 }
  for (const candidates of await waysToFind(db, wanted, search)) {
    found = await rank(db, candidates, search.matching, page)
    if (found.total === MOST_FOUND) break
  }
  return found
}

type Sample = { seen: number; matching: number; withWords: number; newest: Date; oldest: Date }

/** Relations of (id, created_at, search), to be tried in order until one has enough matches. */
async function waysToFind(db: Db, wanted: Wanted, { matching: query, words }: Search): Promise<RawBuilder<unknown>[]> {
  if (wanted.posts <= ALL) return [amongNewest(wanted, query, 2 * ALL)] // posts may have been added since they were counted
  const { rows } = await sql<Sample>`
    select count(*) as seen, count(*) filter (where search @@ ${query}) as matching,
      count(*) filter (where search @@ ${words}) as "withWords", max(created_at) as newest, min(created_at) as oldest
    from (${newest(wanted, SAMPLE)}) as sample
  `.execute(db)
  const [sample] = rows
  if (sample === undefined || sample.seen < SAMPLE) return [amongNewest(wanted, query, SAMPLE)]
  const share = sample.matching / sample.seen
  const everywhere = throughIndex(wanted, query)
  const isCommon = Math.max(sample.matching, sample.withWords) >= COMMON * sample.seen
  if (isCommon && share > 0) return [amongNewest(wanted, query, Math.ceil((MARGIN * MOST_FOUND) / share)), everywhere]
  const days = daysFor(sample, share)
  if (share * wanted.posts <= FEW || days > MOST_DAYS) return [everywhere]
  const created = { from: new Date(sample.newest.getTime() - days * DAY_MS), to: sample.newest }
  return [throughIndex(wanted, query, created), everywhere]
}

/** How many days before the newest post should hold enough matches, at the rate of the sample. */
function daysFor({ seen, newest, oldest }: Sample, share: number): number {
  const postsPerDay = (seen * DAY_MS) / Math.max(1, newest.getTime() - oldest.getTime())
  return Math.ceil((MARGIN * MOST_FOUND) / (share * postsPerDay))
}

function newest({ among }: Wanted, posts: number): RawBuilder<unknown> {
  return sql`select id, created_at, search from posts where ${among} order by created_at desc, id desc limit ${posts}`
}

/** Matches among the newest posts. It reads no further than needed: rows come in order, and the limit stops the scan. */
function amongNewest(wanted: Wanted, query: RawBuilder<unknown>, posts: number): RawBuilder<unknown> {
  return sql`
    select * from (${newest(wanted, posts)}) as newest where search @@ ${query}
    order by created_at desc, id desc limit ${MOST_FOUND}`
}

/**
 * Matches from the index; marks in the search vectors narrow it to the account. Left to itself the planner would scan in order
 * and read posts one by one until enough match, or intersect with a list of all the account's posts, or, because it assumes that
 * each of many marks is frequent, read the whole table. So `offset 0` keeps every other condition away from the index scan, and
 * the marks come from a subquery, whose value the planner does not know.
 */
function throughIndex(
  { accountId, among }: Wanted,
  query: RawBuilder<unknown>,
  created?: { from: Date; to: Date },
): RawBuilder<unknown> {
  return sql`
    select id, created_at, search
    from (select * from posts where search @@ (select ${markQuery(accountId, created)}) and search @@ ${query} offset 0) as posts
    where ${among}`
}

async function rank(
  db: Db,
  candidates: RawBuilder<unknown>,
  query: RawBuilder<unknown>,
  { limit, offset }: { limit: number; offset: number },
): Promise<Found> {
  const { rows } = await sql<Found>`
    with considered as materialized (
      select id, created_at, search from (${candidates}) as candidates order by created_at desc, id desc limit ${MOST_FOUND}
    )
    select (select count(*) from considered) as total, array(
      select id from considered order by ts_rank_cd(search, ${query}) desc, created_at desc, id desc
      limit ${limit} offset ${offset}
    ) as ids
  `.execute(db)
  return rows[0] ?? { ids: [], total: 0 }
}
