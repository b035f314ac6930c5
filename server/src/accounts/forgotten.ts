/**
 * Forgotten passwords. Whoever asks gets the same answer, whether there is such an account or not; a job mails the link,
 * which works once, within an hour. Only a hash of its token is stored.
 */
import { plusMs } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { createLinkToken, hashPassword, linkTokenHash } from '../platform/crypto.ts'
import type { Db } from '../platform/db/database.ts'
import { fail } from '../platform/errors.ts'
import { enqueueJob } from '../platform/jobs/queue.ts'
import type { JobKind, JobOutcome } from '../platform/jobs/runner.ts'
import { errorField } from '../platform/log.ts'
import { MailError, mailOf, sendMail } from '../platform/mail.ts'
import { oncePer } from '../platform/once-per.ts'
import { createRequestCounter } from '../platform/rate-limit/rate-limit.ts'
import { emailKey } from './email.ts'
import { accountKeyOf } from './login.ts'
import { assertNotGuessable } from './passwords.ts'
import { findAccountByEmailKey, lockAccountByEmailKey, updatePassword } from './queries.ts'

const RESET_JOB = 'reset-password'
const VALID_MS = 3_600_000
/** Mails to one account: enough for somebody who looks in the wrong folder, too few to be a nuisance. */
const MAILS = { requests: 3, windowMs: 3_600_000 }
const RETRY_DELAYS_MS = [10_000, 60_000, 5 * 60_000]
const DONE: JobOutcome = { record: async () => {} }

const counter = oncePer(({ db, clock }: Context) => createRequestCounter(db.root, clock))

/**
 * Has the account with this address mailed a link, if there is one. Throws `unavailable` where the service sends no mail. An unknown address is
 * counted and looked up like any other; what differs is one row of a job, less than what a network hides, and few may be asked for.
 */
export async function forgotPassword(ctx: Context, email: string): Promise<void> {
  if (ctx.config.mail === undefined)
    throw fail('unavailable', 'This service cannot send mail. Its operator can give you a new password.')
  const key = emailKey(email)
  const usage = await counter(ctx)({ name: `reset:${accountKeyOf(ctx, key)}`, limit: MAILS })
  const account = await findAccountByEmailKey(ctx.db.root, key)
  if (account === undefined || usage?.refused === true) return
  const job = { kind: RESET_JOB, key: account.id, accountId: account.id, payload: { email: account.email } }
  await ctx.db.tx((tx) => enqueueJob(ctx, tx, job))
}

/** The kind of job that mails the link. */
export function resetJobs(ctx: Context): JobKind<{ email: string }> {
  return {
    name: RESET_JOB,
    limits: { perProcess: 4, perAccount: 1 },
    async run({ accountId, payload: { email }, tries }) {
      const { mail, publicUrl } = ctx.config
      if (mail === undefined) return DONE
      const token = createLinkToken()
      await ctx.db.root
        .insertInto('password_resets')
        .values({
          token_hash: linkTokenHash(token),
          account_id: accountId,
          expires_at: plusMs(ctx.clock.now(), VALID_MS),
        })
        .execute()
      const message = {
        subject: 'Choose a new password for Postrider',
        sentences: [
          'Somebody, probably you, has forgotten the password of this account.',
          'The link works once, within an hour. It signs you out everywhere else. If it was not you, ignore this mail: your password stays as it is.',
        ],
        link: { label: 'Choose a new password', url: `${publicUrl}/reset-password?token=${token}` },
      }
      try {
        await sendMail(mail, mailOf(message, email, `Sent by Postrider at ${publicUrl}.`))
        return DONE
      } catch (error) {
        return afterFailure(ctx, error, tries)
      }
    },
    failed: ({ tries }, error) => afterFailure(ctx, error, tries),
  }
}

function afterFailure({ log }: Context, error: unknown, tries: number): JobOutcome {
  log.error('password_reset.not_sent', { tries, error: errorField(error) })
  const retryAfterMs = error instanceof MailError && error.isFinal ? undefined : RETRY_DELAYS_MS[tries - 1]
  return retryAfterMs === undefined ? DONE : { retryAfterMs }
}

/**
 * Gives the account of the link's token a new password and ends all its logins and links. Throws `invalid` for a password that is easily guessed,
 * and `not_found` for a token that is over, used or unknown.
 */
export async function replaceForgotten(
  ctx: Context,
  { token, password }: { token: string; password: string },
): Promise<void> {
  const found = await accountOfToken(ctx.db.root, token, ctx.clock.now())
  if (found === undefined) throw linkOver()
  assertNotGuessable('password', password, found.email)
  const passwordHash = await hashPassword(password)
  await ctx.db.tx(async (tx) => {
    const account = await lockAccountByEmailKey(tx, found.email_key)
    // Another request may have used it meanwhile.
    if (account === undefined || (await accountOfToken(tx, token, ctx.clock.now())) === undefined) throw linkOver()
    await updatePassword(tx, account, passwordHash)
    await tx.deleteFrom('password_resets').where('account_id', '=', account.id).execute()
    await ctx.signals.send(tx, 'signed-out', account.id)
  })
}

/** Removes links whose time is over; there are never many. Returns that there are no more. */
export async function removeExpiredResets(db: Db, now: Date): Promise<boolean> {
  await db.deleteFrom('password_resets').where('expires_at', '<=', now).execute()
  return false
}

function accountOfToken(db: Db, token: string, now: Date) {
  return db
    .selectFrom('password_resets as r')
    .innerJoin('accounts as a', 'a.id', 'r.account_id')
    .select(['a.id', 'a.email', 'a.email_key'])
    .where('r.token_hash', '=', linkTokenHash(token))
    .where('r.expires_at', '>', now)
    .executeTakeFirst()
}

function linkOver() {
  return fail('not_found', 'This link is over, or was used already. Ask for another one.')
}
