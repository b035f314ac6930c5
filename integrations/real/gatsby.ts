/**
 * A site of the day's Gatsby, made by hand, because Gatsby's own tool fetches its starters from elsewhere. Gatsby 5 asks for a sharp that fetches
 * libvips from elsewhere too; the one of today brings it along.
 */
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import gatsby from '../gatsby/package.json' with { type: 'json' }
import { write, writeShown } from './shown.ts'
import type { Stage } from './stage.ts'
import { tellStaticProject } from './static-story.ts'

const SHOWN = {
  'gatsby-config.js': 'gatsby-config.js',
  'src/pages/blog/index.js': 'gatsby-blog.js',
  'src/pages/blog/{PostriderPost.slug}.js': 'gatsby-post.js',
}

/** See `run.ts`. */
export async function tell(stage: Stage): Promise<Record<string, string>> {
  const { directory, run } = stage
  await mkdir(directory, { recursive: true })
  await write(directory, 'package.json', '{ "name": "site", "private": true, "overrides": { "sharp": "^0.34.0" } }\n')
  await write(directory, 'src/pages/index.js', 'export default function Home() {\n  return null\n}\n')
  const own = `${stage.service}/packages/${gatsby.name}-${gatsby.version}.tgz`
  await run('npm', ['install', '--no-audit', '--no-fund', 'gatsby@5', 'react@18', 'react-dom@18', own])
  await writeShown(directory, SHOWN)
  await tellStaticProject(stage, {
    out: 'public',
    caches: ['.cache'],
    build: (env) => run('npx', ['gatsby', 'build'], { env }),
    built: 'a site with the plugin, one line of gatsby-config and two pages builds unedited',
  })
  const { version } = JSON.parse(await readFile(join(directory, 'node_modules/gatsby/package.json'), 'utf8'))
  return { Gatsby: version }
}
