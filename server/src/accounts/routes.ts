import { z } from 'zod'
import { PLANS } from '../platform/config.ts'
import type { Context } from '../platform/context.ts'
import { type Endpoint, endpoint, Id, type Reply, Timestamp } from '../platform/http/endpoint.ts'
import { text, textError } from '../platform/http/text.ts'
import { currentUsage } from '../platform/rate-limit/rate-limit.ts'
import { accountAuth } from './auth.ts'
import { authBucket, managementBucket } from './limits.ts'
import { login, register } from './operations.ts'
import type { AccountRow } from './tables.ts'
import { issueToken } from './tokens.ts'

const User = z.object({ id: Id, name: z.string(), email: z.string() }).openapi('User')

const Session = z
  .object({
    user: User,
    token: z.string().openapi({ description: 'A JWT for the Management API.' }),
    expires_at: Timestamp,
  })
  .openapi('Session')

/** Checked without an expression over the whole text, whose time would grow with the square of a hostile one. */
function looksLikeEmail(value: string): boolean {
  const [local, domain, ...rest] = value.slice(0, 255).split('@')
  if (!local || !domain || rest.length > 0 || /\s/.test(value.slice(0, 255))) return false
  return domain.includes('.') && domain.split('.').every((label) => label !== '')
}

const Email = text('The e-mail address', { min: 3, max: 254 })
  .refine(looksLikeEmail, 'This is not an e-mail address.')
  .openapi({ format: 'email', example: 'ada@example.com' })

// Counted in UTF-16 units and never trimmed: what was typed is what is hashed.
const Password = z
  .string(textError('The password'))
  .min(8, 'A password has at least 8 characters.')
  .max(256, 'A password has at most 256 characters.')

const RegisterBody = z
  .strictObject({
    name: text('The name', { min: 1, max: 120 }),
    email: Email,
    password: Password,
  })
  .openapi('Register')

// Login checks types only: a password that could never be registered is simply wrong.
const LoginBody = z
  .strictObject({
    email: z.string(textError('The e-mail address')),
    password: z.string(textError('The password')).max(10_000),
  })
  .openapi('Login')

const AccountBody = z
  .object({
    user: User,
    plan: z.enum(PLANS),
    limits: z.object({
      management: z
        .object({ limit: z.int(), remaining: z.int(), reset_seconds: z.int() })
        .nullable()
        .openapi({ description: "The plan's limit and what is left of it; null when nothing is counted." }),
    }),
  })
  .openapi('Account')

const presentUser = ({ id, name, email }: AccountRow) => ({ id, name, email })

async function presentSession(ctx: Context, account: AccountRow): Promise<Reply['body']> {
  const { token, expiresAt } = await issueToken(ctx, account)
  return { user: presentUser(account), token, expires_at: expiresAt }
}

/** Register and login. */
export const accountRoutes: Endpoint[] = [
  endpoint({
    method: 'post',
    path: '/api/auth/register',
    name: 'register',
    tag: 'Accounts',
    summary: 'Create an account',
    auth: null,
    bucket: authBucket,
    body: RegisterBody,
    replies: { 201: { description: 'The account and a token for it.', schema: Session } },
    errors: ['conflict'],
    async handler({ ctx, body }) {
      const account = await register(ctx, body)
      return { status: 201, body: await presentSession(ctx, account), headers: { 'Cache-Control': 'no-store' } }
    },
  }),
  endpoint({
    method: 'post',
    path: '/api/auth/login',
    name: 'login',
    tag: 'Accounts',
    summary: 'Log in',
    auth: null,
    bucket: authBucket,
    body: LoginBody,
    replies: { 200: { description: 'A fresh token.', schema: Session } },
    errors: ['unauthorized'],
    async handler({ ctx, body }) {
      const account = await login(ctx, body)
      return { status: 200, body: await presentSession(ctx, account), headers: { 'Cache-Control': 'no-store' } }
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/account',
    name: 'getAccount',
    tag: 'Accounts',
    summary: 'Who you are, your plan, and what is left of its limits',
    auth: accountAuth,
    replies: { 200: { description: 'The account.', schema: AccountBody } },
    errors: [],
    async handler({ ctx, principal: { account } }) {
      const usage = await currentUsage(ctx.db.root, managementBucket(ctx, account), ctx.clock.now())
      const management =
        usage === undefined
          ? null
          : { limit: usage.limit, remaining: usage.remaining, reset_seconds: usage.resetSeconds }
      return { status: 200, body: { user: presentUser(account), plan: account.plan, limits: { management } } }
    },
  }),
]
