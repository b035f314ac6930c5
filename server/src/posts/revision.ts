/**
 * The revision of what an account's sites may see: the Pull API's cached answers are valid while it stays. It is a number of the account, and
 * has nothing to do with the revisions of a post (`history/`). It rises in the very
 * transaction that changes what a site may see, as the last thing that this transaction does. So the account's row in `catalogs` is
 * locked after the posts and after the lanes of its sites. A transaction that locked it earlier could wait for another one's lanes while
 * that one waits for the row: a deadlock.
 */
import { type RawBuilder, sql } from 'kysely'
import { plainArray } from '../platform/db/arrays.ts'
import type { Database, Tx } from '../platform/db/database.ts'
import { prepared } from '../platform/db/statements.ts'
import { recordPostChanges } from './post-changes.ts'

/** The posts that changed, or 'all': then nobody knows any more what changed since before. */
type ChangedPosts = Set<string> | 'all'

const ACCOUNTS = Symbol('accounts whose sites may see a change, with the changed posts')

/** A transaction that may write posts: every statement that does so takes one, so that none can leave the revision as it is. */
export type PostsTx = Tx & { readonly [ACCOUNTS]: Map<string, ChangedPosts> }

/** Runs `work` in one transaction, as `db.tx` does, in which it may write posts. */
export function postsTx<T>(db: Pick<Database, 'tx'>, work: (tx: PostsTx) => Promise<T>): Promise<T> {
  return db.tx((tx) => writePosts(tx, work))
}

/** Lets `work`, a part of somebody else's transaction, write posts. Nothing that comes after it may lock a lane. */
export async function writePosts<T>(tx: Tx, work: (tx: PostsTx) => Promise<T>): Promise<T> {
  const accounts = new Map<string, ChangedPosts>()
  const result = await work(Object.assign(tx, { [ACCOUNTS]: accounts }))
  if (accounts.size === 0) return result
  await raise(tx, accounts)
  const postIds = [...accounts.values()].flatMap((posts) => (posts === 'all' ? [] : [...posts]))
  if (postIds.length > 0) await recordPostChanges(tx, postIds)
  return result
}

/** Notes that the transaction changes what the account's sites may see: of one post, of nothing that is listed as a change, or of all. */
export function noteVisible(tx: PostsTx, accountId: string, postId?: string): void {
  const posts = tx[ACCOUNTS].get(accountId) ?? new Set()
  if (posts !== 'all' && postId !== undefined) posts.add(postId)
  tx[ACCOUNTS].set(accountId, posts)
}

/** Notes that every post of the account may look different to its sites. */
export function noteAllVisible(tx: PostsTx, accountId: string): void {
  tx[ACCOUNTS].set(accountId, 'all')
}

/**
 * A revision is a time in microseconds, or one more than the last. After failover to a standby that lacks the last commits, a counter
 * would come to the same number again, and answers cached under the lost revision would be taken for current ones.
 */
async function raise(tx: Tx, accounts: ReadonlyMap<string, ChangedPosts>): Promise<void> {
  const rows = [...accounts].sort(([a], [b]) => (a < b ? -1 : 1))
  await prepared(sql`
    insert into catalogs as c (account_id, revision)
    select account_id, (extract(epoch from clock_timestamp()) * 1000000)::bigint
    from unnest(${plainArray(rows.map(([id]) => id))}::uuid[]) as account_id
    on conflict (account_id) do update set revision = greatest(c.revision + 1, excluded.revision)
  `).execute(tx)
  const all = rows.flatMap(([id, posts]) => (posts === 'all' ? [id] : []))
  if (all.length > 0)
    await sql`update catalogs set changes_since = revision where account_id = any(${plainArray(all)}::uuid[])`.execute(
      tx,
    )
}

/** Adds `revision` to a relation of sites with `account_id`: an answer read at a revision is valid while the revision stays. */
export function withRevision(sites: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select s.*, coalesce(c.revision, 0) as revision
    from (${sites}) s left join catalogs c on c.account_id = s.account_id`
}
