/** A copy of a post, to begin another one from. */
import { accountAuth } from '../accounts/index.ts'
import type { Context } from '../platform/context.ts'
import { type Endpoint, endpoint, IdParams } from '../platform/http/endpoint.ts'
import { isId } from '../platform/ids.ts'
import { audienceOf } from './audience.ts'
import { ETAG, etagOf } from './etag.ts'
import { exampleDraft } from './examples.ts'
import { FIELD_NAMES, MOST_TITLE, pickFields } from './fields.ts'
import { addDraft, storedBody } from './new-post.ts'
import { findPost, publishContextOf } from './queries.ts'
import { editorOf, holdsPost } from './reach.ts'
import { type PostWithDeliveries, postNotFound, withDeliveries } from './read.ts'
import type { RevisedBy } from './tables.ts'
import { PostWithDeliveriesBody, presentWithDeliveries } from './wire.ts'

const SUFFIX = ' (Copy)'

/** Makes a draft with the content of a post, for the same sites. A canonical address stays behind: it is that post's. Throws `not_found`. */
async function duplicatePost(ctx: Context, accountId: string, id: string, by: RevisedBy): Promise<PostWithDeliveries> {
  if (!isId(id)) throw postNotFound()
  const now = ctx.clock.now()
  return ctx.db.tx(async (tx) => {
    const post = await findPost(tx, accountId, id)
    if (post === undefined) throw postNotFound()
    const { canonical_url: _, ...meta } = post.meta
    const title = post.title.slice(0, MOST_TITLE - SUFFIX.length).toWellFormed() + SUFFIX
    const draft = { ...pickFields(post, FIELD_NAMES), meta, title, slug: post.slug, body: storedBody(post) }
    const { named, paused } = await publishContextOf(tx, post.id)
    const audience = audienceOf(post, named)?.filter((siteId) => siteId in paused) ?? null
    return withDeliveries(tx, await addDraft(ctx, tx, accountId, draft, now, { by, audience }))
  })
}

/** Duplicating a post. */
export const duplicateRoute: Endpoint = endpoint({
  tag: 'Posts',
  method: 'post',
  path: '/api/posts/{id}/duplicate',
  atomic: true,
  auth: accountAuth('posts:write', holdsPost),
  name: 'duplicatePost',
  summary: 'Duplicate a post',
  description:
    'Creates a draft with the fields and the text of the post, for the same sites. Its title ends in “(Copy)”, its slug in a number. A canonical address that its author gave is left out.',
  params: IdParams,
  replies: {
    201: {
      description: 'The new draft.',
      schema: PostWithDeliveriesBody,
      examples: {
        'A copy': { ...exampleDraft, title: `${exampleDraft.title}${SUFFIX}`, slug: `${exampleDraft.slug}-2` },
      },
      headers: {
        ...ETAG,
        Location: { description: 'The path of the draft.', example: `/api/posts/${exampleDraft.id}` },
      },
    },
  },
  errors: [],
  async handler({ ctx, principal, params }) {
    const copy = await duplicatePost(ctx, principal.accountId, params.id, editorOf(principal))
    const headers = { ...etagOf(copy), Location: `/api/posts/${copy.post.id}` }
    return { status: 201, body: presentWithDeliveries(copy), headers }
  },
})
