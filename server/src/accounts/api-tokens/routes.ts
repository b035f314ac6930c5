import { z } from 'zod'
import { createCheckedKey } from '../../platform/checked-key.ts'
import type { Context } from '../../platform/context.ts'
import { lookupIndex } from '../../platform/crypto.ts'
import { fail, invalid } from '../../platform/errors.ts'
import { type Endpoint, endpoint, Id, IdParams, NO_STORE, Timestamp } from '../../platform/http/endpoint.ts'
import { isId } from '../../platform/ids.ts'
import { loginAuth, onceAuth } from '../auth.ts'
import type { ApiTokenRow } from '../tables.ts'
import { API_TOKEN_PREFIX } from './authenticate.ts'
import { SCOPE_NAMES, SCOPES } from './scopes.ts'
import { apiTokensOf, deleteApiToken, insertApiToken } from './store.ts'

const MOST_TOKENS = 100

const ScopeName = z
  .enum(SCOPE_NAMES)
  .openapi('Scope', { description: SCOPE_NAMES.map((name) => `- \`${name}\`: ${SCOPES[name]}`).join('\n') })

const CreateApiToken = z
  .object({
    name: z.string().trim().min(1).max(100).openapi({ description: 'What it is for.' }),
    scopes: z.array(ScopeName).min(1).openapi({ description: 'What it may do.' }),
    site_ids: z.array(Id).min(1).max(1_000).optional().openapi({
      description:
        'Limits it to these sites, the posts that one of them gets, and changes of posts that go to no other. It cannot use what concerns all sites then. Without them, it is for all sites.',
    }),
    expires_at: z.iso
      .datetime({ offset: true })
      .optional()
      .openapi({ description: 'When it stops working. Without it, it works until it is revoked.' }),
  })
  .openapi('CreateApiToken')

const ApiTokenBody = z
  .object({
    id: Id,
    name: z.string(),
    scopes: z.array(ScopeName),
    site_ids: z.array(Id).nullable().openapi({ description: 'The sites that it is limited to; null: none.' }),
    last_four: z.string().openapi({ description: 'How it ends.' }),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable().openapi({ description: 'Exact to a minute; null: never.' }),
    expires_at: Timestamp.nullable(),
  })
  .openapi('ApiToken')

const NewApiTokenBody = ApiTokenBody.extend({
  token: z.string().openapi({ description: 'The token. It is shown this once.' }),
}).openapi('NewApiToken')

const exampleToken = {
  id: '01a19b60-2d3e-7b14-9a55-8f0c1d2e3f40',
  name: 'Publish from our repository',
  scopes: ['posts:read', 'posts:write', 'posts:publish'] satisfies Array<(typeof SCOPE_NAMES)[number]>,
  site_ids: null,
  last_four: 'k3Zq',
  created_at: new Date('2026-11-02T08:00:00.000Z'),
  last_used_at: new Date('2026-11-02T09:30:00.000Z'),
  expires_at: null,
}

const exampleNewToken = {
  ...exampleToken,
  last_used_at: null,
  token: 'pt_anExampleOfATokenThatOpensNothingAtAllInAnyPlace00k3Zq',
}

function present({ id, name, scopes, site_ids, last_four, created_at, last_used_at, expires_at }: ApiTokenRow) {
  return { id, name, scopes, site_ids, last_four, created_at, last_used_at, expires_at }
}

/** Throws `invalid` on `site_ids.N` unless all are sites of the account. */
export type AssertSites = (ctx: Context, accountId: string, siteIds: readonly string[]) => Promise<void>

const shared = { tag: 'Tokens', auth: loginAuth } as const

/** The endpoints for programs' tokens; an addition to the specification. */
export function apiTokenRoutes(assertSites: AssertSites): Endpoint[] {
  return [
    endpoint({
      ...shared,
      method: 'post',
      path: '/api/tokens',
      name: 'createToken',
      summary: 'Make a token for a program',
      description: 'The token is in this answer and nowhere else. No token can make tokens.',
      auth: onceAuth,
      body: CreateApiToken,
      bodyExamples: {
        'To publish from a repository': { name: exampleToken.name, scopes: exampleToken.scopes },
        'To read one site for a month': {
          name: 'Newsletter',
          scopes: ['posts:read'],
          site_ids: ['01a19b3f-5e20-7c11-b8d4-6a7c9e0f1b22'],
          expires_at: '2026-12-02T08:00:00Z',
        },
      },
      replies: {
        201: {
          description: 'The token.',
          schema: NewApiTokenBody,
          examples: { 'The new token': exampleNewToken },
          headers: NO_STORE.documented,
        },
      },
      errors: ['conflict'],
      async handler({ ctx, principal, body }) {
        return {
          status: 201,
          body: await createToken(ctx, principal.accountId, body, assertSites),
          headers: NO_STORE.sent,
        }
      },
    }),
    endpoint({
      ...shared,
      method: 'get',
      path: '/api/tokens',
      name: 'listTokens',
      summary: 'List the tokens of programs',
      description: 'Newest first, with those that have expired. Revoked ones are gone.',
      replies: {
        200: {
          description: 'The tokens.',
          schema: z.object({ tokens: z.array(ApiTokenBody) }).openapi('ApiTokenList'),
          examples: { 'One token': { tokens: [exampleToken] }, 'None yet': { tokens: [] } },
        },
      },
      errors: [],
      async handler({ ctx, principal }) {
        return { status: 200, body: { tokens: (await apiTokensOf(ctx.db.root, principal.accountId)).map(present) } }
      },
    }),
    endpoint({
      ...shared,
      method: 'delete',
      path: '/api/tokens/{id}',
      name: 'revokeToken',
      summary: 'Revoke a token',
      description: 'From now on, no request with it is answered.',
      params: IdParams,
      replies: { 204: { description: 'The token is revoked.', schema: null } },
      errors: [],
      async handler({ ctx, principal: { accountId }, params: { id } }) {
        await ctx.db.tx(async (tx) => {
          if (!isId(id) || !(await deleteApiToken(tx, accountId, id)))
            throw fail('not_found', 'There is no such token. It may have been revoked already.')
          // Its event streams end.
          await ctx.signals.send(tx, 'signed-out', accountId)
        })
        return { status: 204 }
      },
    }),
  ]
}

async function createToken(
  ctx: Context,
  accountId: string,
  { name, scopes, site_ids: siteIds, expires_at }: z.output<typeof CreateApiToken>,
  assertSites: AssertSites,
) {
  const now = ctx.clock.now()
  const expiresAt = expires_at === undefined ? null : new Date(expires_at)
  if (expiresAt !== null && expiresAt <= now) throw invalid('expires_at', 'The time must be in the future.')
  const wanted = siteIds?.map((id) => id.toLowerCase())
  if (wanted !== undefined) await assertSites(ctx, accountId, wanted)
  if ((await apiTokensOf(ctx.db.root, accountId)).length >= MOST_TOKENS)
    throw fail('conflict', `An account can have ${MOST_TOKENS} tokens. Revoke one that is not used any more.`, {
      field: 'name',
    })
  const token = createCheckedKey(API_TOKEN_PREFIX)
  const row = {
    id: ctx.ids.next(),
    account_id: accountId,
    name,
    token_index: lookupIndex(ctx.keys, token),
    last_four: token.slice(-4),
    scopes: SCOPE_NAMES.filter((scope) => scopes.includes(scope)),
    site_ids: wanted === undefined ? null : [...new Set(wanted)],
    created_at: now,
    expires_at: expiresAt,
  }
  await insertApiToken(ctx.db.root, row)
  return { ...present({ ...row, last_used_at: null }), token }
}
