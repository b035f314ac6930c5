import { z } from 'zod'
import type { Context } from '../platform/context.ts'
import { type Endpoint, endpoint, NO_STORE, type RequestFacts, Timestamp } from '../platform/http/endpoint.ts'
import { assertNotRebound, assertSameOrigin } from '../platform/http/same-origin.ts'
import { characters, text, textError } from '../platform/http/text.ts'
import { accountEndpoint, presentUser, User } from './account.ts'
import { logoutAuth, passwordAuth } from './auth.ts'
import { EMAIL_PATTERN, hasInvisible, looksLikeEmail, MAX_EMAIL, plainEmail } from './email.ts'
import { exampleCookie, exampleCredentials, exampleEndedCookie, exampleSession } from './examples.ts'
import { forgotPassword, replaceForgotten } from './forgotten.ts'
import { authBuckets } from './limits.ts'
import { login } from './login.ts'
import { changePassword, register, signOut, signOutEverywhere } from './operations.ts'
import { endingHeaders, sessionHeaders } from './session.ts'
import type { AccountRow } from './tables.ts'
import { issueToken, type TokenKind } from './tokens.ts'

const Session = z
  .object({
    user: User,
    token: z.string().openapi({ description: 'A JWT for the Management API.' }),
    expires_at: Timestamp,
  })
  .openapi('Session')

const Email = text('The e-mail address', { min: 3, max: MAX_EMAIL })
  .overwrite(plainEmail)
  .refine((value) => characters(value, MAX_EMAIL) <= MAX_EMAIL, 'The e-mail address must have 3 to 254 characters.')
  .refine((value) => !hasInvisible(value), 'The e-mail address contains an invisible character. Type it anew.')
  .refine(looksLikeEmail, 'The e-mail address must look like ada@example.com.')
  .openapi({
    // Not the format "email", which allows neither the surrounding spaces that are trimmed nor letters beyond ASCII.
    pattern: EMAIL_PATTERN,
    description: 'Not case-sensitive; stored in the Unicode form NFKC. Without invisible characters.',
    example: 'ada@example.com',
  })

// Never trimmed: the password is hashed exactly as typed.
const Password = z
  .string(textError('The password'))
  .refine((value) => characters(value, 8) >= 8, 'A password must have at least 8 characters.')
  .refine((value) => characters(value, 256) <= 256, 'A password must have at most 256 characters.')
  .openapi({
    format: 'password',
    minLength: 8,
    maxLength: 256,
    description: "Not one of the most common passwords, nor the account's e-mail address or its name, nor `postrider`.",
  })

const SessionKind = z.enum(['token', 'cookie'], 'The session must be "token" or "cookie".').optional().openapi({
  description:
    'What to return; "token" by default. "cookie" is for the service\'s own pages: the response is 204 and sets a cookie that scripts cannot read.',
})

/** The input of a registration. */
export const RegisterBody = z
  .strictObject({
    name: text('The name', { min: 1, max: 120 }),
    email: Email,
    password: Password,
    session: SessionKind,
  })
  .openapi('Register')

// A password to be compared is checked only for its type: one that could never be registered is simply wrong.
const KnownPassword = z.string(textError('The password')).max(10_000).openapi({ format: 'password' })

const LoginBody = z
  .strictObject({ email: z.string(textError('The e-mail address')), password: KnownPassword, session: SessionKind })
  .openapi('Login')

const ForgotPasswordBody = z
  .strictObject({ email: z.string(textError('The e-mail address')) })
  .openapi('ForgotPassword')

const ResetPasswordBody = z
  .strictObject({ token: text('The token', { min: 1, max: 200 }), password: Password })
  .openapi('ResetPassword')

const ChangePasswordBody = z
  .strictObject({ current_password: KnownPassword, new_password: Password })
  .openapi('ChangePassword')

type LoginCall = RequestFacts & { ctx: Context; body: { session?: TokenKind | undefined } }

/** Answers a login with a token or a cookie, as requested. `find` creates or finds the account. */
async function answerLogin<Status extends 200 | 201>(
  { ctx, body: { session }, ...request }: LoginCall,
  status: Status,
  find: () => Promise<AccountRow>,
) {
  // First of all: another site must not be able to log somebody in, or to make itself an account.
  assertNotRebound(ctx.config, request)
  if (session === 'cookie') assertSameOrigin(ctx.config.publicUrl, request)
  return beginLogin(ctx, await find(), status, session)
}

/** Starts a login of the account, with a cookie or a token. */
async function beginLogin<Status extends 200 | 201>(
  ctx: Context,
  account: AccountRow,
  status: Status,
  session: TokenKind | undefined,
) {
  if (session === 'cookie') return { status: 204 as const, headers: await sessionHeaders(ctx, account) }
  const { token, expiresAt } = await issueToken(ctx, account, 'token')
  return { status, body: { user: presentUser(account), token, expires_at: expiresAt }, headers: NO_STORE.sent }
}

const SESSION_BEGUN = {
  description: 'The session cookie is set, as requested by `"session": "cookie"`.',
  schema: null,
  headers: {
    ...NO_STORE.documented,
    'Set-Cookie': {
      description: 'The session cookie: HttpOnly, SameSite=Strict, valid for 7 days.',
      example: exampleCookie,
    },
  },
} as const

const SESSION_ENDED = {
  ...NO_STORE.documented,
  'Set-Cookie': { description: 'Removes the session cookie.', example: exampleEndedCookie },
}

/** What anybody may send: far less than what accounts may. */
const MOST_CREDENTIALS_BYTES = 16 * 1024

/** Register, login, logout and the account itself. */
export const accountRoutes: Endpoint[] = [
  endpoint({
    method: 'post',
    path: '/api/auth/register',
    name: 'register',
    tag: 'Accounts',
    summary: 'Create an account',
    description:
      'The account gets the default plan (`DEFAULT_PLAN`). The token is valid at once. 403 if registration is closed (`REGISTRATION`).',
    auth: null,
    buckets: authBuckets,
    mostBytes: MOST_CREDENTIALS_BYTES,
    body: RegisterBody,
    bodyExamples: { 'A new account': { name: 'Ada', ...exampleCredentials } },
    replies: {
      201: {
        description: 'The new account and a token for it.',
        schema: Session,
        examples: { 'The account': exampleSession },
        headers: NO_STORE.documented,
      },
      204: SESSION_BEGUN,
    },
    errors: ['conflict', 'forbidden'],
    handler: (call) => answerLogin(call, 201, () => register(call.ctx, call.body, call)),
  }),
  endpoint({
    method: 'post',
    path: '/api/auth/login',
    name: 'login',
    tag: 'Accounts',
    summary: 'Log in',
    description:
      'An unknown e-mail address and a wrong password get the same response. Besides the limit per client address, ten failed logins to one account in ten minutes are answered; addresses that have logged in to it before are counted on their own.',
    auth: null,
    buckets: authBuckets,
    mostBytes: MOST_CREDENTIALS_BYTES,
    body: LoginBody,
    bodyExamples: {
      'For a token': exampleCredentials,
      'For a dashboard session': { ...exampleCredentials, session: 'cookie' },
    },
    replies: {
      200: {
        description: 'The account and a new token.',
        schema: Session,
        examples: { 'A new token': exampleSession },
        headers: NO_STORE.documented,
      },
      204: SESSION_BEGUN,
    },
    errors: ['unauthorized', 'forbidden'],
    handler: (call) => answerLogin(call, 200, () => login(call.ctx, call.body, call)),
  }),
  endpoint({
    method: 'post',
    path: '/api/auth/logout',
    name: 'logout',
    tag: 'Accounts',
    summary: 'Log out',
    description:
      'The session cookie or access token of this request stops working at once, and so does every copy of it. Other logins of the account stay. Has its own rate limit: that of logins, per account and client address.',
    auth: logoutAuth,
    replies: { 204: { description: 'The login has ended.', schema: null, headers: SESSION_ENDED } },
    errors: [],
    async handler({ ctx, principal }) {
      await signOut(ctx, principal)
      return { status: 204, headers: endingHeaders(ctx) }
    },
  }),
  endpoint({
    method: 'post',
    path: '/api/auth/logout-everywhere',
    name: 'logoutEverywhere',
    tag: 'Accounts',
    summary: 'Log out everywhere',
    description:
      'All access tokens and sessions of the account stop working at once, including the one used for this request. Has its own rate limit: that of logins, per account and client address.',
    auth: logoutAuth,
    replies: { 204: { description: 'All logins have ended.', schema: null, headers: SESSION_ENDED } },
    errors: [],
    async handler({ ctx, principal }) {
      await signOutEverywhere(ctx, principal.accountId)
      return { status: 204, headers: endingHeaders(ctx) }
    },
  }),
  endpoint({
    method: 'post',
    path: '/api/auth/forgot-password',
    name: 'forgotPassword',
    tag: 'Accounts',
    summary: 'Ask for a link to a new password',
    description:
      'Mails the link to the address if there is such an account; the answer is the same either way. The link works once, within an hour. At most three mails an hour and account. 503 where the service sends no mail (`SMTP_URL`).',
    auth: null,
    buckets: authBuckets,
    mostBytes: MOST_CREDENTIALS_BYTES,
    body: ForgotPasswordBody,
    bodyExamples: { 'The address of the account': { email: exampleCredentials.email } },
    replies: { 202: { description: 'If there is such an account, it is sent a link.', schema: null } },
    errors: ['unavailable'],
    async handler({ ctx, body }) {
      await forgotPassword(ctx, body.email)
      return { status: 202 }
    },
  }),
  endpoint({
    method: 'post',
    path: '/api/auth/reset-password',
    name: 'resetPassword',
    tag: 'Accounts',
    summary: 'Choose a new password with the link',
    description: 'With the token of the link. All access tokens and sessions of the account stop working at once.',
    auth: null,
    buckets: authBuckets,
    mostBytes: MOST_CREDENTIALS_BYTES,
    body: ResetPasswordBody,
    bodyExamples: {
      'The token of the link': {
        token: 'y3pVHqqmVqyMiOiZcRjtUwL5R-0bYb0ZFtSuFkA3e2c',
        password: 'more words to remember',
      },
    },
    replies: { 204: { description: 'The password is changed: log in with it.', schema: null } },
    errors: ['not_found'],
    async handler({ ctx, body }) {
      await replaceForgotten(ctx, body)
      return { status: 204 }
    },
  }),
  endpoint({
    method: 'post',
    path: '/api/account/password',
    name: 'changePassword',
    tag: 'Accounts',
    summary: 'Change the password',
    description:
      'All access tokens and sessions of the account stop working at once; the response carries a new one of the kind used for this request. Idempotency keys are ignored here, so that no passwords or tokens are stored. Has its own rate limit: that of logins, per account.',
    auth: passwordAuth,
    body: ChangePasswordBody,
    bodyExamples: {
      'A new password': { current_password: exampleCredentials.password, new_password: 'more words to remember' },
    },
    replies: {
      200: {
        description: 'The password is changed. The account and a new token.',
        schema: Session,
        examples: { 'A new token': exampleSession },
        headers: NO_STORE.documented,
      },
      204: { ...SESSION_BEGUN, description: 'The password is changed, and a new session cookie is set.' },
    },
    errors: [],
    async handler({ ctx, principal: { account, credential }, body }) {
      const passwords = { current: body.current_password, next: body.new_password }
      return beginLogin(ctx, await changePassword(ctx, account, passwords), 200, credential.kind)
    },
  }),
  accountEndpoint,
]
