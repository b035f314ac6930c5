import { z } from 'zod'
import { accountAuth } from '../accounts/index.ts'
import {
  type Endpoint,
  endpoint,
  Id,
  IdParams,
  NO_STORE,
  readOnlyField,
  Timestamp,
  TimestampText,
} from '../platform/http/endpoint.ts'
import { text } from '../platform/http/text.ts'
import { httpUrl } from '../platform/http/url.ts'
import { exampleNewSite, exampleSecrets, exampleSite } from './examples.ts'
import {
  changeSite,
  createSite,
  removeSite,
  revealSite,
  rotateKeys,
  type Site,
  type SiteWithSecrets,
  sitesOf,
  webhookUrlOf,
} from './operations.ts'
import { PLATFORMS } from './tables.ts'

/** A site's platform on the wire. */
export const PlatformName = z
  .enum(PLATFORMS, `The platform must be one of ${PLATFORMS.join(', ')}.`)
  .openapi('Platform')

const SITE_STATUSES = ['active', 'inactive', 'error'] as const
const SiteStatus = z.enum(SITE_STATUSES, 'The status must be "active" or "inactive".').openapi('SiteStatus', {
  description:
    '`inactive`: paused by the user; nothing is sent. `error`: set by the service when deliveries fail, and cleared by the next success.',
})

/** A site on the wire, without its secrets. */
const SiteBody = z
  .object({
    id: Id,
    name: z.string(),
    url: z.string().openapi({ format: 'uri' }),
    webhook_url: z.string().openapi({ format: 'uri', description: 'Where webhooks are sent.' }),
    niche: z.string().openapi({ description: 'What the site is about; empty if it was not set.' }),
    platform: PlatformName,
    status: SiteStatus,
    delivery_stats: z.object({
      total: z.int().openapi({ description: 'The number of finished deliveries.' }),
      success_rate: z.number().nullable().openapi({
        description: 'Percentage of finished deliveries that succeeded, with one decimal; null if none has finished.',
      }),
      last_delivery: Timestamp.nullable(),
    }),
    last_test: z
      .object({
        at: TimestampText,
        ok: z.boolean(),
        store: z.string().nullable().openapi({ description: 'Where the site said that it keeps posts.' }),
        message: z.string().openapi({ description: 'What came of it, in a sentence.' }),
      })
      .nullable()
      .openapi({ description: 'The last test delivery; null if there was none since the webhook address was set.' }),
    created_at: Timestamp,
  })
  .openapi('Site')

const SiteWithSecretsBody = SiteBody.extend({
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
  niche: text('The niche', { max: 500 }).optional().openapi({ description: 'What the site is about, in a few words.' }),
}

const CreateSite = z
  .strictObject({ ...siteFields, status: readOnlyField(), ...readOnlySiteFields })
  .openapi('CreateSite')

const UpdateSite = z
  .strictObject({
    ...siteFields,
    name: siteFields.name.optional(),
    url: siteFields.url.optional(),
    webhook_url: siteFields.webhook_url.optional(),
    status: SiteStatus.optional(),
    ...readOnlySiteFields,
  })
  .openapi('UpdateSite')

const RotatedKeys = z
  .object({
    site_id: Id,
    new_api_key: z.string(),
    new_webhook_secret: z.string(),
    rotated_at: Timestamp,
    warning: z.string(),
  })
  .openapi('RotatedKeys')

const SiteList = z.object({ sites: z.array(SiteBody), total: z.int() }).openapi('SiteList')

/** Presents a site as `SiteBody` describes it. */
function presentSite({ row, endpoint }: Site) {
  const { status, delivered, failed, lastDeliveredAt } = endpoint
  const total = delivered + failed
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    webhook_url: webhookUrlOf(endpoint),
    niche: row.niche,
    platform: row.platform,
    status,
    delivery_stats: {
      total,
      success_rate: total === 0 ? null : Math.round((delivered / total) * 1000) / 10,
      last_delivery: lastDeliveredAt,
    },
    last_test: row.last_test,
    created_at: row.created_at,
  }
}

function presentWithSecrets(site: SiteWithSecrets) {
  return { ...presentSite(site), api_key: site.apiKey, webhook_secret: site.webhookSecret }
}

const ROTATION_WARNING = 'The previous API key and webhook secret have stopped working. Update your site now.'
const shared = { tag: 'Sites', auth: accountAuth } as const

/** Connected sites (specification, section 4). */
export const siteRoutes: Endpoint[] = [
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/sites',
    name: 'listSites',
    summary: 'List the connected sites',
    description: 'All sites, oldest first, without their secrets.',
    replies: {
      200: {
        description: 'The sites.',
        schema: SiteList,
        examples: { 'One site': { sites: [exampleSite], total: 1 }, 'None yet': { sites: [], total: 0 } },
      },
    },
    errors: [],
    async handler({ ctx, principal }) {
      const sites = await sitesOf(ctx.db, principal.accountId)
      return { status: 200, body: { sites: sites.map(presentSite), total: sites.length } }
    },
  }),
  endpoint({
    ...shared,
    method: 'post',
    path: '/api/sites',
    name: 'createSite',
    summary: 'Connect a site',
    description:
      'Generates the API key and the webhook secret. `webhook_url` must be a public https address, unless the operator allows others.',
    body: CreateSite,
    bodyExamples: {
      'The platform is detected': exampleNewSite,
      'With platform and niche': { ...exampleNewSite, platform: 'nextjs', niche: 'Baking at home' },
    },
    replies: {
      201: {
        description: 'The site with its secrets.',
        schema: SiteWithSecretsBody,
        examples: {
          'The new site': {
            ...exampleSite,
            ...exampleSecrets,
            delivery_stats: { total: 0, success_rate: null, last_delivery: null },
            last_test: null,
          },
        },
        headers: {
          ...NO_STORE.documented,
          Location: { description: 'The path of the site.', example: `/api/sites/${exampleSite.id}` },
        },
      },
    },
    errors: [],
    async handler({ ctx, principal, body }) {
      const { name, url, webhook_url: webhookUrl, platform, niche } = body
      const site = await createSite(ctx, principal.accountId, { name, url, webhookUrl, platform, niche })
      return {
        status: 201,
        body: presentWithSecrets(site),
        headers: { ...NO_STORE.sent, Location: `/api/sites/${site.row.id}` },
      }
    },
  }),
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/sites/{id}',
    name: 'getSite',
    summary: 'Get a site',
    description: 'The site with its API key and its webhook secret.',
    params: IdParams,
    replies: {
      200: {
        description: 'The site with its secrets.',
        schema: SiteWithSecretsBody,
        examples: { 'A site': { ...exampleSite, ...exampleSecrets } },
        headers: NO_STORE.documented,
      },
    },
    errors: [],
    async handler({ ctx, principal, params }) {
      return {
        status: 200,
        body: presentWithSecrets(await revealSite(ctx, principal.accountId, params.id)),
        headers: NO_STORE.sent,
      }
    },
  }),
  endpoint({
    ...shared,
    method: 'patch',
    path: '/api/sites/{id}',
    name: 'updateSite',
    summary: 'Change a site',
    description:
      'Status "inactive" pauses the site: pending deliveries wait until it is "active" again. "active" also ends the status "error".',
    params: IdParams,
    body: UpdateSite,
    bodyExamples: {
      'Change the webhook address': { webhook_url: 'https://kitchen.example.com/hooks/postrider' },
      'Pause the site': { status: 'inactive' },
    },
    replies: {
      200: {
        description: 'The changed site, without its secrets.',
        schema: SiteBody,
        examples: { 'A paused site': { ...exampleSite, status: 'inactive' } },
      },
    },
    errors: [],
    async handler({ ctx, principal, params, body }) {
      const { name, url, webhook_url: webhookUrl, platform, niche, status } = body
      const site = await changeSite(ctx, principal.accountId, params.id, {
        name,
        url,
        webhookUrl,
        platform,
        niche,
        status,
      })
      return { status: 200, body: presentSite(site) }
    },
  }),
  endpoint({
    ...shared,
    method: 'delete',
    path: '/api/sites/{id}',
    name: 'deleteSite',
    summary: 'Disconnect a site',
    description:
      "The site's API key stops working and its pending deliveries end. Posts that the site has are not removed from it.",
    params: IdParams,
    replies: {
      204: { description: 'The site is disconnected. Its delivery history stays for 90 days.', schema: null },
    },
    errors: [],
    async handler({ ctx, principal, params }) {
      await removeSite(ctx, principal.accountId, params.id)
      return { status: 204 }
    },
  }),
  endpoint({
    ...shared,
    method: 'post',
    path: '/api/sites/{id}/rotate-keys',
    name: 'rotateSiteKeys',
    summary: 'Replace the API key and the webhook secret',
    description: 'Replaces both immediately: give the site the new ones before the next post is published.',
    params: IdParams,
    replies: {
      200: {
        description: 'The new secrets. The previous ones have stopped working.',
        schema: RotatedKeys,
        examples: {
          'New secrets': {
            site_id: exampleSite.id,
            new_api_key: exampleSecrets.api_key,
            new_webhook_secret: exampleSecrets.webhook_secret,
            rotated_at: '2026-11-02T08:30:00.000Z',
            warning: ROTATION_WARNING,
          },
        },
        headers: NO_STORE.documented,
      },
    },
    errors: [],
    async handler({ ctx, principal, params }) {
      const { siteId, apiKey, webhookSecret, rotatedAt } = await rotateKeys(ctx, principal.accountId, params.id)
      return {
        status: 200,
        body: {
          site_id: siteId,
          new_api_key: apiKey,
          new_webhook_secret: webhookSecret,
          rotated_at: rotatedAt,
          warning: ROTATION_WARNING,
        },
        headers: NO_STORE.sent,
      }
    },
  }),
]
