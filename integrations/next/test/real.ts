/** A site of the day's `create-next-app`, as it comes (with `cacheComponents`), and the same without. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tellProject } from '../../real/project.ts'
import { write, writeShown } from '../../real/shown.ts'
import { type Stage, until } from '../../real/stage.ts'
import { visit } from '../../real/story.ts'
import manifest from '../package.json' with { type: 'json' }

/** What the dashboard shows, by the file of `dashboard/src/receivers/code`. */
const SHOWN: Record<string, string> = {
  'lib/blog.ts': 'nextjs-blog.ts',
  'app/blog/[[...path]]/page.ts': 'nextjs-page.ts',
  'app/api/postrider/route.ts': 'nextjs-route.ts',
  'proxy.ts': 'nextjs-proxy.ts',
}

const OF_THE_README: Record<string, string> = {
  'app/feed.xml/route.ts': `import { blog } from '@/lib/blog'
export const GET = blog.feed
`,
  'app/sitemap.ts': `import { blog } from '@/lib/blog'
export default blog.sitemap
`,
}

const SCAFFOLD =
  '--ts --app --no-tailwind --no-eslint --no-src-dir --use-npm --empty --skip-install --disable-git --yes'

/** Makes the site as its owner would, in the stage's directory; resolves with the version of Next.js. */
export async function makeSite({ directory, run, service }: Stage): Promise<string> {
  await mkdir(directory, { recursive: true })
  await run('npx', ['--yes', 'create-next-app@latest', '.', ...SCAFFOLD.split(' '), '--import-alias', '@/*'])
  await run('npm', ['install', '--no-audit', '--no-fund', `${service}/packages/postrider-next-${manifest.version}.tgz`])
  await writeShown(directory, SHOWN)
  for (const [path, text] of Object.entries(OF_THE_README)) await write(directory, path, text)
  const { version } = JSON.parse(await readFile(join(directory, 'node_modules/next/package.json'), 'utf8'))
  return version
}

/** Makes the site one without `cacheComponents`. */
async function turnOffCacheComponents({ directory }: Stage): Promise<void> {
  await writeFile(join(directory, 'next.config.ts'), 'export default {}\n')
}

/** See `run.ts`. */
export async function tell(stage: Stage): Promise<Record<string, string>> {
  const version = await makeSite(stage)
  stage.seen(
    'a fresh site with the package from the service’s own address, and four files of ten lines besides feed and sitemap',
  )
  await tellOf(stage, 'with cacheComponents, as create-next-app has it')
  await turnOffCacheComponents(stage)
  await tellOf(stage, 'without cacheComponents')
  return { 'Next.js': version }
}

function tellOf(stage: Stage, mode: string): Promise<void> {
  return tellProject(stage, {
    made: ['.next'],
    build: (env) => stage.run('npx', ['next', 'build'], { env }),
    serve: ['npx', 'next', 'start'],
    env: (url) => ({ SITE_URL: url }),
    built: `**${mode}**: builds and type-checks unedited`,
    lookAround: (url) => lookAround(stage, url),
  })
}

/** What is there besides the pages of posts. */
async function lookAround({ client, seen }: Stage, url: string): Promise<void> {
  const expect = async (path: string, status: number, text: string) => {
    await until(`${path} answers ${status} with ${text}`, async () => {
      const answer = await visit(url + path)
      return answer.status === status && answer.body.includes(text)
    })
  }
  await client.posts.create({
    title: 'Tagged',
    slug: 'tagged',
    tags: ['Fun & games'],
    body: { markdown: 'Text' },
    status: 'published',
  })
  await expect('/blog/tag/Fun%20%26%20games', 200, '/blog/tagged')
  await expect('/blog/page/2', 200, 'Newer posts')
  await expect('/blog/tagged', 200, 'name="postrider-post"')
  await expect('/blog/tagged', 200, 'name="postrider-version" content="1"')
  await expect('/blog/tagged', 200, 'application/ld+json')
  await expect('/feed.xml', 200, '<rss version="2.0">')
  await expect('/sitemap.xml', 200, '/blog/post-1<')
  await expect('/blog/no-such-post', 404, '')
  await expect('/blog/page/999', 404, '')
  seen('tags, pages, metadata, feed, sitemap, and 404 for what is not there')
  const { status } = await fetch(`${url}/api/postrider`, { method: 'POST', body: '{}' })
  if (status !== 401) throw new Error(`a request without a signature was answered ${status}`)
  seen('a request without a signature is answered 401')
}
