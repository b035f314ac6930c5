import { claimFromWorkers } from '../engine/index.ts'
import { otherConnections } from '../platform/db/connections.ts'
import type { Database, Tx } from '../platform/db/database.ts'
import { CommandError, EXIT } from './command.ts'

/**
 * Throws while other processes of Postrider are connected to the database; until the transaction ends no worker can join.
 * `why` says what those processes would do wrong. The embedded database has one process, so its holder is always alone.
 */
export async function assertAlone({ kind }: Pick<Database, 'kind'>, tx: Tx, why: string): Promise<void> {
  if (kind === 'embedded') return
  const noWorker = await claimFromWorkers(tx)
  if (noWorker && (await otherConnections(tx)) === 0) return
  throw new CommandError(
    `Other Postrider processes are connected to this database. ${why}: stop them all, then run this again.`,
    EXIT.unavailable,
  )
}
