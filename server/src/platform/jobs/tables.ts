import type { Generated } from 'kysely'

type JobsTable = {
  kind: string
  /** What the job is about; one job per kind and key. */
  key: string
  account_id: string
  /** What the kind needs to know besides the key. */
  payload: unknown
  /** How far the work is, as the kind describes it. */
  progress: unknown
  /** When the job is due, by the database's clock. */
  run_at: Date
  /** Leases since the last sign of progress. */
  tries: Generated<number>
  /** Rises with every lease; the holder of an older lease cannot record anything. */
  fence: Generated<number>
  leased_until: Date | null
  /** The id of the worker that holds the lease. */
  leased_by: string | null
}

declare module '../db/tables.ts' {
  interface Tables {
    jobs: JobsTable
  }
}
