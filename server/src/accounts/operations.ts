import { randomInt } from 'node:crypto'
import { plusMs } from '../platform/clock.ts'
import type { Plan } from '../platform/config.ts'
import type { Context } from '../platform/context.ts'
import { hashPassword, verifyPassword } from '../platform/crypto.ts'
import { type Database, type Db, type Tx, uniqueViolation } from '../platform/db/database.ts'
import { fail, invalid } from '../platform/errors.ts'
import type { SignalSender } from '../platform/signals.ts'
import type { LoginPrincipal } from './auth.ts'
import { emailKey, plainEmail } from './email.ts'
import { type LoginFacts, rememberNetwork } from './login.ts'
import { assertNotGuessable } from './passwords.ts'
import {
  deleteAccount,
  findAccountByEmailKey,
  insertAccount,
  insertEndedSession,
  lockAccountByEmailKey,
  raiseTokenGeneration,
  updatePassword,
  updatePlan,
} from './queries.ts'
import type { AccountRow } from './tables.ts'
import { ENDED_FOR_MS, loginEnded } from './tokens.ts'

/**
 * Creates an account for somebody who registers. Throws `forbidden` when registration is closed, `invalid` when the password is easily
 * guessed, and `conflict` when the e-mail address is registered already.
 */
export async function register(
  ctx: Context,
  input: { name: string; email: string; password: string },
  facts: LoginFacts,
): Promise<AccountRow> {
  if (ctx.config.registration === 'closed')
    throw fail('forbidden', 'Registration is closed. The operator of this service can create an account for you.')
  const account = await createAccount(ctx, input)
  await rememberNetwork(ctx, account, facts)
  return account
}

/**
 * Creates an account on the default plan. Throws `invalid` when the password is easily guessed, and `conflict` when the e-mail address is
 * registered already.
 */
export async function createAccount(
  ctx: Pick<Context, 'clock' | 'config' | 'db' | 'ids'>,
  input: { name: string; email: string; password: string },
): Promise<AccountRow> {
  assertNotGuessable('password', input.password, input.email)
  const email = plainEmail(input.email)
  const passwordHash = await hashPassword(input.password)
  try {
    return await insertAccount(ctx.db.root, {
      id: ctx.ids.next(),
      name: input.name,
      email,
      email_key: emailKey(email),
      password_hash: passwordHash,
      plan: ctx.config.defaultPlan,
      created_at: ctx.clock.now(),
    })
  } catch (error) {
    if (uniqueViolation(error) !== 'accounts_email_key') throw error
    throw fail('conflict', 'This e-mail address is already registered. Log in instead.', { field: 'email' })
  }
}

/** Ends one session of the account, that of a token or a cookie, in all processes at once. */
export async function signOut(
  ctx: Pick<Context, 'clock' | 'db' | 'signals'>,
  { accountId, credential }: Pick<LoginPrincipal, 'accountId' | 'credential'>,
): Promise<void> {
  await ctx.db.tx(async (tx) => {
    await insertEndedSession(tx, credential.sessionId, plusMs(ctx.clock.now(), ENDED_FOR_MS))
    await ctx.signals.send(tx, 'signed-out', accountId)
  })
}

/** Ends every login of the account, tokens and sessions alike, in all processes at once. */
export async function signOutEverywhere(ctx: Pick<Context, 'db' | 'signals'>, accountId: string): Promise<void> {
  await ctx.db.tx(async (tx) => {
    await raiseTokenGeneration(tx, accountId)
    await ctx.signals.send(tx, 'signed-out', accountId)
  })
}

/**
 * Changes the account's password and ends all its logins; resolves with the changed row. Throws `invalid` when `current` is not
 * its password or `next` is easily guessed, and `unauthorized` when its logins have ended meanwhile.
 */
export async function changePassword(
  ctx: Pick<Context, 'db' | 'signals'>,
  account: AccountRow,
  { current, next }: { current: string; next: string },
): Promise<AccountRow> {
  assertNotGuessable('new_password', next, account.email)
  if (!(await verifyPassword(current, account.password_hash)))
    throw invalid('current_password', 'The current password is wrong.')
  const passwordHash = await hashPassword(next)
  return ctx.db.tx(async (tx) => {
    const changed = await updatePassword(tx, account, passwordHash)
    if (changed === undefined) throw loginEnded()
    await ctx.signals.send(tx, 'signed-out', account.id)
    return changed
  })
}

/** Puts the account with this e-mail address on another plan (decision A4). Undefined when there is none. */
export async function setPlan(
  db: Database,
  email: string,
  plan: Plan,
): Promise<{ email: string; before: Plan } | undefined> {
  return db.tx(async (tx) => {
    const account = await lockAccountByEmailKey(tx, emailKey(email))
    if (account === undefined) return undefined
    await updatePlan(tx, account.id, plan)
    return { email: account.email, before: account.plan }
  })
}

/** The account with this e-mail address; undefined when there is none. */
export function accountOf(db: Db, email: string): Promise<AccountRow | undefined> {
  return findAccountByEmailKey(db, emailKey(email))
}

/**
 * Ends every login of the account with this e-mail address, has `removeAll` remove its data, and removes it; all or nothing.
 * A transaction that would add to the account waits, then finds it gone. `lockPosts` runs before the account is locked: whoever
 * has locked a post may still need the account, since the database checks that it exists when one transaction changes a row
 * twice. Resolves with undefined when there is no such account.
 */
export async function removeAccount(
  ctx: { db: Database; signals: SignalSender },
  email: string,
  lockPosts: (tx: Tx, accountId: string) => Promise<void>,
  removeAll: (tx: Tx, accountId: string) => Promise<void>,
): Promise<AccountRow | undefined> {
  return ctx.db.tx(async (tx) => {
    const found = await accountOf(tx, email)
    if (found !== undefined) await lockPosts(tx, found.id)
    const account = await lockAccountByEmailKey(tx, emailKey(email))
    if (account === undefined) return undefined
    await ctx.signals.send(tx, 'signed-out', account.id)
    await removeAll(tx, account.id)
    await deleteAccount(tx, account.id)
    return account
  })
}

/** Letters and digits that cannot be mistaken for each other. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'

/** A random password of 99 bits. */
export function randomPassword(): string {
  const letters = Array.from({ length: 20 }, () => LETTERS[randomInt(LETTERS.length)]).join('')
  return letters.replace(/.{5}(?=.)/g, '$&-')
}

/**
 * Gives the account with this e-mail address a new random password and ends all its logins. Resolves with undefined when there
 * is no such account.
 */
export async function resetPassword(
  ctx: { db: Database; signals: SignalSender },
  email: string,
): Promise<{ email: string; password: string } | undefined> {
  const password = randomPassword()
  const passwordHash = await hashPassword(password)
  return ctx.db.tx(async (tx) => {
    const account = await lockAccountByEmailKey(tx, emailKey(email))
    if (account === undefined) return undefined
    await updatePassword(tx, account, passwordHash)
    await ctx.signals.send(tx, 'signed-out', account.id)
    return { email: account.email, password }
  })
}
