import { sql } from 'kysely'
import type { Database } from './database.ts'

/** A database that has not answered by then counts as away. The embedded one has one connection: it may be busy with its upkeep. */
const PATIENCE_MS = { postgres: 2_000, embedded: 10_000 }

/** For so long after something could not be stored the disk counts as full: there may be nothing to store, and so no other sign. */
const FULL_FOR_MS = 60_000

/** Whether a database answers, and takes what is written. */
export type DatabaseState = 'ready' | 'read-only' | 'full' | 'away'

/** The state of the database, found out within `PATIENCE_MS`. */
export async function stateOfDatabase(db: Database): Promise<DatabaseState> {
  const patience = AbortSignal.timeout(PATIENCE_MS[db.kind])
  const tooLong = new Promise<never>((_, reject) => patience.addEventListener('abort', reject, { once: true }))
  try {
    const asked = sql<{ readOnly: boolean }>`
      select current_setting('transaction_read_only')::boolean as "readOnly"
    `.execute(db.root)
    const { rows } = await Promise.race([asked, tooLong])
    if (rows[0]?.readOnly === true) return 'read-only'
    const fullAtMs = db.fullAtMs()
    return fullAtMs !== undefined && performance.now() - fullAtMs < FULL_FOR_MS ? 'full' : 'ready'
  } catch {
    return 'away'
  }
}
