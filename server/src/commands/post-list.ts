import { withAccount } from './author/account.ts'
import { inColumns } from './columns.ts'
import { EXIT, type Run } from './command.ts'

/** Lists the account's posts, newest first. */
export const run: Run = async (invocation) => {
  const { options, terminal } = invocation
  const posts = await withAccount(invocation, async (client) => {
    const all = []
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const { data, pagination } = await client.posts.summaries({ page, limit: 100 })
      all.push(...data)
      pages = pagination.pages
    }
    return all
  })
  const listed = posts.map(({ id, slug, title, status, updated_at, deliveries }) => ({
    id,
    slug,
    title,
    status,
    updated_at,
    failed: deliveries.filter((one) => one.status === 'failed').length,
  }))
  if (options.json === true) terminal.print(JSON.stringify(listed, null, 2))
  else {
    const rows = listed.map(({ slug, title, status, updated_at, failed }) => [
      status,
      slug,
      updated_at.slice(0, 10),
      failed === 0 ? '' : String(failed),
      title,
    ])
    for (const line of inColumns([['STATUS', 'SLUG', 'CHANGED', 'FAILED', 'TITLE'], ...rows])) terminal.print(line)
  }
  return EXIT.ok
}
