import type { Context } from '../platform/context.ts'
import { unauthorized } from '../platform/errors.ts'
import type { AuthScheme, RequestFacts } from '../platform/http/endpoint.ts'
import { assertSameOrigin } from '../platform/http/same-origin.ts'
import { dashboardBucket, logoutBucket, managementBucket, passwordBucket } from './limits.ts'
import { findAccountInSession } from './queries.ts'
import { COOKIE, sessionToken } from './session.ts'
import type { AccountRow } from './tables.ts'
import { loginEnded, readToken, type TokenFacts, type TokenKind } from './tokens.ts'

/** The account that uses the Management API, and how it authenticated. */
export type AccountPrincipal = {
  accountId: string
  account: AccountRow
  credential: { kind: TokenKind } & Omit<TokenFacts, 'accountId' | 'generation'>
}

const byLogin = {
  name: 'accessToken',
  document: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The `token` that register or login returns. Valid for 7 days.',
  },
  alternatives: [
    {
      name: 'dashboardSession',
      document: {
        type: 'apiKey',
        in: 'cookie',
        name: COOKIE,
        description:
          'For the service\'s own pages: the cookie that register and login set when the request has `"session": "cookie"`. Over https its name begins with `__Host-`. Requests that change something need the service\'s own `Origin`.',
      },
    },
  ],
  errors: ['forbidden'],
  authenticate: whoAsks,
  tenant: ({ accountId }) => accountId,
} satisfies Partial<AuthScheme<AccountPrincipal>>

/**
 * `Authorization: Bearer <JWT>` (specification, section 5), or the dashboard's session cookie. The header wins when both
 * are sent; a header of another scheme, such as a proxy's Basic, is ignored.
 */
export const accountAuth: AuthScheme<AccountPrincipal> = {
  ...byLogin,
  idempotencyScope: ({ accountId }) => accountId,
  bucket: (ctx, { account, credential }) =>
    credential.kind === 'cookie' ? dashboardBucket(ctx, account) : managementBucket(ctx, account),
}

/** The same for requests that end logins, which are counted apart from all others. */
export const logoutAuth: AuthScheme<AccountPrincipal> = {
  ...accountAuth,
  bucket: (ctx, { account }, request) => logoutBucket(ctx, account, request),
}

/**
 * The same for requests that also prove a password: limited to a few per minute, and without idempotency keys, which would
 * store passwords and tokens for a day.
 */
export const passwordAuth: AuthScheme<AccountPrincipal> = {
  ...byLogin,
  bucket: (ctx, { account }) => passwordBucket(ctx, account),
}

/** The account that a request is authenticated for, as it is now. Throws `unauthorized` or `forbidden`. */
export async function whoAsks(ctx: Context, request: RequestFacts): Promise<AccountPrincipal> {
  const { kind, token } = credentialOf(ctx, request)
  const { accountId, generation, ...session } = await readToken(ctx, token, kind)
  const account = await findAccountInSession(ctx.db.root, accountId, session.sessionId)
  if (account === undefined || account.token_generation !== generation) {
    throw loginEnded()
  }
  return { accountId, account, credential: { kind, ...session } }
}

function credentialOf(ctx: Context, request: RequestFacts): { kind: TokenKind; token: string } {
  const [, bearer] = /^Bearer(?:\s+(.*))?$/i.exec(`${request.header('authorization') ?? ''} `) ?? []
  if (bearer !== undefined) return { kind: 'token', token: bearer.trim() }
  const session = sessionToken(ctx, request)
  if (session === undefined)
    throw unauthorized('Bearer', 'Send your access token in the header Authorization: Bearer <token>.')
  assertSameOrigin(ctx.config.publicUrl, request)
  return { kind: 'cookie', token: session }
}
