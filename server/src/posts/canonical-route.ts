/** "Which address does each site name as that of the original, and why?" */
import { z } from 'zod'
import { accountAuth } from '../accounts/index.ts'
import type { Context } from '../platform/context.ts'
import { type Endpoint, endpoint, Id, IdParams } from '../platform/http/endpoint.ts'
import { exampleSite } from '../sites/index.ts'
import { audienceOf } from './audience.ts'
import { CANONICAL_SOURCES, canonicalFor, type Original } from './canonical.ts'
import { examplePublished } from './examples.ts'
import { publishContextOf } from './queries.ts'
import { seesPost } from './reach.ts'
import { foundPost } from './read.ts'

const CanonicalAddresses = z
  .object({
    post_id: Id,
    primary_site_id: Id.nullable(),
    sites: z.array(
      z
        .object({
          site_id: Id,
          canonical_url: z.string().nullable().openapi({
            description: 'What the site is sent as `meta.canonical_url`; null: it is absent.',
          }),
          source: z.enum(CANONICAL_SOURCES).openapi({
            description:
              "`author`: the post's own `meta.canonical_url`. `primary_live`: where the original's site said that it shows the post. `primary_pattern`: what its `post_url` says. `own_live`, `own_pattern`: the same of the site itself, whose `canonical` is `own`. `unknown`: the address is not known. `none`: the post has no original.",
          }),
          problem: z
            .string()
            .nullable()
            .openapi({ description: 'Why the address is not known, a sentence; null if it is known or not needed.' }),
        })
        .openapi('CanonicalAddress'),
    ),
  })
  .openapi('CanonicalAddresses')

/** The addresses that a post's connected sites are sent. Throws `not_found`. */
async function canonicalAddresses(
  ctx: Context,
  accountId: string,
  id: string,
): Promise<z.output<typeof CanonicalAddresses>> {
  const post = await foundPost(ctx, accountId, id)
  const { named, paused, original } = await publishContextOf(ctx.db.root, post.id)
  const audience = audienceOf(post, named)
  const about = { ...post, published_at: post.published_at ?? ctx.clock.now() }
  const sites = Object.keys(paused)
    .filter((siteId) => audience === null || audience.includes(siteId))
    .sort()
    .map((siteId) => ({ siteId, ...canonicalFor(about, original, siteId) }))
  return {
    post_id: post.id,
    primary_site_id: post.primary_site_id,
    sites: sites.map(({ siteId, url, source }) => ({
      site_id: siteId,
      canonical_url: url,
      source,
      problem: source === 'unknown' && original !== null ? problemOf(original, siteId) : null,
    })),
  }
}

function problemOf({ isFor, own }: Original, siteId: string): string {
  if (siteId in own) return 'The site has not said where it shows the post, and has no post_url.'
  return isFor
    ? 'The site that has the original has not said where it shows the post, and has no post_url.'
    : 'The post is not for the site that has its original: add that to its sites, or choose another original.'
}

/** The endpoint that explains a post's canonical addresses. */
export const canonicalRoute: Endpoint = endpoint({
  tag: 'Posts',
  method: 'get',
  path: '/api/posts/{id}/canonical',
  auth: accountAuth('posts:read', seesPost),
  name: 'getPostCanonical',
  summary: 'Explain the canonical addresses of a post',
  description:
    "Which address each of the post's sites is sent as `meta.canonical_url`, and why. Of a post that is not published: what would be sent if it were now.",
  params: IdParams,
  replies: {
    200: {
      description: 'The addresses, by site.',
      schema: CanonicalAddresses,
      examples: {
        'The original has said where it is': {
          post_id: examplePublished.id,
          primary_site_id: exampleSite.id,
          sites: [
            {
              site_id: exampleSite.id,
              canonical_url: 'https://kitchen.example.com/posts/bread-without-kneading',
              source: 'primary_live',
              problem: null,
            },
          ],
        },
      },
    },
  },
  errors: [],
  async handler({ ctx, principal, params }) {
    return { status: 200, body: await canonicalAddresses(ctx, principal.accountId, params.id) }
  },
})
