import { withAccount } from './author/account.ts'
import { printList } from './columns.ts'
import { EXIT, type Run } from './command.ts'

/** Lists the account's posts, newest first. */
export const run: Run = async (invocation) => {
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
  const heading = ['STATUS', 'SLUG', 'CHANGED', 'FAILED', 'TITLE']
  printList(invocation, listed, heading, ({ slug, title, status, updated_at, failed }) => [
    status,
    slug,
    updated_at.slice(0, 10),
    failed === 0 ? '' : String(failed),
    title,
  ])
  return EXIT.ok
}
