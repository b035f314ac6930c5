import type { ListDeliveries } from '@postrider/sdk'
import { withAccount } from './author/account.ts'
import { printList } from './columns.ts'
import { EXIT, type Run } from './command.ts'

const SHOWN = 50

/** Lists the latest deliveries; with `failed` it exits 1 if there is one. */
export const run: Run = async (invocation) => {
  const { options } = invocation
  const query: ListDeliveries = { limit: SHOWN, ...(options.failed === true ? { status: 'failed' } : {}) }
  const { data } = await withAccount(invocation, (client) => client.deliveries.list(query))
  const heading = ['SENT (UTC)', 'STATUS', 'SITE', 'POST', 'PROBLEM']
  printList(invocation, data, heading, ({ created_at, site_name, post_title, status, last_error }) => [
    created_at.slice(0, 16).replace('T', ' '),
    status,
    site_name,
    post_title,
    last_error ?? '',
  ])
  return options.failed === true && data.length > 0 ? EXIT.failed : EXIT.ok
}
