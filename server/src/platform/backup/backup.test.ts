import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDirectory, unprivileged } from '../db/embedded/support.fixture.ts'
import { readBackupFile, regularFile, writeBackupFile } from './file.ts'
import { BackupError, fitOf, headerLine, parseHeader } from './format.ts'
import { loadOrder } from './tables.ts'

const HEADER = {
  serviceVersion: '1.2.3',
  createdAt: '2026-11-21T00:00:00.000Z',
  database: 'embedded' as const,
  migrations: ['a', 'b'],
  keyFingerprint: 'ab'.repeat(32),
  tables: [
    { name: 'first', columns: ['id', 'text'], rows: 2_500 },
    { name: 'empty', columns: ['id'], rows: 0 },
    { name: 'last', columns: ['id'], rows: 1 },
  ],
}
const ROWS = [
  ...Array.from({ length: 2_500 }, (_, id) => JSON.stringify([String(id), `\u2028\r line ${id}`])),
  '["large, and the last"]',
]

async function* backup(rows: string[] = ROWS) {
  yield headerLine(HEADER)
  for (const row of rows) yield `${row}\n`
}

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'postrider-backup-'))
})
afterAll(() => rm(dir, { recursive: true }))

describe('a backup file', () => {
  it('gives back what was written, in batches', async () => {
    const path = join(dir, 'whole')
    await writeBackupFile(path, backup())
    const taken: [string, number][] = []
    const rows: string[] = []
    const header = await readBackupFile(path, async (table, lines) => {
      taken.push([table.name, lines.length])
      rows.push(...lines)
    })
    expect(header).toMatchObject(HEADER)
    expect(rows).toEqual(ROWS)
    expect(taken.map(([name]) => name)).toEqual(['first', 'first', 'first', 'last'])
  })

  it('is not there when writing fails', async () => {
    async function* failing() {
      yield headerLine(HEADER)
      throw new Error('gone')
    }
    await expect(writeBackupFile(join(dir, 'failed'), failing())).rejects.toThrow('gone')
    expect((await readdir(dir)).filter((name) => name.startsWith('failed'))).toEqual([])
  })

  it('can be written where files may be made, but not listed', async () => {
    const closed = await openDirectory()
    const path = join(closed, 'unlisted')
    await chmod(closed, 0o333)
    await unprivileged(() => writeBackupFile(path, backup()))
    await chmod(closed, 0o777)
    expect(await readBackupFile(path)).toMatchObject(HEADER)
  })

  it('is there when two are written to it at once: the one that began last', async () => {
    const path = join(dir, 'contended')
    const held = (begun: () => void, until: Promise<void>) =>
      (async function* () {
        yield headerLine(HEADER)
        begun()
        await until
        for (const row of ROWS) yield `${row}\n`
      })()
    const gate = () => Promise.withResolvers<void>()
    const [firstBegun, firstEnds, lastBegun, lastEnds] = [gate(), gate(), gate(), gate()]
    const first = writeBackupFile(path, held(firstBegun.resolve, firstEnds.promise))
    await firstBegun.promise
    const last = writeBackupFile(path, held(lastBegun.resolve, lastEnds.promise))
    await lastBegun.promise
    firstEnds.resolve()
    await expect(first).rejects.toThrow('Another backup is being written')
    lastEnds.resolve()
    await last
    expect(await readBackupFile(path)).toMatchObject(HEADER)
  })

  it('is refused wherever it was changed or cut', async () => {
    const path = join(dir, 'original')
    await writeBackupFile(path, backup())
    const bytes = gunzipSync(await readFile(path))
    const lines = bytes.toString().split('\n')
    const without = (index: number) => lines.toSpliced(index, 1).join('\n')
    const changed = Buffer.from(bytes)
    changed[bytes.length - 200] = 'x'.charCodeAt(0)
    const damages = [changed, without(5), without(lines.length - 2), without(lines.length - 3), `${bytes}more\n`]
    for (const cut of [0, 1, 300, bytes.length - 60, bytes.length - 1]) damages.push(bytes.subarray(0, cut))
    for (const damage of damages) {
      await writeFile(join(dir, 'damaged'), gzipSync(damage))
      await expect(readBackupFile(join(dir, 'damaged'))).rejects.toThrow(BackupError)
    }
  })
})

describe('regularFile', () => {
  it('follows links to a file, and takes nothing else for one', async () => {
    const path = (name: string) => join(dir, name)
    await writeFile(path('target'), '')
    await symlink(path('target'), path('link'))
    await symlink(path('nowhere'), path('dangling'))
    await mkdir(path('directory'))
    expect(await regularFile(path('nothing'))).toBeUndefined()
    expect(await regularFile(path('link'))).toBe(await realpath(path('target')))
    await expect(regularFile(path('dangling'))).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(regularFile(path('directory'))).rejects.toThrow('not a regular file')
  })
})

describe('parseHeader', () => {
  it('tells another format from another version of this one', () => {
    expect(() => parseHeader('{"format":"something"}')).toThrow('not a backup made by Postrider')
    expect(() => parseHeader('{"format":"postrider-backup","formatVersion":2}')).toThrow('has format 2')
    expect(() => parseHeader('{"format":"postrider-backup","formatVersion":1}')).toThrow('damaged')
  })
})

describe('fitOf', () => {
  it.each([
    [['a', 'b'], 'fits'],
    [['a'], 'fits'],
    [[], 'fits'],
    [['a', 'b', 'c', 'd'], 'newer'],
    [['a', 'c'], 'apart'],
    [['z'], 'apart'],
  ])('%j', (migrations, fit) => {
    expect(fitOf(migrations, ['a', 'b', 'c'])).toBe(fit)
  })
})

describe('loadOrder', () => {
  it('puts what is referred to first', () => {
    const references = [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'c' },
      { from: 'a', to: 'elsewhere' },
    ]
    expect(loadOrder(['a', 'b', 'c', 'd'], references)).toEqual(['c', 'd', 'b', 'a'])
  })

  it('refuses circles', () => {
    const circle = [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'a' },
    ]
    expect(() => loadOrder(['a', 'b'], circle)).toThrow('circle')
  })
})
