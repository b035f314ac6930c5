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

/** Register and login together, per client address. */
export function authBucket(ctx: Pick<Context, 'config'>, { clientAddress }: RequestFacts): Bucket {
  return { name: `auth:${clientNetwork(clientAddress)}`, limit: ctx.config.rateLimits.auth }
}
