/** A site of the day's `create-next-app`, as it comes (with `cacheComponents`), and the same without. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { write, writeShown } from '../../real/shown.ts'
import { freePort, type Running, type Stage, until } from '../../real/stage.ts'
import { tellStory, visit } from '../../real/story.ts'
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

/** See `run.ts`. */
export async function tell(stage: Stage): Promise<Record<string, string>> {
  const { directory, run, seen } = stage
  await mkdir(directory, { recursive: true })
  await run('npx', ['--yes', 'create-next-app@latest', '.', ...SCAFFOLD.split(' '), '--import-alias', '@/*'])
  await run('npm', [
    'install',
    '--no-audit',
    '--no-fund',
    `${stage.service}/packages/postrider-next-${manifest.version}.tgz`,
  ])
  await writeShown(directory, SHOWN)
  for (const [path, text] of Object.entries(OF_THE_README)) await write(directory, path, text)
  seen(
    'a fresh site with the package from the service’s own address, and four files of ten lines besides feed and sitemap',
  )
  await tellOf(stage, 'with cacheComponents, as create-next-app has it')
  await writeFile(join(directory, 'next.config.ts'), 'export default {}\n')
  await tellOf(stage, 'without cacheComponents')
  const { version } = JSON.parse(await readFile(join(directory, 'node_modules/next/package.json'), 'utf8'))
  return { 'Next.js': version }
}

async function tellOf(stage: Stage, mode: string): Promise<void> {
  const { directory, run, seen } = stage
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const { site, connection } = await stage.connect(url, '/api/postrider')
  const env = { POSTRIDER_CONNECTION: connection, SITE_URL: url, PORT: String(port) }
  let server: Running | undefined
  const build = async () => {
    await rm(join(directory, '.next'), { recursive: true, force: true })
    await run('npx', ['next', 'build'], { env })
  }
  const start = async () => {
    server = stage.start('npx', ['next', 'start'], { env })
    await until('the site answers', async () => (await fetch(url)).ok, server)
  }
  await build()
  await start()
  seen(`**${mode}**: builds and type-checks unedited`)
  await tellStory({
    stage,
    site,
    blog: `${url}/blog`,
    async restart() {
      await server?.end()
      await start()
    },
    async redeploy() {
      await server?.end()
      await build()
      await start()
    },
  })
  await lookAround(stage, url)
  await server?.end()
  for (const { id } of (await stage.client.sites.list()).sites) await stage.client.sites.delete(id)
  for await (const { id } of stage.client.posts.all()) await stage.client.posts.delete(id)
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
