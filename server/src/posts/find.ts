/**
 * Finding posts by words, the best first (decisions P9, P10 and 15).
 *
 * To rank a match is to read its search vector, and a common word matches a third of all posts. So a search considers the
 * newest matches only, at most `MOST_FOUND`; with that many nobody misses the others. How to get at them depends on how
 * common the words are, which a sample of the newest posts tells:
 *
 * - Common words: the newest posts are read until enough of them match. The index would give a long list to sort, or, for a
 *   phrase, to read, as it does not know where words stand.
 * - Others: the index gives the matches. Less common words are looked for in the last days only, as many as should do.
 * - When that gives too few, because words were more common once than now, the index is asked for all time.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../platform/db/database.ts'
import { markQuery, type Search, searchQuery } from './search.ts'

/** The most posts that a search finds. */
const MOST_FOUND = 500

/** An account that has no more posts is searched completely. */
const ALL = 1_000
/** Posts that are looked at to know how common words are. Each takes 15 µs: its vector lies apart from its row. */
const SAMPLE = 200
/** From this share of posts with the words on, reading posts one after the other is the shorter way. */
const COMMON = 0.2
/** Fewer matches than this are simply sorted by age, which reads their rows but not their vectors. */
const FEW = 2_000
/** How many more posts are looked at than should be enough. */
const MARGIN = 1.5
/** A longer span of days is not worth naming day by day: each is a word to look up. */
const MOST_DAYS = 400
const DAY_MS = 24 * 3_600_000

/** What to find, in which of the account's posts: `among` is a condition on rows of `posts`, account included. */
type Wanted = { accountId: string; words: string; among: RawBuilder<boolean>; posts: number }

/** A page of ids, the best match first, and how many posts were found in all. */
type Found = { ids: string[]; total: number }

/** Finds posts. `posts` is about how many the account has. */
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

/** Relations of (id, created_at, search) to look for matches in, one after the other until one has enough. */
async function waysToFind(db: Db, wanted: Wanted, { matching: query, words }: Search): Promise<RawBuilder<unknown>[]> {
  if (wanted.posts <= ALL) return [amongNewest(wanted, query, 2 * ALL)] // some may have come since they were counted
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

/** How many days before the newest post should hold enough matches, if they go on as in the sample. */
function daysFor({ seen, newest, oldest }: Sample, share: number): number {
  const postsPerDay = (seen * DAY_MS) / Math.max(1, newest.getTime() - oldest.getTime())
  return Math.ceil((MARGIN * MOST_FOUND) / (share * postsPerDay))
}

function newest({ among }: Wanted, posts: number): RawBuilder<unknown> {
  return sql`select id, created_at, search from posts where ${among} order by created_at desc, id desc limit ${posts}`
}

/** Reads no further than it must: the rows come in their order, and who asks for them stops when there are enough. */
function amongNewest(wanted: Wanted, query: RawBuilder<unknown>, posts: number): RawBuilder<unknown> {
  return sql`
    select * from (${newest(wanted, posts)}) as newest where search @@ ${query}
    order by created_at desc, id desc limit ${MOST_FOUND}`
}

/**
 * The marks in the search vectors narrow it to the account. Left to itself the planner would begin with the order and read posts
 * one by one until enough match, or intersect with a list of all the account's posts, or, since it takes each of many marks for
 * frequent, read the whole table. So the offset keeps everything else out of the question to the index, and the marks come
 * from a subquery, whose value it does not know.
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
