/** A site of the day's Astro with `@astrojs/node`. Astro's own tool fetches its templates from elsewhere, so the project is made by hand. */
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import sdk from '../../sdk/package.json' with { type: 'json' }
import astro from '../astro/package.json' with { type: 'json' }
import { tellProject } from './project.ts'
import { write, writeShown } from './shown.ts'
import type { Stage } from './stage.ts'
import { tellStaticProject } from './static-story.ts'

const SHOWN = {
  'src/lib/blog.ts': 'astro-blog.ts',
  'src/pages/api/postrider.ts': 'astro-endpoint.ts',
  'src/pages/blog/index.astro': 'astro-blog.astro',
  'src/pages/blog/[slug].astro': 'astro-post.astro',
}

const PROJECT = {
  'package.json': '{ "name": "site", "type": "module", "private": true }\n',
  'tsconfig.json': '{ "extends": "astro/tsconfigs/strict", "include": [".astro/types.d.ts", "src"] }\n',
  'astro.config.mjs': `import node from '@astrojs/node'
import { defineConfig } from 'astro/config'
export default defineConfig({ adapter: node({ mode: 'standalone' }) })
`,
  'src/pages/index.astro': '<h1>Home</h1>\n',
}

const SHOWN_STATIC = {
  'src/content.config.ts': 'astro-content.ts',
  'src/pages/blog/index.astro': 'astro-static-blog.astro',
  'src/pages/blog/[slug].astro': 'astro-static-post.astro',
}

/** See `run.ts`. */
export async function tell(stage: Stage): Promise<Record<string, string>> {
  const { directory, run } = stage
  await mkdir(directory, { recursive: true })
  for (const [path, text] of Object.entries(PROJECT)) await write(directory, path, text)
  await run('npm', ['install', '--no-audit', '--no-fund', 'astro', '@astrojs/node', '@astrojs/check', 'typescript@5'])
  await run('npm', ['install', '--no-audit', '--no-fund', `${stage.service}/packages/postrider-sdk-${sdk.version}.tgz`])
  await writeShown(directory, SHOWN)
  await tellProject(stage, {
    made: ['dist'],
    build: () => run('npx', ['astro', 'build']),
    check: () => run('npx', ['astro', 'check']),
    serve: ['node', 'dist/server/entry.mjs'],
    develop: (port) => ['npx', 'astro', 'dev', '--host', '127.0.0.1', '--port', port],
    env: () => ({ HOST: '127.0.0.1' }),
    built: '**on request**: a site with the package and nine lines builds and type-checks unedited',
  })
  await tellStatic(stage)
  const { version } = JSON.parse(await readFile(join(directory, 'node_modules/astro/package.json'), 'utf8'))
  return { Astro: version }
}

/** The same without an adapter, made by a build. */
async function tellStatic(stage: Stage): Promise<void> {
  const { directory, run } = stage
  for (const path of ['src', 'dist', '.astro']) await rm(join(directory, path), { recursive: true, force: true })
  await write(directory, 'astro.config.mjs', 'export default {}\n')
  await write(directory, 'src/pages/index.astro', PROJECT['src/pages/index.astro'])
  await run('npm', [
    'install',
    '--no-audit',
    '--no-fund',
    `${stage.service}/packages/postrider-astro-${astro.version}.tgz`,
  ])
  await writeShown(directory, SHOWN_STATIC)
  await tellStaticProject(stage, {
    out: 'dist',
    caches: ['.astro', 'node_modules/.astro'],
    build: (env) => run('npx', ['astro', 'build'], { env }),
    check: (env) => run('npx', ['astro', 'check'], { env }),
    built: '**static**: a site with the package and three lines builds and type-checks unedited',
  })
}
