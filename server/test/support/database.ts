import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { inject } from 'vitest'
import { createDatabase, createPostgresPool } from '../../src/platform/db/database.ts'
import { openEmbedded } from '../../src/platform/db/embedded/open-embedded.ts'
import type { OpenDatabase } from '../../src/platform/db/open.ts'
import { createDatabaseFromTemplate } from './postgres/databases.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Migrated databases in which nothing is yet; `directory` is a data directory with an embedded one. */
    database:
      | { kind: 'embedded'; snapshot: string; directory: string }
      | { kind: 'postgres'; adminUrl: string; template: string }
  }
}

const TEST_CONNECTIONS = 8

/** A fresh database with the current schema, of the kind this run tests. `drop` removes it once closed; `cut` makes it unreachable. */
export async function freshDatabase(): Promise<OpenDatabase & { drop(): Promise<void>; cut(): Promise<void> }> {
  const source = inject('database')
  if (source.kind === 'postgres') {
    const database = await createDatabaseFromTemplate(source.adminUrl, source.template)
    const pool = createPostgresPool(database.url, { max: TEST_CONNECTIONS }, () => {})
    return {
      db: createDatabase(pool, 'postgres'),
      maintain: undefined,
      signalsUrl: database.url,
      drop: database.drop,
      cut: () => pool.end(),
    }
  }
  const snapshot = new Blob([await readFile(source.snapshot)])
  const embedded = await openEmbedded({ dir: '', durable: false, snapshot, log: () => {} })
  const pool = new pg.Pool(embedded.poolConfig)
  const db = createDatabase(pool, 'embedded', embedded.close)
  return { db, maintain: undefined, signalsUrl: undefined, drop: async () => {}, cut: () => pool.end() }
}
