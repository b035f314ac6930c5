import { withAccount } from './author/account.ts'
import { printList } from './columns.ts'
import { EXIT, type Run } from './command.ts'

/** Lists the account's sites. */
export const run: Run = async (invocation) => {
  const { sites } = await withAccount(invocation, (client) => client.sites.list())
  const heading = ['NAME', 'PLATFORM', 'STATUS', 'MISSING', 'ADDRESS']
  printList(invocation, sites, heading, ({ name, platform, status, url, delivery_stats: { missing } }) => [
    name,
    platform,
    status,
    String(missing),
    url,
  ])
  return EXIT.ok
}
