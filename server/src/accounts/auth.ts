import type { Context } from '../platform/context.ts'
import { fail } from '../platform/errors.ts'
import type { AuthScheme, RequestFacts } from '../platform/http/endpoint.ts'
import { managementBucket } from './limits.ts'
import { findAccount } from './queries.ts'
import type { AccountRow } from './tables.ts'
import { readToken } from './tokens.ts'

/** Who uses the Management API. */
export type AccountPrincipal = { accountId: string; account: AccountRow }

/** `Authorization: Bearer <JWT>` (specification, section 5). */
export const accountAuth: AuthScheme<AccountPrincipal> = {
  name: 'accessToken',
  document: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The `token` of register or login. Valid for 7 days.',
  },
  async authenticate(ctx: Context, request: RequestFacts): Promise<AccountPrincipal> {
    const [, token] = /^Bearer +(\S+)$/i.exec(request.header('authorization') ?? '') ?? []
    if (token === undefined)
      throw fail('unauthorized', 'Send your access token in the header Authorization: Bearer <token>.')
    const { accountId, generation } = await readToken(ctx, token)
    const account = await findAccount(ctx.db.root, accountId)
    if (account === undefined || account.token_generation !== generation) {
      throw fail('unauthorized', 'The access token is no longer valid. Log in again.')
    }
    return { accountId, account }
  },
  idempotencyScope: ({ accountId }) => accountId,
  bucket: (ctx, { account }) => managementBucket(ctx, account),
}
