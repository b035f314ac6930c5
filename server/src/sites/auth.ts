import type { Context } from '../platform/context.ts'
import { lookupIndex } from '../platform/crypto.ts'
import { fail } from '../platform/errors.ts'
import type { AuthScheme, RequestFacts } from '../platform/http/endpoint.ts'
import { looksLikeApiKey } from './api-key.ts'
import { findSiteByKeyIndex } from './queries.ts'

/** Which site asks. */
export type SitePrincipal = { siteId: string; accountId: string }

/** `X-API-Key: <API_KEY>` (specification, section 5). A key is good for its own site only. */
export const siteKeyAuth: AuthScheme<SitePrincipal> = {
  name: 'siteKey',
  document: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: "The site's `api_key`. For servers only: keep it out of public code.",
  },
  async authenticate(ctx: Context, request: RequestFacts): Promise<SitePrincipal> {
    const key = request.header('x-api-key')
    if (key === undefined) throw fail('unauthorized', "Send the site's API key in the header X-API-Key.")
    const site = looksLikeApiKey(key) ? await findSiteByKeyIndex(ctx.db.root, lookupIndex(ctx.keys, key)) : undefined
    if (site === undefined) throw fail('unauthorized', 'The API key is not valid. It may have been rotated.')
    return site
  },
  bucket: (ctx, { siteId }) => ({ name: `pull:${siteId}`, limit: ctx.config.rateLimits.pull }),
}
