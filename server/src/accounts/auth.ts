/**
 * Who uses the Management API. A login (JWT or the dashboard's cookie) may do everything. A program's token may do what its scopes say,
 * with the sites that it is for: each endpoint names the scopes that it needs, and how it stays within those sites; one that does not say
 * so is refused to tokens that are limited to sites.
 */
import type { Context } from '../platform/context.ts'
import { type Challenge, Failure, fail, unauthorized } from '../platform/errors.ts'
import type { AuthScheme, Endpoint, RequestFacts } from '../platform/http/endpoint.ts'
import { assertSameOrigin } from '../platform/http/same-origin.ts'
import { API_TOKEN_PREFIX, type ApiTokenCredential, readApiToken } from './api-tokens/authenticate.ts'
import type { Scope } from './api-tokens/scopes.ts'
import { dashboardBucket, logoutBucket, managementBucket, passwordBucket } from './limits.ts'
import { findAccountInSession } from './queries.ts'
import { COOKIE, sessionToken } from './session.ts'
import type { AccountRow } from './tables.ts'
import { loginEnded, readToken, type TokenFacts, type TokenKind } from './tokens.ts'

type LoginCredential = { kind: TokenKind } & Omit<TokenFacts, 'accountId' | 'generation'>

/** An account, and how somebody logged in to it. */
export type LoginPrincipal = { accountId: string; account: AccountRow; credential: LoginCredential }

/** The account that uses the Management API, and how it authenticated. */
export type AccountPrincipal = Omit<LoginPrincipal, 'credential'> & {
  credential: LoginCredential | ApiTokenCredential
}

/** The account that a program's token is of. */
export type ProgramPrincipal = Omit<AccountPrincipal, 'credential'> & { credential: ApiTokenCredential }

/** A token that is limited to sites, and what the path of its request names. Throws a refusal unless that is within its sites. */
export type Reach = (
  ctx: Context,
  token: { accountId: string; siteIds: readonly string[] },
  params: Record<string, string>,
) => Promise<void>

/** For endpoints that show nothing of posts and sites, or whose handler looks at `sitesOf` itself. */
export const ANYWHERE: Reach = async () => {}

const BY_COOKIE = {
  name: 'dashboardSession',
  document: {
    type: 'apiKey',
    in: 'cookie',
    name: COOKIE,
    description:
      'For the service\'s own pages: the cookie that register and login set when the request has `"session": "cookie"`. Over https its name begins with `__Host-`. Requests that change something need the service\'s own `Origin`.',
  },
} as const

const BY_API_TOKEN = {
  name: 'apiToken',
  document: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'pt_…',
    description:
      'A token of a program (`POST /api/tokens`), sent like an access token. `x-required-scopes` of an operation names the scopes that it needs; without one of them the answer is 403 with `required_scope`.',
  },
} as const

const byLogin = {
  name: 'accessToken',
  document: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The `token` that register or login returns. Valid for 7 days.',
  },
  alternatives: [BY_COOKIE],
  errors: ['forbidden'],
  authenticate: whoLoggedIn,
  tenant: ({ accountId }: AccountPrincipal) => accountId,
} satisfies Partial<AuthScheme<LoginPrincipal>>

/** Who uses the API: whose idempotency keys a request uses, and what it is counted under. */
const ofAccount = {
  idempotencyScope: ({ accountId }: AccountPrincipal) => accountId,
  bucket: (ctx: Context, { account, credential }: AccountPrincipal) =>
    credential.kind === 'cookie' ? dashboardBucket(ctx, account) : managementBucket(ctx, account),
}

/**
 * `Authorization: Bearer <JWT>` (specification, section 5), or the dashboard's session cookie. The header wins when both
 * are sent; a header of another scheme, such as a proxy's Basic, is ignored. For what no program may do.
 */
export const loginAuth: AuthScheme<LoginPrincipal> = { ...byLogin, ...ofAccount }

/** The same, or a program's token with these scopes. `reach`: how the endpoint stays within the sites of a token; without it, it cannot. */
export function accountAuth(scopes: Scope | readonly [Scope, Scope], reach?: Reach): AuthScheme<AccountPrincipal> {
  const needed = typeof scopes === 'string' ? [scopes] : scopes
  return {
    ...byLogin,
    ...ofAccount,
    alternatives: [BY_COOKIE, { ...BY_API_TOKEN, scopes: needed, staysWithinSites: reach !== undefined }],
    authenticate: whoAsks,
    async authorize(ctx, principal, params) {
      for (const scope of needed) assertMay(principal, scope)
      const siteIds = sitesOf(principal)
      if (siteIds === undefined) return
      if (reach === undefined)
        throw fail(
          'forbidden',
          'This token is limited to some sites, and this concerns all of them. Use a token for all sites.',
        )
      await reach(ctx, { accountId: principal.accountId, siteIds }, params)
    },
  }
}

/**
 * A program's token alone, whatever its scopes, for what calls other endpoints in its name. `challenge`: what a request is answered that
 * has none (RFC 6750, section 3).
 */
export function programAuth(challenge: (ctx: Context) => Challenge): AuthScheme<ProgramPrincipal> {
  return {
    ...byLogin,
    bucket: ofAccount.bucket,
    alternatives: [BY_API_TOKEN],
    async authenticate(ctx, request) {
      const { credential, ...principal } = await whoAsks(ctx, request).catch((error) => {
        if (!(error instanceof Failure) || error.kind !== 'unauthorized') throw error
        throw unauthorized(challenge(ctx), error.message, error)
      })
      if (credential.kind !== 'api_token')
        throw fail(
          'forbidden',
          'A login has too many rights for an agent. Make a token on the account page, and send that.',
        )
      return { ...principal, credential }
    },
  }
}

/** What an endpoint asks of a token, and whether one that is limited to sites may use it; undefined if no token may. */
export function tokenAccessOf({
  auth,
}: Pick<Endpoint, 'auth'>): { scopes: readonly string[]; staysWithinSites: boolean } | undefined {
  const { scopes, staysWithinSites = false } = auth?.alternatives?.find(({ name }) => name === BY_API_TOKEN.name) ?? {}
  return scopes && { scopes, staysWithinSites }
}

/** Login alone, for answers that hold what is shown once: without idempotency keys, which would store it for a day. */
export const onceAuth: AuthScheme<LoginPrincipal> = { ...byLogin, bucket: ofAccount.bucket }

/** Login alone, for requests that end logins, which are counted apart from all others. */
export const logoutAuth: AuthScheme<LoginPrincipal> = {
  ...loginAuth,
  bucket: (ctx, { account }, request) => logoutBucket(ctx, account, request),
}

/**
 * Login alone, for requests that also prove a password: limited to a few per minute, and without idempotency keys, which would
 * store passwords and tokens for a day.
 */
export const passwordAuth: AuthScheme<LoginPrincipal> = {
  ...byLogin,
  bucket: (ctx, { account }) => passwordBucket(ctx, account),
}

/** Whether the request may do what the scope names. */
function may({ credential }: Pick<AccountPrincipal, 'credential'>, scope: Scope): boolean {
  return credential.kind !== 'api_token' || credential.scopes.includes(scope)
}

/** Throws `forbidden` unless the request may do what the scope names. */
export function assertMay(principal: Pick<AccountPrincipal, 'credential'>, scope: Scope): void {
  if (may(principal, scope)) return
  throw fail('forbidden', `This token may not do this: it lacks the scope ${scope}.`, { requiredScope: scope })
}

/** The sites that the request is limited to; undefined: all. */
export function sitesOf({ credential }: Pick<AccountPrincipal, 'credential'>): readonly string[] | undefined {
  return credential.kind === 'api_token' ? credential.siteIds : undefined
}

/** The account that a request is authenticated for, as it is now. Throws `unauthorized` or `forbidden`. */
export async function whoAsks(ctx: Context, request: RequestFacts): Promise<AccountPrincipal> {
  const { kind, token } = credentialOf(ctx, request)
  if (kind === 'token' && token.startsWith(API_TOKEN_PREFIX)) {
    const { account, credential } = await readApiToken(ctx, token, request)
    return { accountId: account.id, account, credential }
  }
  const { accountId, generation, ...session } = await readToken(ctx, token, kind)
  const account = await findAccountInSession(ctx.db.root, accountId, session.sessionId)
  if (account === undefined || account.token_generation !== generation) {
    throw loginEnded()
  }
  return { accountId, account, credential: { kind, ...session } }
}

async function whoLoggedIn(ctx: Context, request: RequestFacts): Promise<LoginPrincipal> {
  const { credential, ...principal } = await whoAsks(ctx, request)
  if (credential.kind === 'api_token')
    throw fail('forbidden', 'No token of a program may do this. Log in, and use the access token of the login.')
  return { ...principal, credential }
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
