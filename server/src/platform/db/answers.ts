import { sql } from 'kysely'
import type { Database } from './database.ts'

/** A database that has not answered by then is as good as away. */
const PATIENCE_MS = 2_000

/** Whether the database answers, and soon. */
export async function databaseAnswers(db: Database): Promise<boolean> {
  const patience = AbortSignal.timeout(PATIENCE_MS)
  const tooLong = new Promise<never>((_, reject) => patience.addEventListener('abort', reject, { once: true }))
  try {
    await Promise.race([sql`select 1`.execute(db.root), tooLong])
    return true
  } catch {
    return false
  }
}
