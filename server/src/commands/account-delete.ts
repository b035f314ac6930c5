import { type AccountRow, accountOf, removeAccount } from '../accounts/index.ts'
import { removeDeliveriesOf } from '../engine/index.ts'
import { deleteJobs } from '../generation/index.ts'
import { removeIncidents } from '../incidents/index.ts'
import { deleteMedia, forgetLoose } from '../media/index.ts'
import { removeChannels } from '../notifications/index.ts'
import { systemClock } from '../platform/clock.ts'
import { parseConfig } from '../platform/config.ts'
import type { Database, Tx } from '../platform/db/database.ts'
import { forgetAnswers } from '../platform/idempotency/idempotency.ts'
import { cancelJobsOf } from '../platform/jobs/queue.ts'
import { printable } from '../platform/printable.ts'
import { createSignalSender } from '../platform/signals.ts'
import { countPosts, deletePosts, lockPostsOfAccount } from '../posts/index.ts'
import { countSites, deleteSites } from '../sites/index.ts'
import { CommandError, EXIT, noAccount, type Run } from './command.ts'
import { withCurrentDatabase } from './database.ts'
import { withBlobs } from './pictures.ts'

/** Removes an account with everything it has. */
export const run: Run = async ({ operands: [email = ''], options, env, terminal }) => {
  const config = parseConfig(env)
  await withCurrentDatabase(config, async (db) => {
    const account = await accountOf(db.root, email)
    if (account === undefined) throw noAccount(email)
    const what = await describe(db, account)
    if (options.yes !== true)
      throw new CommandError(`This would remove ${what}, for good. Nothing was changed. To do it, add --yes.`)
    const signals = createSignalSender(db)
    const removeAll = async (tx: Tx, accountId: string) => {
      await deletePosts(tx, accountId)
      await deleteMedia(tx, accountId, systemClock.now())
      await deleteSites(tx, accountId)
      await removeDeliveriesOf({ signals }, tx, accountId)
      await deleteJobs(tx, accountId)
      await removeIncidents(tx, accountId)
      await removeChannels(tx, accountId)
      await cancelJobsOf({ signals }, tx, accountId)
      await forgetAnswers(tx, accountId)
    }
    const removed = await removeAccount({ db, signals }, email, lockPostsOfAccount, removeAll)
    if (removed === undefined) throw noAccount(email)
    await withBlobs(config, async (blobs) => blobs?.removeFolder(removed.id))
    await forgetLoose(db.root, removed.id)
    terminal.print(`Removed: ${what}.`)
    terminal.note('The sites keep what they have been sent. Earlier backups still contain the account.')
  })
  return EXIT.ok
}

/** The account and what it has, in words. */
async function describe(db: Database, { id, email, name }: AccountRow): Promise<string> {
  const [sites, posts] = [await countSites(db.root), await countPosts(db.root)]
  const count = (number = 0, unit: string) => `${number.toLocaleString('en')} ${unit}${number === 1 ? '' : 's'}`
  return `${email} (${printable(name)}) with ${count(sites.get(id), 'site')} and ${count(posts.get(id), 'post')}`
}
