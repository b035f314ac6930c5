import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { noticesOf } from './notices.ts'

let root: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'postrider-notices-'))
})
afterEach(() => rm(root, { recursive: true }))

async function install(path: string, manifest: object, license?: string): Promise<string> {
  const directory = join(root, 'node_modules', path)
  await mkdir(join(directory, 'dist'), { recursive: true })
  await writeFile(join(directory, 'package.json'), JSON.stringify(manifest))
  if (license !== undefined) await writeFile(join(directory, 'LICENSE.md'), license)
  return join(directory, 'dist/index.js')
}

it('names every package once, with its licence, the innermost where packages have packages of their own', async () => {
  const files = [
    await install('zebra', { name: 'zebra', version: '1.0.0', license: 'ISC' }),
    await install('@scope/ant', { name: '@scope/ant', version: '2.0.0', license: 'MIT' }, 'Copyright (c) Ant\n'),
    await install('zebra/node_modules/bee', { name: 'bee', version: '3.0.0', license: '0BSD' }),
    await install('cat/node_modules/bee', { name: 'bee', version: '3.0.0', license: '0BSD' }),
    join(root, 'src/ours.ts'),
  ]
  const notices = await noticesOf([...files, ...files])
  expect(notices.match(/^\S+ \d\.\d\.\d \(.*\)$/gm)).toEqual([
    '@scope/ant 2.0.0 (MIT)',
    'bee 3.0.0 (0BSD)',
    'zebra 1.0.0 (ISC)',
  ])
  expect(notices).toContain('(MIT)\n\nCopyright (c) Ant\n')
})

it('stops a build with a package whose licence nobody knows', async () => {
  const file = await install('secret', { name: 'secret', version: '1.0.0' })
  await expect(noticesOf([file])).rejects.toThrow(/node_modules\/secret does not say under which licence/)
})
