/** `npm run package` makes `postrider-VERSION.tgz`: the service, its dashboard and a sample site, ready to run. */
import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildIfNeeded } from '../dashboard/build/build.ts'
import { noticesOf } from '../dashboard/build/notices.ts'
import server from '../server/package.json' with { type: 'json' }
import { bundleServer } from './bundle.ts'

const ROOT = join(import.meta.dirname, '..')
const STAGE = join(ROOT, 'dist/package')

/** Documents that somebody needs who has no checkout. */
const DOCUMENTS = [
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
  'docs/installing.md',
  'docs/operating.md',
  'docs/receivers.md',
]

const run = promisify(execFile)
const startedAt = performance.now()
const took = () => `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`

console.log('Building the dashboard, if it has changed …')
await buildIfNeeded()
console.log(`Bundling the server … (${took()})`)
await rm(STAGE, { recursive: true, force: true })
await mkdir(STAGE, { recursive: true })
const { files, needed } = await bundleServer(join(STAGE, 'server/dist'))
await writeFile(join(STAGE, 'THIRD-PARTY.txt'), await noticesOf(files))
await cp(join(ROOT, 'dashboard/dist'), join(STAGE, 'dashboard/dist'), { recursive: true })
await cp(join(import.meta.dirname, 'bin'), join(STAGE, 'bin'), { recursive: true })
for (const name of DOCUMENTS) await cp(join(ROOT, name), join(STAGE, name))
for (const name of ['postrider.js', 'postrider-sample-site.js']) await chmod(join(STAGE, 'bin', name), 0o755)
await writeFile(join(STAGE, 'package.json'), `${JSON.stringify(await manifest(needed), null, 2)}\n`)
console.log(`Packing … (${took()})`)
const { stdout } = await run('npm', ['pack', STAGE, '--pack-destination', ROOT, '--loglevel=error'])
const tarball = stdout.trim()
const { size } = await stat(join(ROOT, tarball))
console.log(
  `${tarball} is there (${(size / 1e6).toFixed(1)} MB, ${took()}). In an empty directory: npx ${join(ROOT, tarball)}`,
)

/** The manifest of the package. The launcher reads `node`: which one the service needs, and with which options. */
async function manifest(needed: readonly string[]): Promise<object> {
  const own = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    version: string
    description: string
    license: string
    dependencies: { node: string }
    scripts: { start: string }
  }
  const dependencies: Record<string, string> = server.dependencies
  const { version } = own
  return {
    name: 'postrider',
    version,
    description: own.description,
    license: own.license,
    type: 'module',
    bin: { postrider: 'bin/postrider.js', 'postrider-sample-site': 'bin/postrider-sample-site.js' },
    engines: { node: '>=20' },
    node: {
      oldest: Number(own.dependencies.node.split('.')[0]),
      version: own.dependencies.node,
      options: own.scripts.start.split(' ').filter((word) => word.startsWith('--')),
    },
    dependencies: Object.fromEntries(needed.map((name) => [name, dependencies[name]])),
  }
}
