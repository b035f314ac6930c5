import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { recordingLog } from '../../../test/support/log.ts'
import { parseConfig } from '../config.ts'
import { migratedDirectory, threadOf } from './embedded/support.fixture.ts'
import { openDatabase } from './open.ts'

it('an embedded database that stops is logged as an error, and told', async () => {
  const lines: string[] = []
  const log = recordingLog(({ level, event }) => lines.push(`${level} ${event}`))
  const told: Error[] = []
  const config = parseConfig({ DATA_DIR: await migratedDirectory() })
  const { db } = await openDatabase(config, log, (error) => told.push(error))
  const thread = await threadOf(() => sql`select 1`.execute(db.root))
  await thread.terminate()
  await expect(sql`select 1`.execute(db.root)).rejects.toMatchObject({ code: 'broken' })
  expect(lines).toContain('error db.embedded.broken')
  expect(told).toHaveLength(1)
  await db.close()
})
