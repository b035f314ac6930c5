/**
 * `npm run integrations -- NAME`: an integration with the real thing, a site made by the framework's own tool, built for production and started.
 * What was seen goes to results/NAME.md.
 */

import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { buildIfNeeded } from '../dashboard/build/build.ts'
import { openStage, type Stage } from './real/stage.ts'

/** Tells the stories of an integration; resolves with the versions of what it was tried with. */
type Tell = (stage: Stage) => Promise<Record<string, string>>

const INTEGRATIONS: Record<string, () => Promise<{ tell: Tell }>> = {
  astro: () => import('./real/astro.ts'),
  gatsby: () => import('./real/gatsby.ts'),
  install: () => import('./real/install.ts'),
  many: () => import('./real/many.ts'),
  mcp: () => import('./real/mcp.ts'),
  next: () => import('./next/test/real.ts'),
  runtimes: () => import('./real/runtimes.ts'),
  sveltekit: () => import('./real/sveltekit.ts'),
  wordpress: () => import('./wordpress/test/real.ts'),
}

const [name = ''] = process.argv.slice(2)
const load = INTEGRATIONS[name]
if (load === undefined) {
  console.error(`Usage: npm run integrations -- NAME; NAME is one of ${Object.keys(INTEGRATIONS).join(', ')}`)
  process.exit(64)
}
const { tell } = await load()
await buildIfNeeded(() => console.log('Building the packages …'))
const stage = await openStage()
try {
  await report(await tell(stage), stage.notes)
} finally {
  await stage.close()
}

async function report(versions: Record<string, string>, notes: Stage['notes']): Promise<void> {
  const list = Object.entries({ ...versions, Node: process.version }).map(([what, version]) => `${what} ${version}`)
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB`
  const rows = notes.map(({ what, figure }) => `| ${what} | ${figure} |`)
  const page = [
    `# ${name}`,
    `\`npm run integrations -- ${name}\`, ${new Date().toISOString().slice(0, 10)}. ${list.join(', ')}. ${machine}.`,
    ['| seen | figure |', '| --- | --- |', ...rows].join('\n'),
  ]
  const folder = join(import.meta.dirname, 'results')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `${name}.md`), `${page.join('\n\n')}\n`)
}
