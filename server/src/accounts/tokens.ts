import { errors, jwtVerify, SignJWT } from 'jose'
import { plusMs } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { fail } from '../platform/errors.ts'
import { isId } from '../platform/ids.ts'
import type { AccountRow } from './tables.ts'

const LIFETIME_MS = 7 * 24 * 3_600_000
const ISSUER = 'postrider'
const AUDIENCE = 'postrider-management'

/** A signed token (JWT, HS256) for the account, and when it expires: 7 days from now. */
export async function issueToken(ctx: Context, account: AccountRow): Promise<{ token: string; expiresAt: Date }> {
  const now = ctx.clock.now()
  const expiresAt = plusMs(now, LIFETIME_MS)
  const token = await new SignJWT({ gen: account.token_generation })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setSubject(account.id)
    .setIssuedAt(now)
    .setExpirationTime(expiresAt)
    .sign(ctx.keys.token)
  return { token, expiresAt }
}

/** The account id and token generation of a valid token. Throws `unauthorized` for any other text. */
export async function readToken(ctx: Context, token: string): Promise<{ accountId: string; generation: number }> {
  try {
    const { payload } = await jwtVerify(token, ctx.keys.token, {
      algorithms: ['HS256'],
      issuer: ISSUER,
      audience: AUDIENCE,
      currentDate: ctx.clock.now(),
    })
    const { sub, gen } = payload
    if (sub === undefined || !isId(sub) || typeof gen !== 'number')
      throw fail('unauthorized', 'The access token is not valid. Log in again.')
    return { accountId: sub, generation: gen }
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw fail('unauthorized', 'The access token has expired. Log in again.')
    throw fail('unauthorized', 'The access token is not valid. Log in again.', { cause: error })
  }
}
