import { withAccount } from './author/account.ts'
import { inColumns } from './columns.ts'
import { EXIT, type Run } from './command.ts'

/** Lists the account's sites. */
export const run: Run = async (invocation) => {
  const { options, terminal } = invocation
  const { sites } = await withAccount(invocation, (client) => client.sites.list())
  if (options.json === true) terminal.print(JSON.stringify(sites, null, 2))
  else {
    const rows = sites.map(({ name, platform, status, url, delivery_stats: { missing } }) => [
      name,
      platform,
      status,
      String(missing),
      url,
    ])
    for (const line of inColumns([['NAME', 'PLATFORM', 'STATUS', 'MISSING', 'ADDRESS'], ...rows])) terminal.print(line)
  }
  return EXIT.ok
}
