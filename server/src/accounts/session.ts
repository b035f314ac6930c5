/**
 * The dashboard's session: the token in a cookie that scripts cannot read (decision A5). Register and login set it on
 * request, for seven days. Past half its life, `GET /api/account` renews it, which the dashboard calls when it is opened. So
 * a session ends 3.5 to 7 days after the last visit. It is not renewed once the password was given 90 days ago, so that a
 * stolen cookie does not live for ever. No other endpoint renews, because a request in flight while the person signs out
 * could then bring the cookie back, though it would be of no use: signing out ends the session here, renewed or not.
 */
import type { Context } from '../platform/context.ts'
import type { RequestFacts } from '../platform/http/endpoint.ts'
import type { AccountRow } from './tables.ts'
import { issueToken, LIFETIME_MS, type LoginSession, type TokenFacts } from './tokens.ts'

/** The cookie's name when the service is reached by plain http. */
export const COOKIE = 'postrider_session'

/** For how long after a login its session is renewed. */
const RENEWED_FOR_MS = 90 * 24 * 3_600_000

type Needs = Pick<Context, 'clock' | 'config' | 'ids' | 'keys'>

/** Over https the name has a prefix: browsers then let no other host, path or plain connection set the cookie. */
function cookieName({ config }: Pick<Context, 'config'>): typeof COOKIE | `__Host-${typeof COOKIE}` {
  return config.publicUrl.startsWith('https:') ? `__Host-${COOKIE}` : COOKIE
}

function cookie(ctx: Pick<Context, 'config'>, value: string, maxAge: number): string {
  const name = cookieName(ctx)
  return `${name}=${value}; Max-Age=${maxAge}; Path=/; HttpOnly${name === COOKIE ? '' : '; Secure'}; SameSite=Strict`
}

/** The token in the request's session cookie, if it has one. */
export function sessionToken(ctx: Pick<Context, 'config'>, { header }: Pick<RequestFacts, 'header'>) {
  const begin = `${cookieName(ctx)}=`
  const cookies = header('cookie')?.split(';').map((one) => one.trim()) // biome-ignore format: one line of the header
  return cookies?.find((one) => one.startsWith(begin))?.slice(begin.length)
}

type SessionHeaders = { 'Set-Cookie': string; 'Cache-Control': string }

/** Response headers that begin a session, or go on with `session`. */
export async function sessionHeaders(ctx: Needs, account: AccountRow, session?: LoginSession): Promise<SessionHeaders> {
  const { token } = await issueToken(ctx, account, 'cookie', session)
  return { 'Set-Cookie': cookie(ctx, token, LIFETIME_MS / 1000), 'Cache-Control': 'no-store' }
}

/** Response headers that renew a session past half its life; none before, nor when the login is too long ago. */
export async function renewalHeaders(
  ctx: Needs,
  account: AccountRow,
  { sessionId, loggedInAt, issuedAt }: LoginSession & Pick<TokenFacts, 'issuedAt'>,
): Promise<Partial<SessionHeaders>> {
  const ageMs = (at: Date) => ctx.clock.now().getTime() - at.getTime()
  return ageMs(issuedAt) > LIFETIME_MS / 2 && ageMs(loggedInAt) < RENEWED_FOR_MS
    ? sessionHeaders(ctx, account, { sessionId, loggedInAt })
    : {}
}

/** Response headers that end the browser's session. */
export function endingHeaders(ctx: Pick<Context, 'config'>): SessionHeaders {
  return { 'Set-Cookie': cookie(ctx, '', 0), 'Cache-Control': 'no-store' }
}
