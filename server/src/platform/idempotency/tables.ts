import type { JSONColumnType } from 'kysely'

type IdempotencyKeysTable = {
  /** Whose key it is. */
  scope: string
  key: string
  /** Fingerprint of the request that came first. */
  request: Buffer
  /** `running`: begun; `committed`: carried out, answer not kept yet; `answered`: the answer is kept. */
  state: 'running' | 'committed' | 'answered'
  /** When the request that holds the key claimed it, which tells it from others. */
  begun_at: Date
  /** When that request last said that it was still at work; null: not yet. */
  alive_at: Date | null
  status: number | null
  headers: JSONColumnType<Record<string, string>>
  /** Sealed: an answer may hold secrets. */
  body: Buffer | null
}

declare module '../db/tables.ts' {
  interface Tables {
    idempotency_keys: IdempotencyKeysTable
  }
}
