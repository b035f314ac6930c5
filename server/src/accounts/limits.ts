/** The buckets in which requests are counted (specification, section 8; decision H9). */
import type { Context } from '../platform/context.ts'
import { clientNetwork } from '../platform/http/client-address.ts'
import type { RequestFacts } from '../platform/http/endpoint.ts'
import type { Bucket } from '../platform/rate-limit/rate-limit.ts'
import type { AccountRow } from './tables.ts'

/** The Management API, per account; the limit is the plan's. */
export function managementBucket(ctx: Pick<Context, 'config'>, account: Pick<AccountRow, 'id' | 'plan'>): Bucket {
  return { name: `management:${account.id}`, limit: ctx.config.rateLimits[account.plan] }
}

/** The Management API as the dashboard uses it: counted apart, so that browsing does not use up the plan. */
export function dashboardBucket(ctx: Pick<Context, 'config'>, account: Pick<AccountRow, 'id'>): Bucket {
  return { name: `dashboard:${account.id}`, limit: ctx.config.rateLimits.dashboard }
}

/** Guesses of an account's password by somebody who is logged in to it, from any address. */
export function passwordBucket(ctx: Pick<Context, 'config'>, account: Pick<AccountRow, 'id'>): Bucket {
  return { name: `password:${account.id}`, limit: ctx.config.rateLimits.auth }
}

/**
 * Ending logins, per account and client address: a thief of a login cannot keep its owner from ending it by using up the account's
 * requests.
 */
export function logoutBucket(
  ctx: Pick<Context, 'config'>,
  account: Pick<AccountRow, 'id'>,
  { clientAddress }: RequestFacts,
): Bucket {
  return { name: `logout:${account.id}:${clientNetwork(clientAddress)}`, limit: ctx.config.rateLimits.auth }
}

/** How many times as many requests a /48 may make as one client: a company's people share one, and a guesser can have all of one. */
const CLIENTS_PER_48 = 4

/** Register and login together, per client address; of IPv6 by /64, and by /48 too. */
export function authBuckets(ctx: Pick<Context, 'config'>, { clientAddress }: RequestFacts): Bucket[] {
  const { auth } = ctx.config.rateLimits
  const [own, wide] = [clientNetwork(clientAddress), clientNetwork(clientAddress, 48)]
  const buckets = [{ name: `auth:${own}`, limit: auth }]
  if (auth === 'off' || wide === own) return buckets
  const limit = { ...auth, requests: CLIENTS_PER_48 * auth.requests }
  return [...buckets, { name: `auth:${wide}`, limit }]
}

const FAILED_LOGINS = { requests: 10, windowMs: 10 * 60_000 }

/**
 * Failed logins to one account, from wherever they come (ASVS 5, 6.3.1). Whoever has logged in to it before has a count of their own, by
 * `network`, so that a guesser cannot lock them out. Off where logins are not limited at all.
 */
export function failedLoginsBucket(ctx: Pick<Context, 'config'>, accountKey: string, network?: string): Bucket {
  const limit = ctx.config.rateLimits.auth === 'off' ? 'off' : FAILED_LOGINS
  return { name: `failed-logins:${accountKey}${network === undefined ? '' : `:${network}`}`, limit }
}

/** Tokens of programs that do not exist, per client address. */
export function unknownTokensBucket(ctx: Pick<Context, 'config'>, { clientAddress }: RequestFacts): Bucket {
  return { name: `unknown-tokens:${clientNetwork(clientAddress)}`, limit: ctx.config.rateLimits.auth }
}
