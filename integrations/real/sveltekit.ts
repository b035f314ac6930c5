/** A site of the day's `sv create`, with adapter-node, as it comes (SvelteKit 2), and with SvelteKit 3. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sdk from '../../sdk/package.json' with { type: 'json' }
import { tellProject } from './project.ts'
import { write, writeShown } from './shown.ts'
import type { Stage } from './stage.ts'
import { tellStaticProject } from './static-story.ts'

const SHOWN = {
  'src/lib/server/blog.ts': 'blog.ts',
  'src/routes/api/postrider/+server.ts': 'sveltekit-server.ts',
  'src/routes/blog/+page.server.ts': 'sveltekit-blog-load.ts',
  'src/routes/blog/+page.svelte': 'sveltekit-blog.svelte',
  'src/routes/blog/[slug]/+page.server.ts': 'sveltekit-post-load.ts',
  'src/routes/blog/[slug]/+page.svelte': 'sveltekit-post.svelte',
}

/** With adapter-static, which prerenders the pages. */
const SHOWN_STATIC = {
  'src/lib/server/posts.ts': 'sveltekit-static-posts.ts',
  'src/routes/blog/+page.server.ts': 'sveltekit-static-blog-load.ts',
  'src/routes/blog/+page.svelte': 'sveltekit-blog.svelte',
  'src/routes/blog/[slug]/+page.server.ts': 'sveltekit-static-post-load.ts',
  'src/routes/blog/[slug]/+page.svelte': 'sveltekit-post.svelte',
}

/** The adapter for each version of SvelteKit. */
const ADAPTERS: Record<string, string> = { '2': '@sveltejs/adapter-node@5', '3': '@sveltejs/adapter-node@6' }

/** See `run.ts`. */
export async function tell(stage: Stage): Promise<Record<string, string>> {
  const { directory, run } = stage
  const versions: Record<string, string> = {}
  for (const [major, adapter] of Object.entries(ADAPTERS)) {
    await rm(directory, { recursive: true, force: true })
    await mkdir(directory, { recursive: true })
    const made = '--template minimal --types ts --no-add-ons --no-install --no-dir-check'.split(' ')
    await run('npx', ['--yes', 'sv@latest', 'create', '.', ...made])
    const config = join(directory, 'vite.config.ts')
    await writeFile(config, (await readFile(config, 'utf8')).replace('adapter-auto', 'adapter-node'))
    await run('npm', ['pkg', 'delete', 'devDependencies.@sveltejs/adapter-auto'])
    const wanted = [`@sveltejs/kit@${major}`, adapter]
    await run('npm', ['install', '--no-audit', '--no-fund', '--save-dev', ...wanted])
    await run('npm', [
      'install',
      '--no-audit',
      '--no-fund',
      `${stage.service}/packages/postrider-sdk-${sdk.version}.tgz`,
    ])
    if (major === '3') await makeOf3(directory)
    await writeShown(directory, SHOWN)
    const { version } = JSON.parse(await readFile(join(directory, 'node_modules/@sveltejs/kit/package.json'), 'utf8'))
    versions[`SvelteKit ${major}`] = version
    await tellProject(stage, {
      made: ['build', '.svelte-kit'],
      build: () => run('npx', ['vite', 'build']),
      check: () => run('npm', ['run', 'check']),
      serve: ['node', 'build'],
      develop: (port) => ['npm', 'run', 'dev', '--', '--host', '127.0.0.1', '--port', port],
      env: (url) => ({ ORIGIN: url, BODY_SIZE_LIMIT: '8M' }),
      built: `**SvelteKit ${major}**: a fresh site with the package and four lines builds and type-checks unedited`,
    })
    if (major === '2') await tellStatic(stage)
  }
  return versions
}

/** The same site with adapter-static. */
async function tellStatic(stage: Stage): Promise<void> {
  const { directory, run } = stage
  for (const path of ['src/lib/server', 'src/routes/api', 'src/routes/blog', 'build', '.svelte-kit'])
    await rm(join(directory, path), { recursive: true, force: true })
  await run('npm', ['install', '--no-audit', '--no-fund', '--save-dev', '@sveltejs/adapter-static@3'])
  const config = join(directory, 'vite.config.ts')
  await writeFile(config, (await readFile(config, 'utf8')).replace('adapter-node', 'adapter-static'))
  await write(directory, 'src/routes/+layout.ts', 'export const prerender = true\n')
  await writeShown(directory, SHOWN_STATIC)
  await tellStaticProject(stage, {
    out: 'build',
    caches: ['.svelte-kit'],
    build: (env) => run('npx', ['vite', 'build'], { env }),
    check: () => run('npm', ['run', 'check']),
    built: '**SvelteKit 2, static**: the site with adapter-static and two lines builds and type-checks unedited',
  })
}

/** `sv create` still makes projects of SvelteKit 2: another tsconfig, and a layout with `$lib`, which is gone. */
async function makeOf3(directory: string): Promise<void> {
  await writeFile(join(directory, 'tsconfig.json'), '{ "extends": "$app/tsconfig", "include": ["src", "*"] }\n')
  await rm(join(directory, 'src/routes/+layout.svelte'))
}
