/** What commands do with the directory of an embedded database, which a server's has none of; all else is in commands.test.ts. */
import { access, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { runCommand } from './support/command.ts'
import {
  createGround,
  type Env,
  everything,
  fill,
  type Ground,
  SECRET_KEY,
  withServiceProcess,
} from './support/installation.ts'

describe.runIf(inject('database').kind === 'embedded')('commands, on an embedded database,', () => {
  let ground: Ground
  let env: Env
  let contents: object
  beforeAll(async () => {
    ground = await createGround()
    env = await ground.migratedEnv()
    contents = (await fill(env)).contents
  })
  afterAll(() => ground.remove())

  const exists = (path: string) =>
    access(path).then(
      () => true,
      () => false,
    )

  it('make none to see what is pending, and one to bring it up to date', async () => {
    const empty = await ground.emptyEnv()
    expect(await runCommand(empty, 'migrate', '--check')).toMatchObject({ code: 1 })
    expect(await exists(empty.DATA_DIR ?? '')).toBe(false)
    expect(await runCommand(empty, 'migrate')).toMatchObject({
      code: 0,
      result: expect.stringMatching(/^done {2}2026/),
    })
  })

  it('say so when there is no database, or when the service has it', async () => {
    const missing = await runCommand(await ground.emptyEnv(), 'backup', join(ground.dir, 'none'))
    expect(missing).toMatchObject({ code: 1, output: expect.stringContaining('There is no database in') })
    await withServiceProcess(env, async ({ child }) => {
      const [held, doctor] = await Promise.all([
        runCommand(env, 'backup', join(ground.dir, 'held')),
        runCommand(env, 'doctor'),
      ])
      expect(held).toMatchObject({ code: 69, output: expect.stringContaining(`in use by process ${child.pid}`) })
      expect(doctor).toMatchObject({ code: 0, result: expect.stringContaining(`in use by process ${child.pid}`) })
    })
    expect(await exists(join(ground.dir, 'held'))).toBe(false)
  })

  it('carry its key in a backup when they are asked to', async () => {
    const withKey = join(ground.dir, 'with-key')
    expect(await runCommand(env, 'backup', withKey, '--include-key')).toMatchObject({ code: 0 })
    const home = await ground.emptyEnv()
    expect(await runCommand(home, 'restore', withKey, '--keep-versions')).toMatchObject({ code: 0 })
    expect((await stat(join(home.DATA_DIR ?? '', 'secret.key'))).mode & 0o777).toBe(0o600)
    expect(await everything(home)).toEqual(contents)
    expect(await runCommand({ ...env, SECRET_KEY }, 'backup', withKey, '--include-key')).toMatchObject({ code: 64 })
  })
})
