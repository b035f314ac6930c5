import { z } from 'zod'
import { accountAuth } from '../accounts/index.ts'
import { type Endpoint, endpoint, Id, IdParams, readOnlyField, Timestamp } from '../platform/http/endpoint.ts'
import { text } from '../platform/http/text.ts'
import { httpUrl } from '../platform/http/url.ts'
import {
  allSites,
  changeSite,
  createSite,
  removeSite,
  revealSite,
  rotateKeys,
  type Site,
  type SiteWithSecrets,
  testDelivery,
} from './operations.ts'
import { PLATFORMS } from './tables.ts'
import { troubleshoot } from './troubleshooting.ts'

const PlatformName = z.enum(PLATFORMS, `The platform is one of ${PLATFORMS.join(', ')}.`)

const SiteBody = z
  .object({
    id: Id,
    name: z.string(),
    url: z.string(),
    webhook_url: z.string(),
    niche: z.string(),
    platform: PlatformName,
    status: z.enum(['active', 'inactive', 'error']),
    delivery_stats: z.object({
      total: z.int().openapi({ description: 'Finished deliveries.' }),
      success_rate: z
        .number()
        .nullable()
        .openapi({ description: 'Percent, one decimal; null when nothing has finished.' }),
      last_delivery: Timestamp.nullable(),
    }),
    created_at: Timestamp,
  })
  .openapi('Site')

const SiteWithSecretsBody = SiteBody.extend({
  api_key: z.string().openapi({ example: 'pr_…' }),
  webhook_secret: z.string().openapi({ example: 'whsec_…' }),
}).openapi('SiteWithSecrets')

const readOnlySiteFields = {
  id: readOnlyField(),
  api_key: readOnlyField(),
  webhook_secret: readOnlyField(),
  delivery_stats: readOnlyField(),
  created_at: readOnlyField(),
}

const siteFields = {
  name: text('The name', { min: 1, max: 120 }),
  url: httpUrl('The url'),
  webhook_url: httpUrl('The webhook_url'),
  platform: PlatformName.optional(),
  niche: text('The niche', { max: 500 }).optional(),
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
    status: z.enum(['active', 'inactive', 'error'], 'The status is "active" or "inactive".').optional(),
    ...readOnlySiteFields,
  })
  .openapi('UpdateSite')

const TestResult = z
  .object({
    success: z.boolean(),
    response_code: z.int().nullable(),
    response_time_ms: z.int(),
    payload_sent: z
      .record(z.string(), z.unknown())
      .optional()
      .openapi({ description: 'The sample post, when it succeeded.' }),
    message: z.string().optional(),
    error: z.string().optional(),
    troubleshooting: z.string().optional(),
  })
  .openapi('TestDelivery')

const RotatedKeys = z
  .object({
    site_id: Id,
    new_api_key: z.string(),
    new_webhook_secret: z.string(),
    rotated_at: Timestamp,
    warning: z.string(),
  })
  .openapi('RotatedKeys')

const NO_STORE = { 'Cache-Control': 'no-store' }

function present({ row, endpoint: { webhookUrl, status, delivered, failed, lastDeliveredAt } }: Site) {
  const total = delivered + failed
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    webhook_url: webhookUrl,
    niche: row.niche,
    platform: row.platform,
    status,
    delivery_stats: {
      total,
      success_rate: total === 0 ? null : Math.round((delivered / total) * 1000) / 10,
      last_delivery: lastDeliveredAt,
    },
    created_at: row.created_at,
  }
}

function presentWithSecrets(site: SiteWithSecrets) {
  return { ...present(site), api_key: site.apiKey, webhook_secret: site.webhookSecret }
}

const shared = { tag: 'Sites', auth: accountAuth } as const

/** Connected sites (specification, section 4). */
export const siteRoutes: Endpoint[] = [
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/sites',
    name: 'listSites',
    summary: 'List the connected sites',
    replies: {
      200: {
        description: 'All sites, oldest first, without their secrets.',
        schema: z.object({ sites: z.array(SiteBody), total: z.int() }),
      },
    },
    errors: [],
    async handler({ ctx, principal }) {
      const sites = await allSites(ctx, principal.accountId)
      return { status: 200, body: { sites: sites.map(present), total: sites.length } }
    },
  }),
  endpoint({
    ...shared,
    method: 'post',
    path: '/api/sites',
    name: 'createSite',
    summary: 'Connect a site',
    description:
      'Generates the API key and the webhook secret. The webhook_url must be https, unless the operator allows local targets.',
    body: CreateSite,
    replies: { 201: { description: 'The site with its secrets.', schema: SiteWithSecretsBody } },
    errors: [],
    async handler({ ctx, principal, body }) {
      const { name, url, webhook_url: webhookUrl, platform, niche } = body
      const site = await createSite(ctx, principal.accountId, { name, url, webhookUrl, platform, niche })
      return {
        status: 201,
        body: presentWithSecrets(site),
        headers: { ...NO_STORE, Location: `/api/sites/${site.row.id}` },
      }
    },
  }),
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/sites/{id}',
    name: 'getSite',
    summary: 'Get a site with its secrets',
    params: IdParams,
    replies: { 200: { description: 'The site with its secrets.', schema: SiteWithSecretsBody } },
    errors: [],
    async handler({ ctx, principal, params }) {
      return {
        status: 200,
        body: presentWithSecrets(await revealSite(ctx, principal.accountId, params.id)),
        headers: NO_STORE,
      }
    },
  }),
  endpoint({
    ...shared,
    method: 'patch',
    path: '/api/sites/{id}',
    name: 'updateSite',
    summary: 'Change a site',
    description: 'Status "inactive" pauses the site: pending deliveries wait until it is "active" again.',
    params: IdParams,
    body: UpdateSite,
    replies: { 200: { description: 'The changed site, without its secrets.', schema: SiteBody } },
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
      return { status: 200, body: present(site) }
    },
  }),
  endpoint({
    ...shared,
    method: 'delete',
    path: '/api/sites/{id}',
    name: 'deleteSite',
    summary: 'Disconnect a site',
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
    params: IdParams,
    replies: { 200: { description: 'The new secrets. The previous ones have stopped working.', schema: RotatedKeys } },
    errors: [],
    async handler({ ctx, principal, params }) {
      const { siteId, apiKey, webhookSecret, rotatedAt } = await rotateKeys(ctx, principal.accountId, params.id)
      const warning = 'The previous API key and webhook secret have stopped working. Update your site now.'
      return {
        status: 200,
        body: {
          site_id: siteId,
          new_api_key: apiKey,
          new_webhook_secret: webhookSecret,
          rotated_at: rotatedAt,
          warning,
        },
        headers: NO_STORE,
      }
    },
  }),
  endpoint({
    ...shared,
    method: 'post',
    path: '/api/sites/{id}/test-delivery',
    name: 'testSiteDelivery',
    summary: 'Send a test delivery',
    description:
      'Sends one `site.test` webhook now and answers with what the site answered. A failure is a result too: the status is 200 in both cases.',
    params: IdParams,
    replies: { 200: { description: 'What the site answered.', schema: TestResult } },
    errors: [],
    async handler({ ctx, principal, params }) {
      const { result, post } = await testDelivery(ctx, principal.accountId, params.id)
      const common = { success: result.ok, response_code: result.code, response_time_ms: result.tookMs }
      if (result.ok)
        return {
          status: 200,
          body: { ...common, payload_sent: post, message: `Your site accepted the test in ${result.tookMs} ms.` },
        }
      return { status: 200, body: { ...common, error: result.error, troubleshooting: troubleshoot(result) } }
    },
  }),
]
