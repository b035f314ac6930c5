/** Sites on the wire: their schemas, and how they are presented. */
import { z } from 'zod'
import { addressOf, shownAddressOf } from '../destinations/index.ts'
import { Id, readOnlyField, Timestamp, TimestampText } from '../platform/http/endpoint.ts'
import { text } from '../platform/http/text.ts'
import { httpUrl } from '../platform/http/url.ts'
import { kindOf, type NewSite, type Site, type SiteWithSecrets } from './operations.ts'
import type { SiteChange } from './policy.ts'
import { PostUrl } from './post-url.ts'
import { CANONICALS, PLATFORMS, RECOVERIES, SITE_KINDS } from './tables.ts'

/** A site's platform on the wire. */
export const PlatformName = z
  .enum(PLATFORMS, `The platform must be one of ${PLATFORMS.join(', ')}.`)
  .openapi('Platform')

const SITE_STATUSES = ['active', 'inactive', 'error'] as const
const SiteStatus = z.enum(SITE_STATUSES, 'The status must be "active" or "inactive".').openapi('SiteStatus', {
  description:
    '`inactive`: paused by the user; nothing is sent. `error`: set by the service when deliveries fail, and cleared by the next success.',
})

const SiteKindName = z.enum(SITE_KINDS, 'The kind must be "webhook" or "build_hook".').openapi('SiteKind', {
  description:
    '`webhook`: a signed request for each change of a post. `build_hook`: the address at which the host of a static site starts a build gets one POST for all changes since the last one, and any 2xx is success.',
})

const RecoveryName = z.enum(RECOVERIES, 'The recovery must be "manual" or "automatic".').openapi('Recovery', {
  description:
    '`manual`: a failed delivery stays failed until it is retried. `automatic`: once the site accepts a request again, what failed in the last seven days is queued again, oldest first, one a second until ten have arrived. While nothing is sent to the site, an empty `site.test` asks every 15 minutes; build hooks are not asked, the next publication does it.',
})

const VERIFY =
  'Whether the page of a post that the site accepted is looked at: after 5 seconds, 1, 5 and 30 minutes, 6 hours and then daily for a week, until it shows the post. Only pages on the host of `url` or `post_url` are. What came of it is `live` of the delivery, whose status it never changes.'
const Canonical = z.enum(CANONICALS, 'canonical must be "primary" or "own".').openapi('SiteCanonical', {
  description:
    'Whose address the site is sent as `meta.canonical_url` of posts that have an original (`primary_site_id`). `primary`: that of the original. `own`: its own.',
})

const FRAMEWORK =
  'What the site is made with, where the platform says too little: a name of its owner’s choice. The dashboard keeps here what was chosen when the site was connected; null if nothing was.'

const debounceMessage = 'The debounce must be 10 to 3600 whole seconds.'

/** A site on the wire, without its secrets. */
export const SiteBody = z
  .object({
    id: Id,
    name: z.string(),
    url: z.string().openapi({ format: 'uri' }),
    kind: SiteKindName,
    webhook_url: z.string().openapi({
      format: 'uri',
      description:
        'Where webhooks are sent. The address of a build hook is a secret: it is whole where the other secrets are, elsewhere only its host (`https://host/***`), which also means "unchanged" in a change.',
    }),
    debounce_seconds: z.int().nullable().openapi({
      description: 'The least time between two requests to a build hook; null for webhooks, which are sent one by one.',
    }),
    post_url: z.string().nullable().openapi({
      description: "The pattern of a post's address on the site; null if it is not known.",
      example: 'https://blog.example.com/posts/{slug}',
    }),
    canonical: Canonical,
    recovery: RecoveryName,
    verify: z.boolean().openapi({ description: VERIFY }),
    niche: z.string().openapi({ description: 'What the site is about; empty if it was not set.' }),
    platform: PlatformName,
    framework: z.string().nullable().openapi({ description: FRAMEWORK, example: 'hono' }),
    status: SiteStatus,
    delivery_stats: z.object({
      total: z.int().openapi({ description: 'The number of finished deliveries.' }),
      success_rate: z.number().nullable().openapi({
        description: 'Percentage of finished deliveries that succeeded, with one decimal; null if none has finished.',
      }),
      last_delivery: Timestamp.nullable(),
      not_live: z.int().openapi({
        description: 'The number of posts that the site accepted and does not show; 0 without `verify`.',
      }),
      missing: z.int().openapi({
        description:
          'The number of posts that the site should have and does not: their newest delivery has failed, or they were published while the site was paused.',
      }),
    }),
    last_test: z
      .object({
        at: TimestampText,
        ok: z.boolean(),
        store: z.string().nullable().openapi({ description: 'Where the site said that it keeps posts.' }),
        previews: z.boolean().openapi({
          description:
            'Whether the site said that it shows previews: at the address of a post with the slug `preview-TOKEN`.',
        }),
        message: z.string().openapi({ description: 'What came of it, in a sentence.' }),
      })
      .nullable()
      .openapi({ description: 'The last test delivery; null if there was none since the webhook address was set.' }),
    created_at: Timestamp,
  })
  .openapi('Site')

export const SiteWithSecretsBody = SiteBody.extend({
  api_key: z.string().openapi({ description: 'The key for the Pull API, sent in the header `X-API-Key`.' }),
  webhook_secret: z.string().openapi({ description: 'The secret that signs webhooks to the site.' }),
}).openapi('SiteWithSecrets')

const readOnlySiteFields = {
  id: readOnlyField(),
  api_key: readOnlyField(),
  webhook_secret: readOnlyField(),
  delivery_stats: readOnlyField(),
  last_test: readOnlyField(),
  created_at: readOnlyField(),
}

const siteFields = {
  name: text('The name', { min: 1, max: 120 }),
  url: httpUrl('The url'),
  webhook_url: httpUrl('The webhook address').openapi({
    description: 'Must be a public https address, unless the operator allows others.',
    example: 'https://blog.example.com/webhooks/postrider',
  }),
  platform: PlatformName.optional().openapi({ description: 'Detected from the site if it is not given.' }),
  kind: SiteKindName.optional().openapi({ description: '`webhook` if it is not given.' }),
  debounce_seconds: z
    .int(debounceMessage)
    .min(10, debounceMessage)
    .max(3600, debounceMessage)
    .nullable()
    .optional()
    .openapi({ description: 'Of a build hook: at most one request in so many seconds. Null: 60.' }),
  post_url: PostUrl.nullable().optional().openapi({
    description: "The pattern of a post's address on the site, with `{slug}` or `{id}`, also `{yyyy}` and `{mm}`.",
  }),
  canonical: Canonical.optional().openapi({ description: '`primary` if it is not given.' }),
  recovery: RecoveryName.optional().openapi({ description: '`manual` if it is not given.' }),
  verify: z
    .boolean('verify must be true or false.')
    .optional()
    .openapi({ description: `${VERIFY} \`false\` if it is not given.` }),
  framework: text('The framework', { min: 1, max: 60 }).nullable().optional().openapi({ description: FRAMEWORK }),
  niche: text('The niche', { max: 500 }).optional().openapi({ description: 'What the site is about, in a few words.' }),
}

export const CreateSite = z
  .strictObject({ ...siteFields, status: readOnlyField(), ...readOnlySiteFields })
  .openapi('CreateSite')

export const UpdateSite = z
  .strictObject({
    ...siteFields,
    name: siteFields.name.optional(),
    url: siteFields.url.optional(),
    webhook_url: siteFields.webhook_url.optional(),
    status: SiteStatus.optional(),
    ...readOnlySiteFields,
  })
  .openapi('UpdateSite')

export const RotatedKeys = z
  .object({
    site_id: Id,
    new_api_key: z.string(),
    new_webhook_secret: z.string(),
    rotated_at: Timestamp,
    warning: z.string(),
  })
  .openapi('RotatedKeys')

export const SiteList = z.object({ sites: z.array(SiteBody), total: z.int() }).openapi('SiteList')

/** Presents a site as `SiteBody` describes it. */
export function presentSite({ row, endpoint }: Site) {
  const { status, delivered, failed, missing, notLive, lastDeliveredAt } = endpoint
  const total = delivered + failed
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    kind: kindOf(endpoint),
    webhook_url: shownAddressOf(endpoint),
    debounce_seconds: endpoint.debounceSeconds,
    post_url: row.post_url,
    canonical: row.canonical,
    recovery: endpoint.recovers ? ('automatic' as const) : ('manual' as const),
    verify: endpoint.verifies,
    niche: row.niche,
    platform: row.platform,
    framework: row.framework,
    status,
    delivery_stats: {
      total,
      success_rate: total === 0 ? null : Math.round((delivered / total) * 1000) / 10,
      last_delivery: lastDeliveredAt,
      not_live: notLive,
      missing,
    },
    last_test: row.last_test && { previews: false, ...row.last_test },
    created_at: row.created_at,
  }
}

/** The same with its secrets. */
export function presentWithSecrets(site: SiteWithSecrets) {
  return {
    ...presentSite(site),
    webhook_url: addressOf(site.endpoint),
    api_key: site.apiKey,
    webhook_secret: site.webhookSecret,
  }
}

/** The site that somebody wants to connect. */
export function newSiteOf(body: z.output<typeof CreateSite>): NewSite {
  const { name, url, webhook_url: webhookUrl } = body
  return { name, url, webhookUrl, ...optionsOf(body) }
}

/** The change of a site that somebody wants. */
export function changeOf(body: z.output<typeof UpdateSite>): SiteChange {
  const { name, url, webhook_url: webhookUrl, status } = body
  return { name, url, webhookUrl, status, ...optionsOf(body) }
}

function optionsOf({
  platform,
  framework,
  niche,
  kind,
  debounce_seconds: debounceSeconds,
  post_url: postUrl,
  canonical,
  recovery,
  verify,
}: Omit<z.output<typeof UpdateSite>, 'status'>) {
  return { platform, framework, niche, kind, debounceSeconds, postUrl, canonical, recovery, verify }
}
