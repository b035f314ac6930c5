import { allAccounts } from '../accounts/index.ts'
import { parseConfig } from '../platform/config.ts'
import type { Database } from '../platform/db/database.ts'
import { countPosts } from '../posts/index.ts'
import { countSites } from '../sites/index.ts'
import { printList } from './columns.ts'
import { EXIT, type Run } from './command.ts'
import { withCurrentDatabase } from './database.ts'

type Listed = {
  id: string
  email: string
  name: string
  plan: string
  sites: number
  posts: number
  created_at: string
}

/** Lists the accounts. */
export const run: Run = async (invocation) => {
  const accounts = await withCurrentDatabase(parseConfig(invocation.env), listed)
  printList(invocation, accounts, HEADING, rowOf)
  return EXIT.ok
}

function listed(db: Database): Promise<Listed[]> {
  return db.snapshot(async (tx) => {
    const [accounts, sites, posts] = [await allAccounts(tx), await countSites(tx), await countPosts(tx)]
    return accounts.map(({ id, email, name, plan, created_at: createdAt }) => ({
      id,
      email,
      name,
      plan,
      sites: sites.get(id) ?? 0,
      posts: posts.get(id) ?? 0,
      created_at: createdAt.toISOString(),
    }))
  })
}

const HEADING = ['E-MAIL', 'NAME', 'PLAN', 'SITES', 'POSTS', 'SINCE']

function rowOf({ email, name, plan, sites, posts, created_at: createdAt }: Listed): string[] {
  return [email, name, plan, String(sites), String(posts), createdAt.slice(0, 10)]
}
