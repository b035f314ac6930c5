/**
 * Logging in with a password.
 *
 * Guesses are limited per client address before they come here (`authBuckets`). A guesser who has many addresses is stopped by a second
 * limit: ten failed logins to one account in ten minutes, unknown addresses alike. It would let anybody lock the owner out, so networks
 * from which somebody has logged in to the account in the last 90 days have counts of their own (decision 0053).
 *
 * A login counts before its password is compared, and is taken back if that is right: of any number of simultaneous guesses, ten get an
 * answer.
 */
import { plusMs } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { lookupIndex, NO_PASSWORD, verifyPassword } from '../platform/crypto.ts'
import type { Db } from '../platform/db/database.ts'
import { unauthorized } from '../platform/errors.ts'
import { clientNetwork } from '../platform/http/client-address.ts'
import type { RequestFacts } from '../platform/http/endpoint.ts'
import { oncePer } from '../platform/once-per.ts'
import { createRequestCounter, overLimit, uncount } from '../platform/rate-limit/rate-limit.ts'
import { emailKey } from './email.ts'
import { failedLoginsBucket } from './limits.ts'
import { findAccountByLogin, removeOldNetworks, upsertNetwork } from './queries.ts'
import type { AccountRow } from './tables.ts'

/** From where and by which request somebody logs in. */
export type LoginFacts = Pick<RequestFacts, 'clientAddress' | 'requestId'>

type Needs = Pick<Context, 'clock' | 'config' | 'db' | 'keys' | 'log' | 'metrics'>

const REMEMBERED_MS = 90 * 24 * 3_600_000

const counter = oncePer(({ db, clock }: Needs) => createRequestCounter(db.root, clock))

const outcomes = oncePer(({ metrics }: Needs) =>
  metrics.counter('postrider_logins_total', 'Logins by outcome: succeeded, failed, or limited (not tried)', [
    'outcome',
  ]),
)

/**
 * The account of these credentials. An unknown address and a wrong password throw the same `unauthorized`, and after ten of them
 * `rate_limited`.
 */
export async function login(
  ctx: Needs,
  { email, password }: { email: string; password: string },
  facts: LoginFacts,
): Promise<AccountRow> {
  const key = emailKey(email)
  const accountKey = accountKeyOf(ctx, key)
  const network = networkIndex(ctx, facts.clientAddress)
  const found = await findAccountByLogin(ctx.db.root, key, network)
  const bucket = failedLoginsBucket(ctx, accountKey, found?.known === true ? network.toString('hex') : undefined)
  const usage = await counter(ctx)(bucket)
  const failed = (outcome: 'failed' | 'limited') => {
    outcomes(ctx).inc({ outcome })
    ctx.log.warn('login.failed', {
      request_id: facts.requestId,
      client_address: facts.clientAddress,
      account_key: accountKey,
      ...(found === undefined ? {} : { account_id: found.account.id }),
      limited: outcome === 'limited',
    })
  }
  if (usage?.refused === true) {
    failed('limited')
    throw overLimit(usage, `The limit of ${usage.limit} failed logins to this account`)
  }
  // Also when the address is unknown, so that both refusals take the same time.
  const matches = await verifyPassword(password, found?.account.password_hash ?? NO_PASSWORD).catch(async (error) => {
    await uncount(ctx.db.root, bucket, ctx.clock.now())
    throw error
  })
  if (found === undefined || !matches) {
    failed('failed')
    throw unauthorized('Bearer', 'The e-mail address or the password is wrong.')
  }
  outcomes(ctx).inc({ outcome: 'succeeded' })
  await uncount(ctx.db.root, bucket, ctx.clock.now())
  await rememberNetwork(ctx, found.account, facts)
  return found.account
}

/** Remembers that somebody has logged in to the account from this network. */
export async function rememberNetwork(
  ctx: Pick<Context, 'clock' | 'db' | 'keys'>,
  { id }: AccountRow,
  { clientAddress }: Pick<LoginFacts, 'clientAddress'>,
): Promise<void> {
  await upsertNetwork(ctx.db.root, id, networkIndex(ctx, clientAddress), ctx.clock.now())
}

/** Forgets some of the networks from which nobody has logged in for 90 days; returns whether there may be more. */
export function forgetOldNetworks(db: Db, now: Date): Promise<boolean> {
  return removeOldNetworks(db, plusMs(now, -REMEMBERED_MS))
}

/** What the log calls the account of an e-mail address, whether there is one or not. It does not reveal the address. */
export function accountKeyOf({ keys }: Pick<Context, 'keys'>, key: string): string {
  return lookupIndex(keys, `account of ${key}`).toString('hex').slice(0, 16)
}

/** What is stored of a client's network. */
function networkIndex({ keys }: Pick<Context, 'keys'>, clientAddress: string): Buffer {
  return lookupIndex(keys, `network ${clientNetwork(clientAddress)}`)
}
