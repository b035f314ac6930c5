/** Preview links: with one, somebody without an account reads a post as it is now, published or not, until the link expires. */
import { randomBytes } from 'node:crypto'
import { plusMs } from '../../platform/clock.ts'
import type { Context } from '../../platform/context.ts'
import type { Db } from '../../platform/db/database.ts'
import { fail } from '../../platform/errors.ts'
import { isId } from '../../platform/ids.ts'
import { postAddress, sitesWithPreviews } from '../../sites/index.ts'
import { withAudience } from '../audience.ts'
import { findPost } from '../queries.ts'
import { foundPost } from '../read.ts'
import type { PostRow } from '../tables.ts'
import { findCopy } from '../working-copy/store.ts'

const DAY_MS = 24 * 3_600_000

/** How long a link is remembered after it has expired: until then its page says so. */
const REMEMBERED_MS = 30 * DAY_MS

const TOKEN_BYTES = 32
const TOKEN = /^[\w-]{43}$/

/** A preview link. */
export type Preview = { id: string; token: string; created_at: Date; expires_at: Date }

/** A site that shows previews in its own design, and the address of one there. */
export type SitePreview = { siteId: string; name: string; url: string }

const COLUMNS = ['id', 'token', 'created_at', 'expires_at'] as const

/** Makes a link to a post. Throws `not_found`. */
export async function createPreview(
  ctx: Context,
  accountId: string,
  postId: string,
  expiresInMs: number,
): Promise<Preview> {
  const post = await foundPost(ctx, accountId, postId)
  const now = ctx.clock.now()
  return ctx.db.root
    .insertInto('previews')
    .values({
      id: ctx.ids.next(),
      post_id: post.id,
      account_id: accountId,
      token: randomBytes(TOKEN_BYTES).toString('base64url'),
      created_at: now,
      expires_at: plusMs(now, expiresInMs),
      revoked_at: null,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
}

/** The links to a post that work, oldest first. Throws `not_found`. */
export async function previewsOf(ctx: Context, accountId: string, postId: string): Promise<Preview[]> {
  const post = await foundPost(ctx, accountId, postId)
  return ctx.db.root
    .selectFrom('previews')
    .select(COLUMNS)
    .where('post_id', '=', post.id)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', ctx.clock.now())
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Ends a link; one that has ended already stays so. Throws `not_found`. */
export async function revokePreview(ctx: Context, accountId: string, postId: string, previewId: string): Promise<void> {
  const post = await foundPost(ctx, accountId, postId)
  const revoked = isId(previewId)
    ? await ctx.db.root
        .updateTable('previews')
        .set(({ fn, val }) => ({ revoked_at: fn.coalesce('revoked_at', val(ctx.clock.now())) }))
        .where('id', '=', previewId)
        .where('post_id', '=', post.id)
        .returning('id')
        .executeTakeFirst()
    : undefined
  if (revoked === undefined) throw fail('not_found', 'The post has no such preview link.')
}

/** What stands for a preview where an address has the slug of a post. The SDK's receivers and the plugin for WordPress know it, too. */
const previewSlug = (token: string) => `preview-${token}`

/** The token in the slug that stands for a preview. No slug of a post has capitals or `_`, and hardly a token is without. */
export function tokenInSlug(slug: string): string | undefined {
  return /^preview-(?=.*[A-Z_])([\w-]{43})$/.exec(slug)?.[1]
}

/** Where the sites that a link's post is for show it, of those that show previews. */
export async function sitePreviews(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  accountId: string,
  postId: string,
): Promise<(preview: Preview) => SitePreview[]> {
  const post = await withAudience(db.root, await foundPost({ db }, accountId, postId))
  const sites = await sitesWithPreviews(db.root, accountId)
  const shown = sites.filter(({ id }) => post.site_ids === null || post.site_ids.includes(id))
  const published_at = (post.published_at ?? clock.now()).toISOString()
  return ({ token }) =>
    shown.map(({ id: siteId, name, post_url }) => {
      const address = postAddress({ post_url }, { id: post.id, slug: previewSlug(token), published_at })
      return { siteId, name, url: address ?? '' }
    })
}

/** A post as a preview shows it: with its changes that are not published. */
export type Previewed = { post: PostRow; expiresAt: Date }

/** What the link with this token shows; `gone` if the link has ended or the post is in the trash, undefined if there was never such a link. */
export async function previewed(ctx: Context, token: string): Promise<Previewed | 'gone' | undefined> {
  const { root } = ctx.db
  const link = TOKEN.test(token)
    ? await root
        .selectFrom('previews')
        .select(['post_id', 'account_id', 'expires_at', 'revoked_at'])
        .where('token', '=', token)
        .executeTakeFirst()
    : undefined
  if (link === undefined) return undefined
  if (link.revoked_at !== null || link.expires_at <= ctx.clock.now()) return 'gone'
  const post = await findPost(root, link.account_id, link.post_id)
  return post === undefined ? 'gone' : { post: await withChanges(root, post), expiresAt: link.expires_at }
}

async function withChanges(db: Db, post: PostRow): Promise<PostRow> {
  const copy = post.has_changes ? await findCopy(db, post.id) : undefined
  if (copy === undefined) return post
  const { fields, body_html, body_markdown, body_site_markdown, body_json } = copy
  return { ...post, ...fields, body_html, body_markdown, body_site_markdown, body_json }
}

const LINKS_PER_STEP = 1_000

/** Forgets links that expired long ago, a batch at a time. Returns whether there may be more. */
export async function forgetPreviews(db: Db, now: Date): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('previews')
    .where('id', 'in', (previews) =>
      previews
        .selectFrom('previews')
        .select('id')
        .where('expires_at', '<', plusMs(now, -REMEMBERED_MS))
        .limit(LINKS_PER_STEP),
    )
    .executeTakeFirst()
  return numDeletedRows === BigInt(LINKS_PER_STEP)
}
