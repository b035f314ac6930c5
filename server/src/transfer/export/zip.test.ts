import { buffer } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { fromBufferPromise } from 'yauzl'
import { type ZipEntry, zipped } from './zip.ts'

const changedAt = new Date('2026-11-02T08:00:02.000Z')

it('writes files and streams of any length, with their names and times', async () => {
  async function* pieces() {
    for (let index = 0; index < 1_000; index += 1) yield `ü${index}`.repeat(100)
  }
  async function* files(): AsyncGenerator<ZipEntry> {
    yield { name: 'posts/ü.md', changedAt, content: 'Bread\n'.repeat(100_000) }
    yield { name: 'empty', changedAt: new Date(0), content: '' }
    yield { name: 'long.json', changedAt, content: pieces() }
  }
  const zip = await fromBufferPromise(await buffer(zipped(files())))
  const found: Array<[string, number, string]> = []
  for await (const entry of zip.eachEntry()) {
    const text = (await buffer(await zip.openReadStreamPromise(entry))).toString()
    found.push([
      entry.fileName,
      text.length,
      entry.getLastModDate({ forceDosFormat: true, timezone: 'UTC' }).toISOString(),
    ])
  }
  let length = 0
  for await (const piece of pieces()) length += piece.length
  expect(found).toEqual([
    ['posts/ü.md', 600_000, changedAt.toISOString()],
    ['empty', 0, '1980-01-01T00:00:00.000Z'],
    ['long.json', length, changedAt.toISOString()],
  ])
})

it('fails where a file cannot be made', async () => {
  async function* broken(): AsyncGenerator<string> {
    yield 'a'
    throw new Error('the database is gone')
  }
  async function* files(): AsyncGenerator<ZipEntry> {
    yield { name: 'a', changedAt, content: broken() }
  }
  await expect(buffer(zipped(files()))).rejects.toThrow('the database is gone')
})
