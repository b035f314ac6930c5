import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { parseConfig } from '../platform/config.ts'
import { migratedDirectory, threadOf } from '../platform/db/embedded/support.fixture.ts'
import { withDatabase } from './database.ts'

it('a command whose embedded database stops says why', async () => {
  const dir = await migratedDirectory()
  const writing = withDatabase(parseConfig({ DATA_DIR: dir }), async ({ db }) => {
    const thread = await threadOf(() => sql`create table kept (id int)`.execute(db.root))
    await thread.terminate()
    await db.root.transaction().execute(async (tx) => sql`insert into kept values (1)`.execute(tx))
  })
  await expect(writing).rejects.toMatchObject({ code: 'broken', message: expect.stringContaining('its thread ended') })
})
