import type { Reach } from '../accounts/index.ts'
import type { Context } from '../platform/context.ts'
import { invalid } from '../platform/errors.ts'
import { isId } from '../platform/ids.ts'
import { siteNotFound } from './operations.ts'
import { siteExists } from './queries.ts'

/** For requests of a token that is limited to sites: the site in the path must be one of them. */
export const isSite: Reach = async (_ctx, { siteIds }, { id = '' }) => {
  if (!siteIds.includes(id.toLowerCase())) throw siteNotFound()
}

/** Throws `invalid` on `site_ids.N` unless all are sites of the account. */
export async function assertSites({ db }: Context, accountId: string, siteIds: readonly string[]): Promise<void> {
  for (const [index, id] of siteIds.entries())
    if (!(isId(id) && (await siteExists(db.root, accountId, id))))
      throw invalid(`site_ids.${index}`, 'There is no such site.')
}
