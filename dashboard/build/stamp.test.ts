import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { isFresh, writeStamp } from './stamp.ts'

let repository: string
let dist: string
const put = (path: string, text: string) => writeFile(join(repository, path), text)

beforeEach(async () => {
  repository = await mkdtemp(join(tmpdir(), 'postrider-stamp-'))
  dist = join(repository, 'dashboard/dist')
  for (const folder of ['dashboard/src', 'dashboard/dist', 'dashboard/test', 'sdk', 'node_modules/react'])
    await mkdir(join(repository, folder), { recursive: true })
  await put('package-lock.json', '{}')
  await put('dashboard/src/main.ts', 'main')
  await put('sdk/client.ts', 'client')
  await put('sdk/unused.ts', 'unused')
  await put('node_modules/react/index.js', 'react')
  const loaded = ['dashboard/src/main.ts', 'sdk/client.ts?query', 'node_modules/react/index.js']
  await writeStamp(dist, ['\0virtual', ...loaded.map((path) => join(repository, path))], repository)
})
afterEach(() => rm(repository, { recursive: true }))

it('finds a build fresh while nothing that it was made of changes', async () => {
  expect(await isFresh(dist, repository)).toBe(true)
  await put('sdk/unused.ts', 'changed')
  await put('dashboard/test/some.test.ts', 'new')
  await put('dashboard/dist/assets.js', 'new')
  expect(await isFresh(dist, repository)).toBe(true)
})

it.each([
  ['a source changes', () => put('dashboard/src/main.ts', 'Main')],
  ['a source is added', () => put('dashboard/src/more.ts', '')],
  ['a source is gone', () => rm(join(repository, 'dashboard/src/main.ts'))],
  ['what was loaded from another workspace changes', () => put('sdk/client.ts', 'Client')],
  ['the packages change', () => put('package-lock.json', '{"a":1}')],
  ['there is no stamp', () => rm(join(dist, '.stamp'))],
  ['the stamp cannot be read', () => put('dashboard/dist/.stamp', '{"inputs"')],
])('finds it stale when %s', async (_what, change) => {
  await change()
  expect(await isFresh(dist, repository)).toBe(false)
})
