import { sql } from 'kysely'
import type { Db } from '../platform/db/database.ts'
import { type Reader, visibleTo } from './visible.ts'
import { folded, separated } from './words.ts'

/** A post that another text may link to. */
export type RelatedPost = { title: string; slug: string; canonicalUrl: string | undefined }

const MOST_WORDS = 40

/** The published posts of a site that share words with these texts, most in common first. */
export async function relatedPosts(
  db: Db,
  reader: Reader,
  texts: readonly string[],
  limit: number,
): Promise<RelatedPost[]> {
  const words = separated(folded(texts.join(' '))).match(/\S+/g) ?? []
  const anyOf = sql`websearch_to_tsquery('english', ${words.slice(0, MOST_WORDS).join(' or ')})`
  const rows = await db
    .selectFrom('posts')
    .where('account_id', '=', reader.accountId)
    .where('status', '=', 'published')
    .where(visibleTo(sql`${reader.siteId}`))
    .where(sql<boolean>`search @@ ${anyOf}`)
    .select(['title', 'slug', 'meta'])
    .orderBy(sql`ts_rank(search, ${anyOf})`, 'desc')
    .orderBy('published_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ title, slug, meta }) => ({ title, slug, canonicalUrl: meta.canonical_url }))
}
