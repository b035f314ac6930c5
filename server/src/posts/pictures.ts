/** The pictures of posts: those of the account that a post's text shows, and the one for social networks. */
import { sql } from 'kysely'
import { z } from 'zod'
import { lockByHashes, pictureAddresses, type Use } from '../media/index.ts'
import type { Db, Tx } from '../platform/db/database.ts'
import { Id } from '../platform/http/endpoint.ts'
import type { PostMeta } from './fields.ts'

/** A picture of a post, as sites get it. */
export const PostPicture = z
  .object({
    id: Id,
    sha256: z.string(),
    url: z.string().openapi({
      format: 'uri',
      description: 'What its addresses in the text begin with; a query for a width or a format may follow there.',
    }),
    alt: z.string(),
    width: z.int(),
    height: z.int(),
  })
  .openapi('PostPicture', { description: 'A picture that the service keeps. Its bytes never change: copy it once.' })
export type PostPicture = z.output<typeof PostPicture>

type Pictured = { body_html: string; meta: PostMeta }

/**
 * The pictures of a post that is being written, as they are then; null if it has none, which is known without asking. They cannot be
 * removed before the transaction ends.
 */
export async function picturesOf(
  tx: Tx,
  accountId: string,
  { body_html: html, meta }: Pictured,
): Promise<PostPicture[] | null> {
  const addresses = pictureAddresses(html, meta.og_image ?? '')
  if (addresses.size === 0) return null
  const found = new Map((await lockByHashes(tx, accountId, [...addresses.keys()])).map((one) => [one.hash, one]))
  const pictures = [...addresses].flatMap(([hash, url]) => {
    const medium = found.get(hash)
    if (medium === undefined) return []
    const { id, sha256, alt, width, height } = medium
    return [{ id, sha256, url, alt, width, height }]
  })
  return pictures.length === 0 ? null : pictures
}

/** How many of the posts that have a picture are named. */
const MOST_USES = 20

/** The posts of an account that have pictures, by the SHA-256 of each: its newest twenty. Unpublished changes of a post count as well. */
export async function postsWithPictures(
  db: Db,
  accountId: string,
  pictures: ReadonlyArray<{ sha256: string; hash: string }>,
): Promise<Map<string, Use[]>> {
  if (pictures.length === 0) return new Map()
  const { rows } = await sql<Use & { sha256: string }>`
    select asked.sha256, post.* from unnest(
      ${pictures.map(({ sha256 }) => sha256)}::text[], ${pictures.map(({ hash }) => hash)}::text[]
    ) as asked (sha256, hash)
    cross join lateral (
      select id, title, status from posts
      where media is not null and media @> jsonb_build_array(jsonb_build_object('sha256', asked.sha256))
        and account_id = ${accountId}
      union
      select p.id, p.title, p.status from working_copies w join posts p on p.id = w.post_id
      where w.account_id = ${accountId} and (strpos(w.body_html, asked.hash) > 0 or strpos(w.fields::text, asked.hash) > 0)
      order by id desc limit ${MOST_USES}
    ) as post
  `.execute(db)
  const uses = new Map<string, Use[]>()
  for (const { sha256, ...use } of rows) uses.set(sha256, [...(uses.get(sha256) ?? []), use])
  return uses
}
