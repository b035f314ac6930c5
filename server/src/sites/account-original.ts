/** The account's default: which site has the original of posts that are created without one. */
import { z } from 'zod'
import { AccountBody, exampleAccount, loginAuth, presentAccount, setDefaultOriginal } from '../accounts/index.ts'
import { invalid } from '../platform/errors.ts'
import { type Endpoint, endpoint } from '../platform/http/endpoint.ts'
import { textError } from '../platform/http/text.ts'
import { isId } from '../platform/ids.ts'
import { holdSite } from './addresses.ts'
import { exampleSite } from './examples.ts'

const UpdateAccount = z
  .strictObject({
    primary_site_id: z
      .string(textError('primary_site_id'))
      .transform((id) => id.toLowerCase())
      .nullable()
      .optional()
      .openapi({
        description:
          'The site that has the original of posts which are created from now on without a `primary_site_id`; null: none.',
      }),
  })
  .openapi('UpdateAccount')

/** The endpoint that changes it. */
export const accountOriginalRoutes: Endpoint[] = [
  endpoint({
    tag: 'Accounts',
    auth: loginAuth,
    method: 'patch',
    path: '/api/account',
    name: 'updateAccount',
    summary: 'Change the account',
    description: 'Sets which site has the original of new posts. Posts that are there keep theirs.',
    body: UpdateAccount,
    bodyExamples: {
      'New posts have their original on one site': { primary_site_id: exampleSite.id },
      'New posts have no original': { primary_site_id: null },
    },
    replies: {
      200: {
        description: 'The changed account.',
        schema: AccountBody,
        examples: { 'With a default': { ...exampleAccount, primary_site_id: exampleSite.id } },
      },
    },
    errors: [],
    async handler({ ctx, principal: { account }, body: { primary_site_id: siteId } }) {
      if (siteId === undefined) return { status: 200, body: await presentAccount(ctx, account) }
      if (siteId !== null && !isId(siteId)) throw noSuchSite()
      const changed = await ctx.db.tx(async (tx) => {
        const changed = await setDefaultOriginal(tx, account.id, siteId)
        if (siteId !== null && !(await holdSite(tx, account.id, siteId))) throw noSuchSite()
        return changed
      })
      return { status: 200, body: await presentAccount(ctx, changed) }
    },
  }),
]

const noSuchSite = () => invalid('primary_site_id', 'There is no such site.')
