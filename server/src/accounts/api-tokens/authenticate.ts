/** Requests with a program's token: `Authorization: Bearer pt_…`. */

import { looksLikeCheckedKey } from '../../platform/checked-key.ts'
import { plusMs } from '../../platform/clock.ts'
import type { Context } from '../../platform/context.ts'
import { lookupIndex } from '../../platform/crypto.ts'
import { unauthorized } from '../../platform/errors.ts'
import type { RequestFacts } from '../../platform/http/endpoint.ts'
import { oncePer } from '../../platform/once-per.ts'
import { createRequestCounter, overLimit } from '../../platform/rate-limit/rate-limit.ts'
import { unknownTokensBucket } from '../limits.ts'
import type { AccountRow } from '../tables.ts'
import type { Scope } from './scopes.ts'
import { type FoundToken, findApiToken, touchApiToken } from './store.ts'

/** What every token begins with. */
export const API_TOKEN_PREFIX = 'pt_'

/** `siteIds`: the sites that the token is limited to; undefined: all. */
export type ApiTokenCredential = {
  kind: 'api_token'
  tokenId: string
  name: string
  scopes: readonly Scope[]
  siteIds: readonly string[] | undefined
  expiresAt: Date | undefined
}

/** The time of the last use is exact to a minute, so that not every request writes. */
const TOUCHED_EVERY_MS = 60_000

const counter = oncePer(({ db, clock }: Pick<Context, 'db' | 'clock'>) => createRequestCounter(db.root, clock))

/** The account and the rights of a token. Throws `unauthorized`, and `rate_limited` after too many unknown tokens from a network. */
export async function readApiToken(
  ctx: Context,
  text: string,
  request: RequestFacts,
): Promise<{ account: AccountRow; credential: ApiTokenCredential }> {
  const found = looksLikeCheckedKey(API_TOKEN_PREFIX, text)
    ? await findApiToken(ctx.db.root, lookupIndex(ctx.keys, text))
    : undefined
  if (found === undefined) {
    const usage = await counter(ctx)(unknownTokensBucket(ctx, request))
    if (usage?.refused === true) throw overLimit(usage, `The limit of ${usage.limit} unknown tokens`)
    throw unauthorized(
      'Bearer',
      'The token is not valid. It may have been revoked: make a new one on the account page.',
    )
  }
  const now = ctx.clock.now()
  if (found.expires_at !== null && found.expires_at <= now)
    throw unauthorized('Bearer', 'The token has expired. Make a new one on the account page.')
  if (found.last_used_at === null || plusMs(found.last_used_at, TOUCHED_EVERY_MS) <= now)
    await touchApiToken(ctx.db.root, found.token_id, now)
  return credentialIn(found)
}

function credentialIn({ token_id, token_name, scopes, site_ids, expires_at, last_used_at: _, ...account }: FoundToken) {
  return {
    account,
    credential: {
      kind: 'api_token' as const,
      tokenId: token_id,
      name: token_name,
      scopes,
      siteIds: site_ids ?? undefined,
      expiresAt: expires_at ?? undefined,
    },
  }
}
