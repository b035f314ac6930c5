/** Reading everything that there is of an account's posts, but for their former versions. */
import { sql } from 'kysely'
import { plainArray } from '../platform/db/arrays.ts'
import type { Db } from '../platform/db/database.ts'
import { type WithAudience, withAudiences } from './audience.ts'
import { inPortions, type Sized, TEXT_BYTES } from './portions.ts'
import { isPresent } from './queries.ts'
import { COLUMNS, type PostRow } from './tables.ts'

/** A slug that a post had, and until when. */
export type FormerSlug = { slug: string; retiredAt: Date }

/** A post with its audience and its former slugs, oldest first. */
export type WholePost = WithAudience<PostRow> & { formerSlugs: FormerSlug[] }

const PLACES_PER_READ = 500

/** Where a post stands among the others: not by its id, which those of one millisecond have at random. */
type Place = { created_at: Date; slug: string }
const FIRST: Place = { created_at: new Date(0), slug: '' }

/**
 * All posts of an account that are not in the trash, in the order in which they were created. They are read while the caller takes them, a
 * portion at a time: what is changed meanwhile may come as it was or as it is.
 */
export async function* wholePosts(db: Db, accountId: string): AsyncGenerator<WholePost> {
  for (let after: Place | undefined = FIRST; after !== undefined; ) {
    const { rows }: { rows: Array<Sized & Place> } = await sql<Sized & Place>`
      select id, ${TEXT_BYTES} as bytes, created_at, slug from posts
      where account_id = ${accountId} and status in ('draft', 'scheduled', 'published')
        and (created_at, slug) > (${after.created_at}::timestamptz, ${after.slug})
      order by created_at, slug limit ${PLACES_PER_READ}
    `.execute(db)
    for (const portion of inPortions(rows)) yield* await readWhole(db, portion)
    after = rows.length < PLACES_PER_READ ? undefined : rows.at(-1)
  }
}

async function readWhole(db: Db, posts: readonly Sized[]): Promise<WholePost[]> {
  const ids = sql<boolean>`id = any(${plainArray(posts.map(({ id }) => id))}::uuid[])`
  const rows = await db.selectFrom('posts').select(COLUMNS).where(ids).orderBy('created_at').orderBy('slug').execute()
  const slugs = await db
    .selectFrom('post_slugs')
    .select(['post_id', 'slug', 'retired_at as retiredAt'])
    .where(
      'post_id',
      'in',
      posts.map(({ id }) => id),
    )
    .orderBy('retired_at')
    .orderBy('slug')
    .execute()
  const byPost = Map.groupBy(slugs, ({ post_id }) => post_id)
  return (await withAudiences(db, rows.filter(isPresent))).map((post) => ({
    ...post,
    formerSlugs: (byPost.get(post.id) ?? []).map(({ slug, retiredAt }) => ({ slug, retiredAt })),
  }))
}
