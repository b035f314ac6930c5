/** `keys rotate`: the sites' secrets stay what they are, whatever interrupts it. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { access, chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@postrider/sdk'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { systemClock } from '../src/platform/clock.ts'
import { createLog } from '../src/platform/log.ts'
import { createSignals } from '../src/platform/signals.ts'
import { runCommand } from './support/command.ts'
import {
  ADA,
  createGround,
  type Env,
  everything,
  fill,
  type Ground,
  SECRET_KEY,
  withService,
} from './support/installation.ts'
import { launch } from './support/process.ts'

const { kind } = inject('database')
const NEXT_KEY = 'the next secret key, also long enough'

let ground: Ground
let env: Env
let token: string
let contents: object

beforeAll(async () => {
  ground = await createGround()
  env = await ground.migratedEnv()
  ;({ token, contents } = await fill(env))
})
afterAll(() => ground.remove())

describe.runIf(kind === 'postgres')('keys rotate, with SECRET_KEY', () => {
  async function query(text: string): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: env.DATABASE_URL ?? '' })
    await client.connect()
    const { rows } = await client.query(text)
    await client.end()
    return rows
  }

  it('wants the next key, and to be alone', async () => {
    const without = await runCommand(env, 'keys', 'rotate')
    expect(without).toMatchObject({ code: 78, output: expect.stringContaining('NEW_SECRET_KEY') })
    const short = await runCommand({ ...env, NEXT: 'short' }, 'keys', 'rotate', '--new-key-env', 'NEXT')
    expect(short).toMatchObject({ code: 78, output: expect.stringContaining('NEXT') })
    for (const role of ['all', 'api']) {
      await withService({ ...env, ROLE: role }, async ({ url }) => {
        await fetch(`${url}/readyz`)
        const busy = await runCommand({ ...env, NEW_SECRET_KEY: NEXT_KEY }, 'keys', 'rotate')
        expect(busy).toMatchObject({ code: 69, output: expect.stringContaining('stop them all') })
      })
    }
    expect(await everything(env)).toEqual(contents)
  })

  it('sees a process that is only listening', async () => {
    const ear = createSignals(env.DATABASE_URL ?? '', systemClock, createLog('silent'))
    await ear.ready
    const listening = await runCommand({ ...env, NEW_SECRET_KEY: NEXT_KEY }, 'keys', 'rotate')
    expect(listening).toMatchObject({ code: 69, output: expect.stringContaining('stop them all') })
    await ear.close()
  })

  it('seals everything anew; the old key and its tokens are refused', async () => {
    const both = { ...env, NEXT: NEXT_KEY }
    const rotated = await runCommand(both, 'keys', 'rotate', '--new-key-env', 'NEXT')
    expect(rotated).toMatchObject({ code: 0, result: expect.stringContaining('SECRET_KEY to the value of NEXT') })
    const again = await runCommand(both, 'keys', 'rotate', '--new-key-env', 'NEXT')
    expect(again).toMatchObject({ code: 0, result: expect.stringContaining('already been rotated') })
    expect(await runCommand(env)).toMatchObject({ code: 78, output: expect.stringContaining('SECRET_KEY') })
    const after = { ...env, SECRET_KEY: NEXT_KEY }
    expect(await everything(after, token)).toEqual({ ...contents, oldToken: 401 })
  })

  it('goes on beside other processes when it is forced to', async () => {
    const now = { ...env, SECRET_KEY: NEXT_KEY, NEW_SECRET_KEY: SECRET_KEY }
    await withService(now, async ({ url }) => {
      const { token: current } = await createClient({ baseUrl: url }).auth.login({
        email: ADA.email,
        password: ADA.password,
      })
      expect(await runCommand(now, 'keys', 'rotate', '--force')).toMatchObject({ code: 0 })
      // It knows only the old key, with which nothing would open that it seals.
      const client = createClient({ baseUrl: url, token: current, retries: 0 })
      const [site] = (await client.sites.list()).sites
      const late = { name: 'Late', url: 'https://late.example.com', webhook_url: 'http://127.0.0.1:9/' }
      await expect(client.sites.create(late)).rejects.toMatchObject({ status: 503 })
      await expect(client.sites.rotateKeys(site?.id ?? '')).rejects.toMatchObject({ status: 503 })
    })
    expect(await everything(env)).toEqual(contents)
  })

  it('names the sites whose secrets do not open, and goes on when their keys were rotated', async () => {
    await query(
      `update sites s set api_key_sealed = o.api_key_sealed from sites o where s.name = 'One' and o.name = 'Two'`,
    )
    await query(`update endpoints set secret_sealed = '' where site_name = 'Two'`)
    await query(`update idempotency_keys set body = '' where key = 'only-once'`)
    const both = { ...env, NEW_SECRET_KEY: NEXT_KEY }
    const doctor = await runCommand(env, 'doctor')
    expect(doctor).toMatchObject({
      code: 1,
      result: expect.stringMatching(/✗ site secrets: .+: Two \(.+\), One \(.+\);/),
    })
    const refused = await runCommand(both, 'keys', 'rotate')
    expect(refused).toMatchObject({ code: 1, output: expect.stringMatching(/^Nothing was changed: .*One \(/m) })
    await withService(env, async ({ url }) => {
      const { token: current } = await createClient({ baseUrl: url }).auth.login({
        email: ADA.email,
        password: ADA.password,
      })
      const client = createClient({ baseUrl: url, token: current })
      for (const { id } of (await client.sites.list()).sites) await client.sites.rotateKeys(id)
    })
    expect(await runCommand(env, 'doctor')).toMatchObject({
      code: 0,
      result: expect.stringContaining('✓ site secrets'),
    })
    expect(await runCommand(both, 'keys', 'rotate')).toMatchObject({ code: 0 })
    const after = await everything({ ...env, SECRET_KEY: NEXT_KEY })
    expect(after).toMatchObject({
      answer: { status: 409, body: { message: expect.stringContaining('response was lost') } },
    })
  })
})

describe.runIf(kind === 'embedded')('keys rotate, with a key file', () => {
  const fileOf = (home: Env, name: string) => join(home.DATA_DIR ?? '', name)
  const keysOf = async (home: Env) =>
    (await readdir(home.DATA_DIR ?? '')).filter((name) => name.startsWith('secret.key')).sort()

  it('makes a new key, keeps the old one, and refuses its tokens', async () => {
    const home = await ground.copyOf(env)
    const before = await readFile(fileOf(home, 'secret.key'), 'utf8')
    const rotated = await runCommand(home, 'keys', 'rotate')
    expect(rotated).toMatchObject({ code: 0, result: expect.stringContaining('new key: 2.') })
    const [current, kept = ''] = await keysOf(home)
    expect(current).toBe('secret.key')
    expect(await readFile(fileOf(home, 'secret.key'), 'utf8')).not.toBe(before)
    expect(await readFile(fileOf(home, kept), 'utf8')).toBe(before)
    expect(rotated.result).toContain(kept)
    expect(await everything(home, token)).toEqual({ ...contents, oldToken: 401 })
  })

  it.each([
    ['was being written', 'half a k'],
    ['was on disk', randomBytes(32).toString('base64')],
  ])('goes on with the old key when it stopped while the new one %s', async (_, staged) => {
    const home = await ground.copyOf(env)
    await writeFile(fileOf(home, 'secret.key.new'), staged)
    expect(await everything(home, token)).toEqual({ ...contents, oldToken: 200 })
    expect(await runCommand(home, 'keys', 'rotate')).toMatchObject({ code: 0 })
    expect(await runCommand(home, 'doctor')).toMatchObject({ code: 0, result: expect.not.stringContaining('rotation') })
  })

  it('completes at the next start what stopped after the commit', async () => {
    const home = await ground.copyOf(env)
    const before = await readFile(fileOf(home, 'secret.key'))
    expect(await runCommand(home, 'keys', 'rotate')).toMatchObject({ code: 0 })
    await rename(fileOf(home, 'secret.key'), fileOf(home, 'secret.key.new'))
    await writeFile(fileOf(home, 'secret.key'), before, { mode: 0o600 })
    const doctor = await runCommand(home, 'doctor')
    expect(doctor).toMatchObject({ code: 0, result: expect.stringContaining('the next start completes its rotation') })
    expect(await everything(home)).toEqual(contents)
    expect(await keysOf(home)).not.toContain('secret.key.new')
    expect(await readFile(fileOf(home, 'secret.key'))).not.toEqual(before)
  })

  it('loses nothing when it is killed', async () => {
    for (const delayMs of [0, 15]) {
      const home = await ground.copyOf(env)
      const { child } = launch(home, ['keys', 'rotate'])
      const gone = once(child, 'exit')
      while (child.exitCode === null && !(await isThere(fileOf(home, 'secret.key.new')))) await pause(1)
      await pause(delayMs)
      child.kill('SIGKILL')
      await gone
      expect(await everything(home)).toEqual(contents)
    }
  })

  it('does not start without the key of a database in use, and makes no other', async () => {
    const home = await ground.copyOf(env)
    await rm(fileOf(home, 'secret.key'))
    expect(await runCommand(home)).toMatchObject({ code: 78, output: expect.stringContaining('is missing') })
    expect(await keysOf(home)).toEqual([])
  })

  it('says what is wrong with a key file, and leaves it alone', async () => {
    const [cut, own, unreadable] = [await ground.copyOf(env), await ground.emptyEnv(), await ground.emptyEnv()]
    await writeFile(fileOf(cut, 'secret.key'), 'half a k')
    await mkdir(own.DATA_DIR ?? '')
    await writeFile(fileOf(own, 'secret.key'), 'my own, too short')
    await mkdir(fileOf(unreadable, 'secret.key'), { recursive: true })
    expect(await runCommand(cut)).toMatchObject({ code: 78, output: expect.stringContaining('holds 8 characters') })
    expect(await runCommand(own)).toMatchObject({ code: 78, output: expect.stringContaining('holds 17 characters') })
    expect(await runCommand(unreadable)).toMatchObject({ code: 78, output: expect.stringContaining('cannot be read') })
    const doctor = await runCommand(cut, 'doctor')
    expect(doctor).toMatchObject({ code: 1, result: expect.stringMatching(/✗ secret key: .+ holds 8 characters/) })
    expect(await readFile(fileOf(cut, 'secret.key'), 'utf8')).toBe('half a k')
    expect(await readFile(fileOf(own, 'secret.key'), 'utf8')).toBe('my own, too short')
  })

  it('has doctor tell when everybody may read the key', async () => {
    const home = await ground.copyOf(env)
    await chmod(fileOf(home, 'secret.key'), 0o644)
    expect(await runCommand(home, 'doctor')).toMatchObject({
      code: 1,
      result: expect.stringContaining('run: chmod 600'),
    })
  })

  const isThere = (path: string) =>
    access(path).then(
      () => true,
      () => false,
    )
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
})
