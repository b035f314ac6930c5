/** Pages of the Pull API with whole posts (`include=body`). */
import { hash } from 'node:crypto'
import type { Context } from '../platform/context.ts'
import { pagination } from '../platform/http/pagination.ts'
import { inPortions, pulledJson, sizesOf, visiblePages, visiblePostsById, visibleWithTag } from '../posts/index.ts'
import type { WantedPage } from './answers.ts'
import type { SitePrincipal } from './gate.ts'

/** A page as a stream of JSON text, with the tag of its content: what a site may see is the same while the revision is. */
export async function pullWholePage(
  ctx: Context,
  site: SitePrincipal,
  { page, limit, tag }: WantedPage,
): Promise<{ tag: string; stream: () => AsyncGenerator<string> }> {
  const { accountId, siteId, revision } = site
  const slice = { accountId, siteId, limit, offset: (page - 1) * limit }
  const found =
    tag === undefined
      ? (await visiblePages(ctx.db.root, [slice]))[0]
      : await visibleWithTag(ctx.db.root, { ...slice, tag })
  const { posts, total } = found ?? { posts: [], total: 0 }
  const ids = posts.map(({ id }) => id)
  const name = JSON.stringify([siteId, revision, page, limit, tag])
  return {
    tag: `"${hash('sha256', name, 'base64url').slice(0, 27)}"`,
    stream: () => partsOf(ctx, site, ids, pagination(page, limit, total)),
  }
}

/** A portion of the posts at a time: what is sent is let go, while the client reads. */
async function* partsOf(
  ctx: Context,
  site: SitePrincipal,
  ids: readonly string[],
  place: object,
): AsyncGenerator<string> {
  let between = '{"posts":['
  for (const portion of inPortions(await sizesOf(ctx.db.root, ids))) {
    const part = portion.map(({ id }) => id)
    const posts = await visiblePostsById(ctx.db.root, site, part)
    for (const id of part) {
      const post = posts.get(id)
      if (post === undefined) continue // removed meanwhile
      yield between + pulledJson(post, site.siteId)
      between = ','
    }
  }
  yield `${between === ',' ? '' : between}],${JSON.stringify(place).slice(1)}`
}
