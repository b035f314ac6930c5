/** The account as its owner sees it. */
import { z } from 'zod'
import { modelName } from '../platform/ai-config.ts'
import { PLANS } from '../platform/config.ts'
import type { Context } from '../platform/context.ts'
import { type Endpoint, endpoint, Id } from '../platform/http/endpoint.ts'
import { currentUsage } from '../platform/rate-limit/rate-limit.ts'
import { loginAuth } from './auth.ts'
import { exampleAccount, exampleCookie } from './examples.ts'
import { managementBucket } from './limits.ts'
import { renewalHeaders } from './session.ts'
import type { AccountRow } from './tables.ts'

// Not the format "idn-email": an address only has to look like one, and validators of that format know rules of their own.
/** Who the account is. */
export const User = z.object({ id: Id, name: z.string(), email: z.string() }).openapi('User')

/** The account on the wire. */
export const AccountBody = z
  .object({
    user: User,
    plan: z.enum(PLANS),
    primary_site_id: Id.nullable().openapi({
      description: 'The `primary_site_id` of posts that are created without one.',
    }),
    limits: z.object({
      management: z
        .object({
          limit: z.int().openapi({ description: 'Requests per window.' }),
          remaining: z.int().openapi({ description: 'Requests left in this window.' }),
          reset_seconds: z.int().openapi({ description: 'Seconds until the window ends.' }),
        })
        .nullable()
        .openapi({
          description: "The plan's request limit and what is left of it; null when requests are not limited.",
        }),
    }),
    generation: z.object({
      model: z.string().nullable().openapi({
        description:
          'Provider and name of the language model that writes drafts. Null when none is configured; drafts are then outlines.',
        example: 'openai-compatible/llama3.1',
      }),
    }),
  })
  .openapi('Account')

/** Presents who the account is. */
export const presentUser = ({ id, name, email }: AccountRow) => ({ id, name, email })

/** Presents an account as `AccountBody` describes it. */
export async function presentAccount(ctx: Context, account: AccountRow): Promise<z.output<typeof AccountBody>> {
  const usage = await currentUsage(ctx.db.root, managementBucket(ctx, account), ctx.clock.now())
  const management =
    usage === undefined ? null : { limit: usage.limit, remaining: usage.remaining, reset_seconds: usage.resetSeconds }
  const { model } = ctx.config.ai
  return {
    user: presentUser(account),
    plan: account.plan,
    primary_site_id: account.primary_site_id,
    limits: { management },
    generation: { model: model === undefined ? null : modelName(model) },
  }
}

const SESSION_RENEWED = {
  'Set-Cookie': {
    description: 'The new session cookie, if the session was renewed.',
    example: exampleCookie,
    optional: true,
  },
  'Cache-Control': {
    description: '`no-store` if the session was renewed.',
    example: 'private, no-cache',
    optional: true,
  },
} as const

/** The endpoint that shows it. */
export const accountEndpoint: Endpoint = endpoint({
  method: 'get',
  path: '/api/account',
  name: 'getAccount',
  tag: 'Accounts',
  summary: 'Get the account',
  description:
    'The user, the plan and the remaining requests. A session cookie past half of its seven days is renewed with the response.',
  auth: loginAuth,
  replies: {
    200: {
      description: 'The account.',
      schema: AccountBody,
      examples: { 'On the starter plan': exampleAccount },
      headers: SESSION_RENEWED,
    },
  },
  errors: [],
  async handler({ ctx, principal: { account, credential } }) {
    return {
      status: 200,
      body: await presentAccount(ctx, account),
      ...(credential.kind === 'cookie' ? { headers: await renewalHeaders(ctx, account, credential) } : {}),
    }
  },
})
