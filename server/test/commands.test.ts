import { access, cp, lstat, mkdir, mkdtemp, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createClient } from '@postrider/sdk'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { forgeHeader, readBackup } from './support/backup-file.ts'
import { runCommand } from './support/command.ts'
import { writtenBy } from './support/drafts.ts'
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
import { startModelServer } from './support/model-server.ts'
import { addOddRows, digests } from './support/odd-rows.ts'

const { kind } = inject('database')
const OTHER_KEY = 'another secret key, also long enough'

let ground: Ground
let env: Env
let contents: object

async function change(home: Env, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: home.DATABASE_URL ?? '' })
  await client.connect()
  await client.query(text)
  await client.end()
}

const nameOf = (home: Env) => new URL(home.DATABASE_URL ?? '').pathname.slice(1)

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

beforeAll(async () => {
  ground = await createGround()
  env = await ground.migratedEnv()
  contents = (await fill(env)).contents
})
afterAll(() => ground.remove())

describe('postrider', () => {
  it('helps', async () => {
    const [all, one, wrong] = await Promise.all([
      runCommand({}, 'help'),
      runCommand({}, 'restore', '--help'),
      runCommand({}, 'bakcup'),
    ])
    expect(all).toMatchObject({ code: 0, result: expect.stringContaining('backup FILE') })
    expect(one).toMatchObject({ code: 0, result: expect.stringContaining('Load a backup into an empty database') })
    expect(wrong).toMatchObject({
      code: 64,
      output: expect.stringContaining('Did you mean: npm run postrider -- backup?'),
    })
  })

  it('config shows what is in effect, and no secret', async () => {
    const { code, result } = await runCommand({ ...env, PORT: '4000', SECRET_KEY }, 'config', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(result)).toMatchObject({
      PORT: { value: '4000', source: 'environment' },
      SECRET_KEY: { value: 'set', source: 'environment' },
      LOG_LEVEL: { value: 'info', source: 'default' },
    })
    expect(result).not.toContain(SECRET_KEY)
    expect(await runCommand({ PORT: 'http' }, 'config')).toMatchObject({
      code: 78,
      output: expect.stringContaining('PORT'),
    })
  })

  it('migrate tells what is pending, runs it, and then has nothing to do', async () => {
    const empty = await ground.emptyEnv()
    const check = await runCommand(empty, 'migrate', '--check')
    expect(check).toMatchObject({ code: 1, result: expect.stringContaining('pending  2026-11-28-foundation') })
    if (empty.DATA_DIR !== undefined) expect(await exists(empty.DATA_DIR)).toBe(false)
    expect(await runCommand(empty, 'migrate')).toMatchObject({
      code: 0,
      result: expect.stringMatching(/^done {2}2026/),
    })
    expect(await runCommand(empty, 'migrate', '--check')).toMatchObject({
      code: 0,
      result: expect.stringMatching(/up to date/),
    })
  })

  it('plan set changes the plan of an account', async () => {
    expect(await runCommand(env, 'plan', 'set', 'Ada@Example.com', 'pro')).toMatchObject({
      code: 0,
      result: 'ada@example.com: starter → pro\n',
    })
    const [unknown, wrong] = [
      await runCommand(env, 'plan', 'set', 'bob@example.com', 'pro'),
      await runCommand(env, 'plan', 'set', 'ada@example.com', 'gold'),
    ]
    expect(unknown).toMatchObject({ code: 1, output: expect.stringContaining('No account has the e-mail address') })
    expect(wrong).toMatchObject({ code: 64, output: expect.stringContaining('starter, pro, agency') })
    expect(await runCommand(env, 'plan', 'set', ADA.email, 'starter')).toMatchObject({ code: 0 })
  })

  it('verify says what is missing, and that nobody answers', async () => {
    const url = 'http://127.0.0.1:1/'
    expect(await runCommand(env, 'verify', url)).toMatchObject({
      code: 64,
      output: expect.stringContaining('--secret'),
    })
    expect(await runCommand({ ...env, POSTRIDER_SECRET: 'whsec_c2VjcmV0' }, 'verify', url)).toMatchObject({
      code: 1,
      result: expect.stringMatching(/✗ the address: There is no answer: .*\n\nProblems to fix: 1\./),
    })
  })

  it('takes secrets from files', async () => {
    const path = join(ground.dir, 'metrics-token')
    await writeFile(path, 'a token from a file\n')
    const shown = await runCommand({ ...env, METRICS_TOKEN_FILE: path }, 'config')
    expect(shown).toMatchObject({ code: 0, result: expect.stringMatching(/METRICS_TOKEN +set/) })
    const missing = await runCommand({ ...env, METRICS_TOKEN_FILE: `${path}-not` }, 'config')
    expect(missing).toMatchObject({
      code: 78,
      output: expect.stringContaining(`METRICS_TOKEN_FILE: the file ${path}-not cannot be read`),
    })
  })

  it('account create makes an account where nobody can register', async () => {
    const closed = { ...(await ground.migratedEnv()), REGISTRATION: 'closed' }
    await withService(closed, async ({ url }) => {
      const refused = createClient({ baseUrl: url }).auth.register(ADA)
      await expect(refused).rejects.toMatchObject({ status: 403, code: 'forbidden' })
      const card = await (await fetch(`${url}/api`)).json()
      expect(card).toMatchObject({ registration: 'closed', first: 'POST /api/auth/login' })
    })
    const create = (email: string, name = 'Ada') => runCommand(closed, 'account', 'create', email, name)
    const { code, result } = await create(ADA.email)
    const password = /the password is (\S+)\n/.exec(result)?.[1] ?? ''
    expect([code, password]).toEqual([0, expect.stringMatching(/^([a-z2-9]{5}-){3}[a-z2-9]{5}$/)])
    await withService(closed, async ({ url }) => {
      const { user } = await createClient({ baseUrl: url }).auth.login({ email: ADA.email, password })
      expect(user).toMatchObject({ name: 'Ada', email: ADA.email })
    })
    const again = await create(ADA.email.toUpperCase())
    expect(again).toMatchObject({ code: 1, output: expect.stringContaining('password reset') })
    for (const [email, name] of [
      ['nobody', 'Ada'],
      ['bob@example.com', ' '],
    ] as const)
      expect(await create(email, name)).toMatchObject({ code: 64, result: '' })
  })

  it('password reset gives an account a new password and ends its logins', async () => {
    const copy = await ground.migratedEnv()
    const reset = async () => runCommand(copy, 'password', 'reset', ADA.email)
    let token = ''
    await withService(copy, async ({ url }) => {
      token = (await createClient({ baseUrl: url }).auth.register(ADA)).token
    })
    const { code, result } = await reset()
    const password = /the new password is (\S+)\n/.exec(result)?.[1] ?? ''
    expect([code, password]).toEqual([0, expect.stringMatching(/^([a-z2-9]{5}-){3}[a-z2-9]{5}$/)])
    await withService(copy, async ({ url }) => {
      const client = createClient({ baseUrl: url })
      await expect(createClient({ baseUrl: url, token }).account()).rejects.toMatchObject({ status: 401 })
      await expect(client.auth.login({ email: ADA.email, password: ADA.password })).rejects.toMatchObject({
        status: 401,
      })
      await client.auth.login({ email: ADA.email, password })
    })
    expect((await reset()).result).not.toContain(password)
    const unknown = await runCommand(copy, 'password', 'reset', 'bob@example.com')
    expect(unknown).toMatchObject({ code: 1, output: expect.stringContaining('No account has the e-mail address') })
  })

  it('account list tells who there is, and account delete removes one with everything it has', async () => {
    const home = await ground.migratedEnv()
    const rows = async () => {
      const file = join(await mkdtemp(join(ground.dir, 'rows-')), 'backup')
      await runCommand(home, 'backup', file)
      const { rate_limits: _, ...tables } = (await readBackup(file)).rows // counts of requests end by themselves
      return Object.fromEntries(Object.entries(tables).map(([table, list]) => [table, list.length]))
    }
    const bob = { name: 'Bob', email: 'bob@example.com', password: 'correct horse' }
    const { contents: ofBob } = await fill(home, bob)
    const before = await rows()
    const { token } = await fill(home)
    const listed = await runCommand(home, 'account', 'list')
    expect(listed.result.split('\n').map((line) => line.replace(/ +/g, ' '))).toEqual([
      'E-MAIL NAME PLAN SITES POSTS SINCE',
      expect.stringMatching(/^bob@example\.com Bob starter 2 5 \d{4}-\d\d-\d\d$/),
      expect.stringMatching(/^ada@example\.com Ada starter 2 5 \d{4}-\d\d-\d\d$/),
      '',
    ])
    const full = await rows()

    const asked = await runCommand(home, 'account', 'delete', ADA.email)
    const what = 'ada@example.com (Ada) with 2 sites and 5 posts'
    expect(asked).toMatchObject({ code: 1, result: '', output: expect.stringContaining(`would remove ${what}`) })
    expect(await rows()).toEqual(full)
    const removed = await runCommand(home, 'account', 'delete', 'ADA@example.com', '--yes')
    expect(removed).toMatchObject({ code: 0, result: `Removed: ${what}.\n` })
    expect(await rows()).toEqual(before)
    expect(await runCommand(home, 'account', 'delete', ADA.email, '--yes')).toMatchObject({ code: 1, result: '' })
    expect(JSON.parse((await runCommand(home, 'account', 'list', '--json')).result)).toMatchObject([
      { id: expect.any(String), email: bob.email, name: 'Bob', plan: 'starter', sites: 2, posts: 5 },
    ])

    expect(await everything(home, undefined, bob)).toEqual(ofBob)
    await withService(home, async ({ url }) => {
      await expect(createClient({ baseUrl: url, token }).account()).rejects.toMatchObject({ status: 401 })
      await createClient({ baseUrl: url }).auth.register(ADA)
    })
  })
})

describe('doctor', () => {
  it('finds everything in order', async () => {
    const { code, result } = await runCommand(env, 'doctor')
    expect(result).not.toContain('✗')
    for (const line of ['✓ schema: up to date', '✓ sites: 2 connected', '✓ port 0']) expect(result).toContain(line)
    expect(result).toMatch(/✓ secret key: [0-9a-f]{8} fits/)
    expect(code).toBe(0)
  })

  it('tells what is to be mended', async () => {
    const other = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'))
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const address = other.address()
    const port = typeof address === 'object' ? String(address?.port) : ''
    const wrong = { ...env, PORT: port, SECRET_KEY: OTHER_KEY }
    const [unhealthy, misconfigured] = await Promise.all([
      runCommand(wrong, 'doctor'),
      runCommand({ PORT: 'http', LOG_LEVEL: 'loud' }, 'doctor'),
    ])
    other.close()
    expect(unhealthy).toMatchObject({ code: 1, result: expect.stringContaining('✗ secret key: not the one') })
    expect(unhealthy.result).toContain(`✗ port ${port}: used by another program`)
    expect(misconfigured.code).toBe(1)
    expect(misconfigured.result.match(/✗ configuration/g)).toHaveLength(2)
  })

  it('asks the model of the drafts', async () => {
    const model = await startModelServer()
    const ask = (more: Env) => runCommand({ ...env, ...writtenBy(model), ...more }, 'doctor')
    expect((await runCommand(env, 'doctor')).result).toContain('– model: none configured')
    const good = await ask({})
    expect(good).toMatchObject({
      code: 0,
      result: expect.stringMatching(/✓ model: openai-compatible\/test-model at .+ answered in \d+ ms/),
    })
    model.follow(() => ({ status: 401, body: { error: { message: 'Incorrect API key provided: sk-secret' } } }))
    const bad = await ask({ AI_API_KEY: 'sk-secret' })
    expect(bad).toMatchObject({
      code: 1,
      result: expect.stringMatching(/✗ model: .+: the key is refused; correct AI_API_KEY \(401 /),
    })
    expect(bad.output).not.toContain('sk-secret')
    await model.close()
    expect((await ask({})).result).toMatch(
      /✗ model: .+: the server cannot be reached; start it, or correct AI_BASE_URL/,
    )
  })

  it.runIf(kind === 'postgres')('says when the server does not answer, or the service runs', async () => {
    const away = { ...env, DATABASE_URL: 'postgres://nobody:secret@127.0.0.1:1/none' }
    const { code, result } = await runCommand(away, 'doctor')
    expect(code).toBe(1)
    expect(result).toMatch(/✗ database: .*ECONNREFUSED/)
    expect(result).not.toContain('secret@')
    expect(await runCommand(away, 'migrate')).toMatchObject({ code: 69, output: expect.not.stringContaining(' at ') })
    await withService(env, async ({ url }) => {
      const running = await runCommand({ ...env, PORT: new URL(url).port }, 'doctor')
      expect(running).toMatchObject({ code: 0, result: expect.stringContaining('in use by a running Postrider') })
    })
  })
})

describe.runIf(kind === 'postgres')('a database that cannot be used', () => {
  it('because another program has a table in it', async () => {
    const shared = await ground.emptyEnv()
    await change(shared, 'create table posts (id int)')
    const { code, output } = await runCommand(shared)
    expect([code, output]).toEqual([69, expect.stringContaining("has tables that are not Postrider's")])
    expect(output).not.toContain('    at ')
  })

  it('because it is read-only', async () => {
    const standby = await ground.emptyEnv()
    await change(standby, `alter database ${nameOf(standby)} set default_transaction_read_only = on`)
    const { code, output } = await runCommand(standby)
    expect([code, output]).toEqual([69, expect.stringContaining('is read-only')])
    expect(output).not.toContain('    at ')
    const doctor = await runCommand(standby, 'doctor')
    expect(doctor).toMatchObject({ code: 1, result: expect.stringMatching(/✗ database: .+ is read-only/) })
  })

  it('because its encoding lacks most letters', async () => {
    const home = await ground.emptyEnv()
    const narrow = `${nameOf(home)}_narrow`
    await change(home, `create database ${narrow} encoding 'LATIN1' locale_provider libc locale 'C' template template0`)
    const url = new URL(home.DATABASE_URL ?? '')
    url.pathname = `/${narrow}`
    const latin = { ...home, DATABASE_URL: url.href }
    expect(await runCommand(latin)).toMatchObject({ code: 69, output: expect.stringContaining('the encoding LATIN1') })
    const doctor = await runCommand(latin, 'doctor')
    expect(doctor).toMatchObject({ code: 1, result: expect.stringMatching(/✗ database: .+ encoding LATIN1/) })
    await change(home, `drop database ${narrow}`)
  })
})

describe('backup and restore', () => {
  let file: string
  let target: Env
  let count = 0
  beforeAll(async () => {
    file = join(ground.dir, 'backup.gz')
    target = await ground.emptyEnv()
    if (kind === 'postgres') await addOddRows(env.DATABASE_URL ?? '')
    expect(await runCommand(env, 'backup', file)).toMatchObject({
      code: 0,
      output: expect.stringContaining('  posts: 5'),
    })
  })

  /** Restores into `home`, starts the service on it, and compares what it shows and what a backup of it holds. */
  async function expectSame(from: string, home: Env): Promise<string> {
    count += 1
    const again = join(ground.dir, `again-${count}`)
    const restored = await runCommand(home, 'restore', from, '--keep-versions')
    expect(restored).toMatchObject({ code: 0, result: expect.stringContaining('Restored') })
    expect(await runCommand(home, 'migrate')).toMatchObject({ code: 0 }) // a backup of an older version is restored as it was
    if (home.DATABASE_URL !== undefined)
      expect(await digests(home.DATABASE_URL)).toEqual(await digests(env.DATABASE_URL ?? ''))
    expect(await runCommand(home, 'backup', again)).toMatchObject({ code: 0 })
    expect((await readBackup(again)).rows).toEqual((await readBackup(from)).rows)
    expect(await everything(home)).toEqual(contents)
    return again
  }

  it('refuses a damaged file before anything is written', async () => {
    const bytes = await readFile(file)
    const flipped = Buffer.from(bytes)
    flipped[bytes.length >> 1] = (flipped[bytes.length >> 1] ?? 0) ^ 1
    const damages: Array<[string, Buffer | string]> = [
      ['cut', bytes.subarray(0, bytes.length >> 1)],
      ['flipped', flipped],
      ['doubled', Buffer.concat([bytes, bytes])],
      ['something else', 'hello'],
    ]
    const refusals = damages.map(async ([name, bytes]) => {
      await writeFile(join(ground.dir, name), bytes)
      const args = name === 'cut' ? ['--check'] : []
      return { name, ...(await runCommand(target, 'restore', join(ground.dir, name), ...args)) }
    })
    for (const { name, code, output } of await Promise.all(refusals)) {
      expect(output, name).toMatch(/The backup is damaged|This is not a backup/)
      expect(code).toBe(1)
    }
    await expectUntouched(target)
  })

  it('refuses what this version or this key cannot restore', async () => {
    const newer = join(ground.dir, 'newer')
    await forgeHeader(file, newer, (header) => ({ ...header, migrations: [...header.migrations, '2999-later'] }))
    const preview = join(ground.dir, 'preview')
    await forgeHeader(file, preview, (header) => ({ ...header, migrations: ['2026-11-21-foundation'] }))
    const [unknown, early, otherKey] = await Promise.all([
      runCommand(target, 'restore', newer),
      runCommand(target, 'restore', preview),
      runCommand({ ...target, SECRET_KEY: OTHER_KEY }, 'restore', file, '--check'),
    ])
    if (kind === 'embedded') {
      const noKey = await runCommand(target, 'restore', file)
      expect(noKey).toMatchObject({ code: 78, output: expect.stringContaining('put that secret.key there') })
    }
    expect(unknown).toMatchObject({ code: 1, output: expect.stringContaining('that version or a newer one') })
    expect(early).toMatchObject({ code: 1, output: expect.stringContaining('this version cannot recreate') })
    expect(otherKey).toMatchObject({ code: 78, output: expect.stringMatching(/only with the secret key [0-9a-f]{8}/) })
    await expectUntouched(target)
  })

  it('takes all or nothing: rows that do not fit leave no trace', async () => {
    const wrong = join(ground.dir, 'wrong')
    await forgeHeader(file, wrong, (header) => {
      // Everything before the last row has been loaded when this is noticed.
      const last = header.tables.findLastIndex(({ rows }) => rows > 0)
      const tables = header.tables.map((table, index) =>
        index === last ? { ...table, columns: table.columns.map((column) => `${column}_`) } : table,
      )
      return { ...header, tables }
    })
    if (target.DATA_DIR !== undefined) await giveKey(target.DATA_DIR)
    const refused = await runCommand(target, 'restore', wrong)
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('Nothing was changed') })
    const check = await runCommand(target, 'migrate', '--check')
    expect(check).toMatchObject({ code: 1, result: expect.stringContaining('foundation') })
  })

  it('says whether a file could be restored, also beside the service that made it', async () => {
    await withService(env, async () => {
      const good = await runCommand(env, 'restore', file, '--check')
      expect(good).toMatchObject({
        code: 0,
        result: expect.stringMatching(/is complete and can be restored here: [\d,]+ rows/),
      })
    })
  })

  it('keeps everything, for its owner only', async () => {
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await readBackup(file)).header.secretKey).toBeUndefined()
    await expectSame(file, target)
    const full = await runCommand(target, 'restore', file)
    expect(full).toMatchObject({ code: 1, output: expect.stringContaining('not empty (accounts, ') })
  })

  it.runIf(kind === 'postgres')('carries over what the last preview has backed up', async () => {
    const preview = join(ground.dir, 'last-preview')
    await forgeHeader(file, preview, (header) => ({
      ...header,
      migrations: ['2026-11-21-foundation', '2026-11-30-jobs'],
    }))
    const home = await ground.emptyEnv()
    if (home.DATA_DIR !== undefined) await giveKey(home.DATA_DIR)
    await expectSame(preview, home)
  })

  const numbers = async (path: string, table: string, column: string) => {
    const { header, rows } = await readBackup(path)
    const index = header.tables.find(({ name }) => name === table)?.columns.indexOf(column) ?? -1
    return rows[table]?.map((row) => Number(JSON.parse(row)[index])) ?? expect.fail('no rows')
  }
  const versions = (path: string) => numbers(path, 'posts', 'version')

  it('puts posts above the versions that sites may have been sent since, and ends all logins', async () => {
    let highest = Math.max(...(await versions(file)))
    for (const time of ['first', 'second']) {
      const home = await ground.migratedEnv()
      if (home.DATA_DIR !== undefined) await giveKey(home.DATA_DIR)
      const restored = await runCommand(home, 'restore', file)
      expect(restored).toMatchObject({ code: 0, result: expect.stringContaining('above any that sites may have') })
      const again = join(ground.dir, `raised-${time}.gz`)
      await runCommand(home, 'backup', again)
      const raised = await versions(again)
      expect(restored.result).toContain('everybody has to log in again')
      const generations = await numbers(again, 'accounts', 'token_generation')
      expect(Math.min(...generations)).toBeGreaterThan(Date.now() / 1_000 - 3_600)
      expect(raised).toHaveLength((await versions(file)).length)
      expect(Math.min(...raised)).toBeGreaterThan(highest)
      highest = Math.max(...raised)
    }
  })

  it('lets the versions be raised without a restore, after commits were lost', async () => {
    const home = await ground.migratedEnv()
    if (home.DATA_DIR !== undefined) await giveKey(home.DATA_DIR)
    await runCommand(home, 'restore', file, '--keep-versions')
    const before = await versions(file)
    expect(await runCommand(home, 'versions', 'raise')).toMatchObject({
      code: 0,
      result: `Posts with versions above any that sites may have by now: ${before.length}.\n`,
    })
    const again = join(ground.dir, 'raised-alone.gz')
    await runCommand(home, 'backup', again)
    expect(Math.min(...(await versions(again)))).toBeGreaterThan(Math.max(...before) + 999)
    const generations = (path: string) => numbers(path, 'accounts', 'token_generation')
    expect(await generations(again)).toEqual(await generations(file))
  })

  it.runIf(kind === 'postgres')('goes from a server into an embedded database, and back', async () => {
    const middle = await ground.emptyEnv('embedded', { SECRET_KEY })
    await expectSame(await expectSame(file, middle), await ground.emptyEnv('postgres'))
  })

  it('replaces a file only when told to, and leaves nothing half', async () => {
    const taken = join(ground.dir, 'taken.gz')
    await writeFile(taken, 'precious')
    const refused = await runCommand(env, 'backup', taken)
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('--force') })
    expect(await readFile(taken, 'utf8')).toBe('precious')
    expect(await runCommand(env, 'backup', taken, '--force')).toMatchObject({ code: 0 })
    const nowhere = await runCommand(env, 'backup', join(ground.dir, 'no', 'such', 'directory'))
    expect(nowhere).toMatchObject({ code: 1, output: expect.stringContaining('there is no such file or directory') })
    expect((await readdir(ground.dir)).filter((name) => name.includes('partial'))).toEqual([])
  })

  it('replaces where a link leads to, and nothing that is not a file', async () => {
    const [own = '', link = '', socket = ''] = ['own.gz', 'link.gz', 'socket'].map((name) => join(ground.dir, name))
    await writeFile(own, 'older')
    await symlink(own, link)
    const holder = createServer()
    await new Promise<void>((resolve) => holder.listen(socket, resolve))
    expect(await runCommand(env, 'backup', link, '--force')).toMatchObject({ code: 0 })
    expect((await lstat(link)).isSymbolicLink()).toBe(true)
    expect((await readBackup(own)).header.tables).not.toEqual([])
    const refused = { code: 1, output: expect.stringContaining('not a regular file') }
    expect(await runCommand(env, 'backup', socket, '--force')).toMatchObject(refused)
    expect((await stat(socket)).isSocket()).toBe(true)
    expect(await runCommand(await ground.emptyEnv(), 'restore', socket)).toMatchObject(refused)
    holder.close()
  })

  it('says whether the key at hand is the one to keep', async () => {
    const [known, foreign] = [
      await runCommand(env, 'backup', join(ground.dir, 'known.gz')),
      await runCommand({ ...env, SECRET_KEY: OTHER_KEY }, 'backup', join(ground.dir, 'foreign.gz')),
    ]
    expect(known).toMatchObject({ code: 0, result: expect.stringContaining('keep a copy of') })
    expect(foreign).toMatchObject({ code: 0, result: expect.stringContaining('SECRET_KEY is not that key') })
  })

  it.runIf(kind === 'postgres')(
    'leaves out tables and columns that are not ours, and tells what has come due',
    async () => {
      const home = await ground.emptyEnv()
      await runCommand(home, 'restore', file, '--keep-versions')
      await change(home, 'create table kept_aside (id serial, text text)')
      await change(home, "insert into kept_aside (text) values ('x')")
      await change(home, 'alter table catalogs add column posts integer')
      await change(home, "update posts set status = 'scheduled', scheduled_at = now() where status = 'published'")
      const more = join(ground.dir, 'with-another-table.gz')
      expect(await runCommand(home, 'backup', more)).toMatchObject({ code: 0 })
      const restored = await runCommand(await ground.emptyEnv(), 'restore', more)
      expect(restored).toMatchObject({
        code: 0,
        output: expect.stringMatching(/Left out: the column posts of catalogs.*Left out: the table kept_aside/s),
        result: expect.stringMatching(/Scheduled posts that have come due since the backup: \d/),
      })
    },
  )

  it.runIf(kind === 'postgres')('says so when the database is read-only', async () => {
    const home = await ground.emptyEnv()
    await change(home, `alter database ${nameOf(home)} set default_transaction_read_only = on`)
    const refused = await runCommand(home, 'restore', file)
    expect(refused).toMatchObject({ code: 69, output: expect.stringContaining('The database is read-only') })
  })

  it.runIf(kind === 'postgres')('wants to be alone with the database', async () => {
    const used = await ground.emptyEnv()
    await withService(used, async () => {
      const refused = await runCommand(used, 'restore', file)
      expect(refused).toMatchObject({ code: 69, output: expect.stringContaining('stop them all') })
    })
  })

  async function giveKey(dataDir: string): Promise<void> {
    await mkdir(dataDir, { recursive: true })
    await cp(join(env.DATA_DIR ?? '', 'secret.key'), join(dataDir, 'secret.key'))
  }

  async function expectUntouched(home: Env): Promise<void> {
    if (home.DATA_DIR !== undefined) expect(await exists(home.DATA_DIR)).toBe(false)
    else
      expect(await runCommand(home, 'migrate', '--check')).toMatchObject({
        result: expect.stringContaining('foundation'),
      })
  }
})
