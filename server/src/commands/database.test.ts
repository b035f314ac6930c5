import fs from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, expect, it, vi } from 'vitest'
import { parseConfig } from '../platform/config.ts'
import { withDatabase } from './database.ts'

afterEach(() => vi.restoreAllMocks())

it('a command whose embedded database stops says why', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'postrider-command-'))
  const writing = withDatabase(parseConfig({ DATA_DIR: dir }), async ({ db }) => {
    await sql`create table kept (id int)`.execute(db.root)
    vi.spyOn(fs, 'fsyncSync').mockImplementation(() => {
      throw Object.assign(new Error('disk gone'), { code: 'EIO' })
    })
    await db.root.transaction().execute(async (tx) => sql`insert into kept values (1)`.execute(tx))
  })
  await expect(writing).rejects.toMatchObject({ code: 'broken', message: expect.stringContaining('disk gone') })
  await rm(dir, { recursive: true })
})
