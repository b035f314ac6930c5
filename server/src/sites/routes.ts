import { ANYWHERE, accountAuth, sitesOf as sitesOfToken } from '../accounts/index.ts'
import { type Endpoint, endpoint, IdParams, NO_STORE } from '../platform/http/endpoint.ts'
import { exampleNewSite, exampleSecrets, exampleSite } from './examples.ts'
import { changeSite, createSite, removeSite, revealSite, rotateKeys, sitesOf } from './operations.ts'
import { isSite } from './reach.ts'
import {
  CreateSite,
  changeOf,
  newSiteOf,
  presentSite,
  presentWithSecrets,
  RotatedKeys,
  SiteBody,
  SiteList,
  SiteWithSecretsBody,
  UpdateSite,
} from './wire.ts'

const ROTATION_WARNING = 'The previous API key and webhook secret have stopped working. Update your site now.'
const shared = { tag: 'Sites' } as const

/** Connected sites (specification, section 4). */
export const siteRoutes: Endpoint[] = [
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/sites',
    auth: accountAuth('sites:read', ANYWHERE),
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
      const own = sitesOfToken(principal)
      const all = await sitesOf(ctx.db, principal.accountId)
      const sites = own === undefined ? all : all.filter(({ row }) => own.includes(row.id))
      return { status: 200, body: { sites: sites.map(presentSite), total: sites.length } }
    },
  }),
  endpoint({
    ...shared,
    method: 'post',
    path: '/api/sites',
    auth: accountAuth(['sites:write', 'secrets:read']),
    name: 'createSite',
    summary: 'Connect a site',
    description:
      'Generates the API key and the webhook secret. `webhook_url` must be a public https address, unless the operator allows others.',
    body: CreateSite,
    bodyExamples: {
      'The platform is detected': exampleNewSite,
      'With platform and niche': { ...exampleNewSite, platform: 'nextjs', niche: 'Baking at home' },
      'A static site that its host builds anew': {
        ...exampleNewSite,
        kind: 'build_hook',
        webhook_url: 'https://api.netlify.com/build_hooks/64f0c0ffee0123456789abcd',
        debounce_seconds: 120,
        post_url: 'https://kitchen.example.com/posts/{slug}',
      },
    },
    replies: {
      201: {
        description: 'The site with its secrets.',
        schema: SiteWithSecretsBody,
        examples: {
          'The new site': {
            ...exampleSite,
            ...exampleSecrets,
            delivery_stats: { total: 0, success_rate: null, last_delivery: null, not_live: 0, missing: 0 },
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
      const site = await createSite(ctx, principal.accountId, newSiteOf(body))
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
    auth: accountAuth(['sites:read', 'secrets:read'], isSite),
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
    auth: accountAuth('sites:write', isSite),
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
      const site = await changeSite(ctx, principal.accountId, params.id, { ...changeOf(body) })
      return { status: 200, body: presentSite(site) }
    },
  }),
  endpoint({
    ...shared,
    method: 'delete',
    path: '/api/sites/{id}',
    auth: accountAuth('sites:write', isSite),
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
    auth: accountAuth(['sites:write', 'secrets:read'], isSite),
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
