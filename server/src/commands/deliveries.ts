import type { ListDeliveries, LoggedDelivery } from '@postrider/sdk'
import { withAccount } from './author/account.ts'
import { followDeliveries } from './author/follow.ts'
import { inColumns, printList } from './columns.ts'
import { EXIT, type Invocation, type Run } from './command.ts'

const SHOWN = 50

/** Lists the latest deliveries; with `failed` it exits 1 if there is one. With `follow` it goes on with what becomes of them. */
export const run: Run = async (invocation) => {
  const { options } = invocation
  if (options.follow === true) return follow(invocation)
  const query: ListDeliveries = { limit: SHOWN, ...(options.failed === true ? { status: 'failed' } : {}) }
  const { data } = await withAccount(invocation, (client) => client.deliveries.list(query))
  printList(invocation, data, ['SENT (UTC)', 'STATUS', 'SITE', 'POST', 'PROBLEM'], rowOf)
  return options.failed === true && data.length > 0 ? EXIT.failed : EXIT.ok
}

async function follow(invocation: Invocation): Promise<number> {
  const { options, terminal, signal } = invocation
  await withAccount(invocation, async (client) => {
    const onReady = () => terminal.note('What becomes of deliveries from now on. Ctrl+C ends it.')
    for await (const { delivery } of followDeliveries(client, {}, { onReady, signal })) {
      if (options.failed === true && delivery.status !== 'failed') continue
      if (options.json === true) terminal.print(JSON.stringify(delivery))
      else for (const line of inColumns([rowOf(delivery)])) terminal.print(line)
    }
  })
  return EXIT.ok
}

function rowOf({ created_at, site_name, post_title, status, last_error }: LoggedDelivery): string[] {
  return [created_at.slice(0, 16).replace('T', ' '), status, site_name, post_title, last_error ?? '']
}
