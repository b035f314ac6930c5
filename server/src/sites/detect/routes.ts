import { z } from 'zod'
import { accountAuth } from '../../accounts/index.ts'
import { type Endpoint, endpoint } from '../../platform/http/endpoint.ts'
import { httpUrl } from '../../platform/http/url.ts'
import { exampleNewSite } from '../examples.ts'
import { PlatformName } from '../wire.ts'
import { detectPlatform } from './detect-platform.ts'

const DetectPlatform = z
  .strictObject({ url: httpUrl('The url').openapi({ example: exampleNewSite.url }) })
  .openapi('DetectPlatform')

const DetectedPlatform = z
  .object({
    platform: PlatformName.openapi({ description: '`custom` if no platform was recognised.' }),
    generator: z.string().optional().openapi({
      description:
        'What the page itself says it was made with (`<meta name="generator">`), of any software; absent if it says nothing.',
    }),
    reached: z.boolean().openapi({ description: 'Whether the site answered. If not, nothing is known about it.' }),
    reason: z
      .string()
      .optional()
      .openapi({ description: 'Why the site was not reached: an error code such as `dns_error`.' }),
  })
  .openapi('DetectedPlatform')

/** Detecting a site's platform before it is connected; an addition to the specification. */
export const detectionRoutes: Endpoint[] = [
  endpoint({
    tag: 'Sites',
    method: 'post',
    path: '/api/sites/detect-platform',
    auth: accountAuth('sites:write'),
    name: 'detectPlatform',
    summary: "Detect a site's platform",
    description:
      'Looks at the site now, as the service does for a site that is connected without a platform. Takes at most 16 seconds; nothing is stored.',
    body: DetectPlatform,
    mostBytes: 16 * 1024,
    bodyExamples: { 'A site': { url: exampleNewSite.url } },
    replies: {
      200: {
        description: 'What was found.',
        schema: DetectedPlatform,
        examples: {
          'It was recognised': { platform: 'nextjs', reached: true },
          'It names its generator': { platform: 'custom', generator: 'Astro v7.1.0', reached: true },
          'It does not answer': { platform: 'custom', reached: false, reason: 'dns_error' },
        },
      },
    },
    errors: [],
    async handler({ ctx, body }) {
      const look = await detectPlatform(ctx.egress, body.url, new AbortController().signal)
      if (look.kind === 'settled' && look.unreached === undefined)
        return {
          status: 200,
          body: {
            platform: look.platform,
            ...(look.generator === undefined ? {} : { generator: look.generator }),
            reached: true,
          },
        }
      const reason = look.kind === 'settled' ? look.unreached : look.kind === 'later' ? look.reason : look.kind
      return { status: 200, body: { platform: 'custom' as const, reached: false, reason } }
    },
  }),
]
