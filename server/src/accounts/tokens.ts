import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { LRUCache } from 'lru-cache'
import { plusMs } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { type Failure, unauthorized } from '../platform/errors.ts'
import { isId } from '../platform/ids.ts'
import { onePer } from '../platform/one-per.ts'
import type { AccountRow } from './tables.ts'

/**
 * How a token is sent: `token` in a header, `cookie` as the dashboard's session. Each is refused in place of the other,
 * because their requests are counted differently.
 */
export type TokenKind = 'token' | 'cookie'

/** How long either kind is valid (specification, section 5). */
export const LIFETIME_MS = 7 * 24 * 3_600_000

type Needs = Pick<Context, 'clock' | 'keys'>

const ISSUER = 'postrider'
const AUDIENCES: Record<TokenKind, string> = { token: 'postrider-management', cookie: 'postrider-dashboard' }
const NAMES: Record<TokenKind, string> = { token: 'access token', cookie: 'session' }

/**
 * A signed token (JWT, HS256) for the account, and when it expires: after 7 days, in whole seconds as in JWTs. `loggedInAt` is when
 * the password was given: now, unless this token renews another.
 */
export async function issueToken(
  ctx: Needs,
  account: AccountRow,
  kind: TokenKind,
  loggedInAt?: Date,
): Promise<{ token: string; expiresAt: Date }> {
  const now = ctx.clock.now()
  const expiresAt = plusMs(now, LIFETIME_MS - now.getUTCMilliseconds())
  const token = await new SignJWT({ gen: account.token_generation, auth_time: inSeconds(loggedInAt ?? now) })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCES[kind])
    .setSubject(account.id)
    .setIssuedAt(now)
    .setExpirationTime(expiresAt)
    .sign(ctx.keys.token)
  return { token, expiresAt }
}

/** The error for a token that was valid until all logins of its account were ended. */
export function loginEnded(): Failure {
  return unauthorized('Bearer', 'This login is no longer valid. Log in again.')
}

/** The contents of a valid token. The caller compares `generation` with the account's. */
export type TokenFacts = { accountId: string; generation: number; loggedInAt: Date; issuedAt: Date; expiresAt: Date }

/** The longest token that is cached. Ours are shorter; other encodings of a token may be longer and still valid. */
const LONGEST_KEPT = 512

/** Tokens that were verified. Their contents stay valid; only their expiry must be checked again. */
const verified = onePer((_: Needs) => new LRUCache<string, TokenFacts>({ max: 10_000 }))

/** Verifies a token of a kind. Throws `unauthorized` for any other text. */
export async function readToken(ctx: Needs, token: string, kind: TokenKind): Promise<TokenFacts> {
  const known = verified(ctx)
  const name = `${kind} ${token}`
  const before = known.get(name)
  if (before !== undefined && ctx.clock.now() < before.expiresAt) return before
  const facts = factsOf(await verify(ctx, token, kind))
  if (facts === undefined) throw unauthorized('Bearer', `The ${NAMES[kind]} is not valid. Log in again.`)
  if (token.length <= LONGEST_KEPT) known.set(name, facts)
  return facts
}

async function verify(ctx: Needs, token: string, kind: TokenKind): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, ctx.keys.token, {
      algorithms: ['HS256'],
      issuer: ISSUER,
      audience: AUDIENCES[kind],
      currentDate: ctx.clock.now(),
    })
    return payload
  } catch (error) {
    if (error instanceof errors.JWTExpired)
      throw unauthorized('Bearer', `The ${NAMES[kind]} has expired. Log in again.`)
    throw unauthorized('Bearer', `The ${NAMES[kind]} is not valid. Log in again.`, error)
  }
}

function inSeconds(at: Date): number {
  return Math.floor(at.getTime() / 1000)
}

function factsOf({ sub, gen, iat, exp, auth_time: loggedIn }: JWTPayload): TokenFacts | undefined {
  if (sub === undefined || !isId(sub) || typeof gen !== 'number' || iat === undefined || exp === undefined)
    return undefined
  const at = (seconds: number) => new Date(seconds * 1000)
  const loggedInAt = at(typeof loggedIn === 'number' ? loggedIn : iat)
  return { accountId: sub, generation: gen, loggedInAt, issuedAt: at(iat), expiresAt: at(exp) }
}
