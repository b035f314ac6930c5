import { z } from 'zod'
import { type AccountPrincipal, accountAuth } from '../../accounts/index.ts'
import type { Context } from '../../platform/context.ts'
import { type Endpoint, endpoint, Id, IdParams, Timestamp } from '../../platform/http/endpoint.ts'
import { exampleSite } from '../../sites/index.ts'
import { holdsPost, seesPost, withinSites } from '../reach.ts'
import { createPreview, type Preview, previewsOf, revokePreview, sitePreviews } from './operations.ts'

const DAY_SECONDS = 24 * 3_600
const USUAL_SECONDS = 7 * DAY_SECONDS
const MOST_SECONDS = 90 * DAY_SECONDS
const EXPIRES_IN = 'expires_in must be a whole number of seconds from 60 to 7,776,000 (90 days).'

const CreatePreview = z
  .strictObject({
    expires_in: z
      .int(EXPIRES_IN)
      .min(60, EXPIRES_IN)
      .max(MOST_SECONDS, EXPIRES_IN)
      .default(USUAL_SECONDS)
      .openapi({ default: USUAL_SECONDS, description: 'For how many seconds the link works.' }),
  })
  .openapi('CreatePreview')

const PreviewBody = z
  .object({
    id: Id,
    url: z
      .string()
      .openapi({ format: 'uri', description: 'The address of the page. Whoever has it can read the post.' }),
    created_at: Timestamp,
    expires_at: Timestamp,
    sites: z.array(z.object({ site_id: Id, name: z.string(), url: z.string().openapi({ format: 'uri' }) })).openapi({
      description:
        'The sites of the post that show it in their own design, and where: those that said so in their last test.',
    }),
  })
  .openapi('PreviewLink')

const examplePreview = {
  id: '01a19b5c-11d8-7c2a-9f43-6b0e7a85d312',
  url: 'https://postrider.example.com/preview/uQ4vX0Zr7sJm2bK9cT1dW5eY8fA3gH6iL0nOpRqStUv',
  created_at: '2026-11-02T10:00:00.000Z',
  expires_at: '2026-11-09T10:00:00.000Z',
  sites: [
    {
      site_id: exampleSite.id,
      name: exampleSite.name,
      url: 'https://kitchen.example.com/posts/preview-uQ4vX0Zr7sJm2bK9cT1dW5eY8fA3gH6iL0nOpRqStUv',
    },
  ],
}

/** Presents links as on the wire, with the sites that the request may see. */
async function presenter(ctx: Context, principal: AccountPrincipal, postId: string) {
  const sitesOfLink = await sitePreviews(ctx, principal.accountId, postId)
  return (preview: Preview) => {
    const { id, token, created_at, expires_at } = preview
    const sites = withinSites(principal, sitesOfLink(preview)).map(({ siteId, name, url }) => ({
      site_id: siteId,
      name,
      url,
    }))
    return { id, url: `${ctx.config.publicUrl}/preview/${token}`, created_at, expires_at, sites }
  }
}

const PreviewParams = IdParams.extend({
  preview_id: z.string().openapi({ description: 'The preview link.', example: examplePreview.id }),
})

const shared = { tag: 'Posts', path: '/api/posts/{id}/previews' } as const

/** Preview links. */
export const previewRoutes: Endpoint[] = [
  endpoint({
    ...shared,
    method: 'post',
    atomic: true,
    auth: accountAuth('posts:write', holdsPost),
    name: 'createPreview',
    summary: 'Make a preview link',
    description:
      'Whoever has the link can read the post as it is then, with its changes that are not published, without an account and without scripts. Search engines are told to leave it out.',
    params: IdParams,
    body: CreatePreview,
    bodyOptional: true,
    bodyExamples: { 'For a day': { expires_in: DAY_SECONDS } },
    replies: { 201: { description: 'The link.', schema: PreviewBody, examples: { 'For a week': examplePreview } } },
    errors: [],
    async handler({ ctx, principal, params, body }) {
      const preview = await createPreview(ctx, principal.accountId, params.id, 1_000 * body.expires_in)
      return { status: 201, body: (await presenter(ctx, principal, params.id))(preview) }
    },
  }),
  endpoint({
    ...shared,
    method: 'get',
    auth: accountAuth('posts:read', seesPost),
    name: 'listPreviews',
    summary: 'List the preview links of a post',
    description: 'Those that work, oldest first.',
    params: IdParams,
    replies: {
      200: {
        description: 'The links.',
        schema: z.object({ previews: z.array(PreviewBody) }).openapi('PreviewLinkList'),
        examples: { 'One link': { previews: [examplePreview] } },
      },
    },
    errors: [],
    async handler({ ctx, principal, params }) {
      const previews = await previewsOf(ctx, principal.accountId, params.id)
      return { status: 200, body: { previews: previews.map(await presenter(ctx, principal, params.id)) } }
    },
  }),
  endpoint({
    ...shared,
    method: 'delete',
    path: '/api/posts/{id}/previews/{preview_id}',
    auth: accountAuth('posts:write', holdsPost),
    name: 'revokePreview',
    summary: 'Take a preview link back',
    description: 'Its page says from now on that the preview is over.',
    params: PreviewParams,
    replies: { 204: { description: 'The link shows nothing any more.', schema: null } },
    errors: [],
    async handler({ ctx, principal, params }) {
      await revokePreview(ctx, principal.accountId, params.id, params.preview_id)
      return { status: 204 }
    },
  }),
]
