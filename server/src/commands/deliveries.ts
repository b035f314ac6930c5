import type { ListDeliveries } from '@postrider/sdk'
import { withAccount } from './author/account.ts'
import { inColumns } from './columns.ts'
import { EXIT, type Run } from './command.ts'

const SHOWN = 50

/** Lists the latest deliveries; with `failed` it exits 1 if there is one. */
export const run: Run = async (invocation) => {
  const { options, terminal } = invocation
  const query: ListDeliveries = { limit: SHOWN, ...(options.failed === true ? { status: 'failed' } : {}) }
  const { data } = await withAccount(invocation, (client) => client.deliveries.list(query))
  if (options.json === true) terminal.print(JSON.stringify(data, null, 2))
  else {
    const rows = data.map(({ created_at, site_name, post_title, status, last_error }) => [
      created_at.slice(0, 16).replace('T', ' '),
      status,
      site_name,
      post_title,
      last_error ?? '',
    ])
    for (const line of inColumns([['SENT (UTC)', 'STATUS', 'SITE', 'POST', 'PROBLEM'], ...rows])) terminal.print(line)
  }
  return options.failed === true && data.length > 0 ? EXIT.failed : EXIT.ok
}
