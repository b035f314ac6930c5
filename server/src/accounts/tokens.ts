import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { LRUCache } from 'lru-cache'
import { plusMs } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { type Failure, unauthorized } from '../platform/errors.ts'
import { isId } from '../platform/ids.ts'
import { oncePer } from '../platform/once-per.ts'
import type { AccountRow } from './tables.ts'

/**
 * How a token is sent: `token` in a header, `cookie` as the dashboard's session. Each is refused in place of the other,
 * because their requests are counted differently.
 */
export type TokenKind = 'token' | 'cookie'

/** How long either kind is valid (specification, section 5). */
export const LIFETIME_MS = 7 * 24 * 3_600_000

type Needs = Pick<Context, 'clock' | 'keys'>

/** What begins with a password and ends with a sign-out: one token, or a cookie and those that renew it. */
export type LoginSession = { sessionId: string; loggedInAt: Date }

/** How long an ended session is remembered. No token of it is valid after that; the hour is for one that was made meanwhile. */
export const ENDED_FOR_MS = LIFETIME_MS + 3_600_000

const ISSUER = 'postrider'
const AUDIENCES: Record<TokenKind, string> = { token: 'postrider-management', cookie: 'postrider-dashboard' }
const NAMES: Record<TokenKind, string> = { token: 'access token', cookie: 'session' }

/**
 * A signed token (JWT, HS256) for the account, and when it expires: after 7 days, in whole seconds as in JWTs. It begins a session, unless
 * it renews a token of `session`.
 */
export async function issueToken(
  ctx: Needs & Pick<Context, 'ids'>,
  account: AccountRow,
  kind: TokenKind,
  session?: LoginSession,
): Promise<{ token: string; expiresAt: Date }> {
  const now = ctx.clock.now()
  const expiresAt = plusMs(now, LIFETIME_MS - now.getUTCMilliseconds())
  const { sessionId, loggedInAt } = session ?? { sessionId: ctx.ids.next(), loggedInAt: now }
  const claims = { gen: account.token_generation, sid: sessionId, auth_time: inSeconds(loggedInAt) }
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCES[kind])
    .setSubject(account.id)
    .setIssuedAt(now)
    .setExpirationTime(expiresAt)
    .sign(ctx.keys.token)
  return { token, expiresAt }
}

/** The error for a token that was valid until its session, or all logins of its account, were ended. */
export function loginEnded(): Failure {
  return unauthorized('Bearer', 'This login is no longer valid. Log in again.')
}

/** The contents of a valid token. The caller compares `generation` with the account's, and checks that the session has not ended. */
export type TokenFacts = LoginSession & { accountId: string; generation: number; issuedAt: Date; expiresAt: Date }

/** The longest token that is cached. Ours are shorter; other encodings of a token may be longer and still valid. */
const LONGEST_KEPT = 512

/** Tokens that were verified. Their contents stay valid; only their expiry must be checked again. */
const verified = oncePer((_: Needs) => new LRUCache<string, TokenFacts>({ max: 10_000 }))

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

function factsOf({ sub, gen, sid, iat, exp, auth_time: loggedIn }: JWTPayload): TokenFacts | undefined {
  if (sub === undefined || !isId(sub) || typeof sid !== 'string' || !isId(sid)) return undefined
  if (typeof gen !== 'number' || iat === undefined || exp === undefined || typeof loggedIn !== 'number')
    return undefined
  const at = (seconds: number) => new Date(seconds * 1000)
  return {
    accountId: sub,
    generation: gen,
    sessionId: sid,
    loggedInAt: at(loggedIn),
    issuedAt: at(iat),
    expiresAt: at(exp),
  }
}
