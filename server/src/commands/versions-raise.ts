import { systemClock } from '../platform/clock.ts'
import { parseConfig } from '../platform/config.ts'
import { postsTx, raiseVersions } from '../posts/index.ts'
import { EXIT, type Run } from './command.ts'
import { withCurrentDatabase } from './database.ts'

/** Puts all posts above the versions that sites may have, for a database that has lost commits. */
export const run: Run = async ({ env, terminal }) => {
  const posts = await withCurrentDatabase(parseConfig(env), (db) =>
    postsTx(db, (tx) => raiseVersions(tx, systemClock.now())),
  )
  terminal.print(`Posts with versions above any that sites may have by now: ${posts.toLocaleString('en')}.`)
  terminal.note('The next change of a post is newer than what any site has. What sites show is not changed by this.')
  return EXIT.ok
}
