import { sql } from 'kysely'
import type { Database } from './database.ts'

/** A database that has not answered by then counts as away. */
const PATIENCE_MS = 2_000

/** Whether a database answers, and takes what is written. */
export type DatabaseState = 'ready' | 'read-only' | 'away'

/** The state of the database, found out within two seconds. */
export async function stateOfDatabase(db: Database): Promise<DatabaseState> {
  const patience = AbortSignal.timeout(PATIENCE_MS)
  const tooLong = new Promise<never>((_, reject) => patience.addEventListener('abort', reject, { once: true }))
  try {
    const asked = sql<{ readOnly: boolean }>`
      select current_setting('transaction_read_only')::boolean as "readOnly"
    `.execute(db.root)
    const { rows } = await Promise.race([asked, tooLong])
    return rows[0]?.readOnly === true ? 'read-only' : 'ready'
  } catch {
    return 'away'
  }
}
