/**
 * Makes the package that is published, in a directory of its own. This repository uses the SDK from its sources, so the
 * `package.json` here is private and names the sources; the published one, written by `manifest`, names the built files.
 */
import { execFile } from 'node:child_process'
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

const ENTRIES = { '.': 'index', './files': 'files', './receiver': 'receiver/index', './webhooks': 'webhooks' }

/** Writes the package into `directory`, which is emptied first. */
export async function buildPackage(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true })
  const compiler = fileURLToPath(import.meta.resolve('typescript/bin/tsc'))
  await promisify(execFile)(process.execPath, [
    compiler,
    '-p',
    join(ROOT, 'tsconfig.build.json'),
    '--outDir',
    directory,
  ])
  // Only types: no built file imports it at run time.
  for (const name of ['api.js', 'api.js.map']) await rm(join(directory, 'generated', name))
  for (const name of ['README.md', 'LICENSE']) await copyFile(join(ROOT, name), join(directory, name))
  const own = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Record<string, unknown>
  await writeFile(join(directory, 'package.json'), `${JSON.stringify(manifest(own), null, 2)}\n`)
}

function manifest({ name, version, description, license, keywords }: Record<string, unknown>): object {
  const exports = Object.entries(ENTRIES).map(([entry, file]) => [
    entry,
    { types: `./${file}.d.ts`, default: `./${file}.js` },
  ])
  return {
    name,
    version,
    description,
    license,
    keywords,
    type: 'module',
    main: './index.js',
    types: './index.d.ts',
    exports: { ...Object.fromEntries(exports), './package.json': './package.json' },
    files: ['**/*.js', '**/*.js.map', '**/*.d.ts'],
    sideEffects: false,
    engines: { node: '>=20' },
  }
}
