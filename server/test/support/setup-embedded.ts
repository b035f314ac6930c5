import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { migrations } from '../../src/migrations/index.ts'
import { createDatabase } from '../../src/platform/db/database.ts'
import { openEmbedded } from '../../src/platform/db/embedded/open-embedded.ts'
import { migrate } from '../../src/platform/db/migrate.ts'

/**
 * Migrates one embedded database and keeps its dump, from which every test starts its databases. Those that start processes copy one that
 * was only created, which takes seconds.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dir = await mkdtemp(join(tmpdir(), 'postrider-snapshot-'))
  const embedded = await openEmbedded({ dir: '', durable: false, log: () => {} })
  const pool = new pg.Pool(embedded.poolConfig)
  const db = createDatabase(pool, 'embedded', embedded.close)
  await migrate(db, migrations)
  const snapshot = join(dir, 'snapshot.tar')
  await writeFile(snapshot, Buffer.from(await (await embedded.dump()).arrayBuffer()))
  await db.close()
  const created = join(dir, 'created')
  await (await openEmbedded({ dir: created, log: () => {} })).close()
  project.provide('database', { kind: 'embedded', snapshot, created })
  return () => rm(dir, { recursive: true, force: true })
}
