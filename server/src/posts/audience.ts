/**
 * The audience of a post: the sites that it is for, on the wire `site_ids`. It is every site of the account, also those connected later,
 * or the sites that `post_sites` names. Whoever writes the post may choose them, and then they stay through unpublishing and
 * publishing again. Otherwise a publish request may have named some for one publication: they are the post's audience until it is
 * unpublished or published without naming sites (decision P7).
 */
import { type RawBuilder, sql } from 'kysely'
import { isConnected } from '../engine/index.ts'
import { plainArray } from '../platform/db/arrays.ts'
import type { Db } from '../platform/db/database.ts'
import { invalid } from '../platform/errors.ts'
import type { StoredPost } from './tables.ts'

/** The ids of sites; null: every site of the account. */
export type Audience = string[] | null

type AudienceColumns = Pick<StoredPost, 'status' | 'visible_to_all' | 'sites_chosen'>

/** Whether the post is for every site of its account. */
function isForAll({ status, visible_to_all, sites_chosen }: AudienceColumns): boolean {
  return status === 'published' ? visible_to_all : !sites_chosen
}

/** The same in SQL, of a row of `posts`. */
const FOR_ALL = sql<boolean>`case when status = 'published' then visible_to_all else not sites_chosen end`

/** Whether the post of a row of `posts` is for one of these sites. */
export function isForOneOf(siteIds: readonly string[]): RawBuilder<boolean> {
  return sql<boolean>`(${FOR_ALL} or exists (
    select from post_sites s where s.post_id = posts.id and s.named and s.site_id = any(${plainArray(siteIds)}::uuid[])
  ))`
}

/** Whether the post of a row of `posts` is for any other site than these. */
export const isForOthers = (siteIds: readonly string[]): RawBuilder<boolean> => sql<boolean>`(${FOR_ALL} or exists (
  select from post_sites s where s.post_id = posts.id and s.named and s.site_id <> all(${plainArray(siteIds)}::uuid[])
))`

/** A post's audience, where `post_sites` names these sites. */
export function audienceOf(post: AudienceColumns, named: readonly string[]): Audience {
  return isForAll(post) ? null : [...named]
}

/**
 * The audience of a post once it is published to the sites that a request names, or without naming any. On a published post, those
 * named come to the ones before.
 */
export function audienceOncePublished(
  post: AudienceColumns,
  named: readonly string[],
  requested: readonly string[] | undefined,
): Audience {
  if (requested === undefined) return post.sites_chosen ? [...named] : null
  if (post.status !== 'published') return [...requested]
  return isForAll(post) ? null : [...new Set([...named, ...requested])]
}

/** What is known of the sites that a post may be for: those that `post_sites` names, and the account's, with whether each is paused. */
export type KnownSites = { named: readonly string[]; paused: Readonly<Record<string, boolean>> }

/**
 * The audience that a write asks for; undefined if the post has it. Sites that the post is for and that were disconnected meanwhile
 * may be given: whoever sends a post back may have read them. Throws `invalid` on `site_ids.N` for any other unknown site.
 */
export function wantedAudience(
  post: AudienceColumns,
  { named, paused }: KnownSites,
  given: readonly string[] | null,
): Audience | undefined {
  const current = audienceOf(post, named)?.filter((id) => id in paused) ?? null
  if (given === null) return current === null ? undefined : null
  const ids = new Set<string>()
  for (const [index, siteId] of given.map((id) => id.toLowerCase()).entries()) {
    if (siteId in paused) ids.add(siteId)
    else if (!named.includes(siteId)) throw invalid(`site_ids.${index}`, 'There is no such site.')
  }
  return current !== null && current.length === ids.size && current.every((id) => ids.has(id)) ? undefined : [...ids]
}

/** A row of a post with its audience, without the sites that are not connected any more. */
export type WithAudience<Row> = Row & { site_ids: Audience }

/** Adds its audience to a post. */
export async function withAudience<Row extends AudienceColumns & { id: string }>(
  db: Db,
  post: Row,
): Promise<WithAudience<Row>> {
  return shown(post, await connectedNamed(db, [post]))
}

/** Adds their audiences to posts. */
export async function withAudiences<Row extends AudienceColumns & { id: string }>(
  db: Db,
  posts: readonly Row[],
): Promise<Array<WithAudience<Row>>> {
  const named = await connectedNamed(db, posts)
  return posts.map((post) => shown(post, named))
}

const shown = <Row extends AudienceColumns & { id: string }>(post: Row, named: ReadonlyMap<string, string[]>) => ({
  ...post,
  site_ids: audienceOf(post, named.get(post.id) ?? []),
})

/** The connected sites that posts are for, by the posts' ids, as far as they are not for all. */
async function connectedNamed(
  db: Db,
  posts: ReadonlyArray<AudienceColumns & { id: string }>,
): Promise<Map<string, string[]>> {
  const limited = posts.filter((post) => !isForAll(post)).map(({ id }) => id)
  if (limited.length === 0) return new Map()
  const { rows } = await sql<{ postId: string; siteIds: string[] }>`
    select s.post_id as "postId", array_agg(s.site_id order by s.site_id) as "siteIds" from post_sites s
    where s.post_id = any(${plainArray(limited)}::uuid[]) and s.named and ${isConnected(sql`s.site_id`)} group by s.post_id
  `.execute(db)
  return new Map(rows.map(({ postId, siteIds }) => [postId, siteIds]))
}
