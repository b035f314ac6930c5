/** The story of a site that its host builds anew when posts change: told to a host of this test, which has a deploy hook and serves the last build. */
import { cp, readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { type Stage, until } from './stage.ts'
import { nameOriginal, publishMany, seconds, visit } from './story.ts'

/** The project of a framework that makes files. */
export type StaticProject = {
  /** The folder that a build makes, and what else it leaves, which a host without a cache does not have the next time. */
  out: string
  caches: readonly string[]
  build(env: Record<string, string>): Promise<unknown>
  /** Called after the first build. */
  check?(env: Record<string, string>): Promise<unknown>
  /** What is seen then. */
  built: string
}

const AT_ONCE = 100
const DEBOUNCE_SECONDS = 10
/** A build of Gatsby takes a minute, and a change may come while one is under way. */
const PATIENCE_MS = 900_000

/** Tells a project the story, and leaves the account without sites and posts. */
export async function tellStaticProject(stage: Stage, project: StaticProject): Promise<void> {
  const { client, seen } = stage
  const host = await startHost(stage, project)
  const hook = { kind: 'build_hook', debounce_seconds: DEBOUNCE_SECONDS } as const
  const { site, connection } = await stage.connect(host.url, '/hook', hook)
  const blog = `${host.url}/blog`
  const at = (slug: string) => visit(`${blog}/${slug}`)
  const shows = (slug: string, text: string) =>
    until(`${blog}/${slug} shows “${text}”`, async () => (await at(slug)).body.includes(text), host, PATIENCE_MS)
  const lacks = (slug: string, text: string) =>
    until(`${blog}/${slug} lacks “${text}”`, async () => !(await at(slug)).body.includes(text), host, PATIENCE_MS)
  host.env = { POSTRIDER_CONNECTION: connection }
  await client.sites.update(site.id, { post_url: `${blog}/{slug}`, verify: true })
  /** What the service sees when it looks at the page of a post. */
  const isSeen = async (what: string, id: string) => {
    await client.sites.checkPages(site.id, id)
    await until(what, async () => {
      const [newest] = (await client.deliveries.list({ post_id: id })).data
      return newest?.live.state === 'verified'
    })
  }

  const test = await client.sites.testDelivery(site.id)
  if (!test.success) throw new Error(`the test failed: ${JSON.stringify(test)}`)
  await until('the first build has ended', () => host.builds > 0 && host.isIdle(), host, PATIENCE_MS)
  await project.check?.(host.env)
  seen(project.built)

  const body = { markdown: 'First **words** & <kbd>Ctrl</kbd>.\n\n![A picture](https://example.com/a.png)' }
  const publishedAt = performance.now()
  const post = await client.posts.create({ title: 'Bread & <salt', slug: 'bread', body, status: 'published' })
  await shows('bread', 'Bread &amp; &lt;salt')
  seen('publishing calls the hook, and the page is there once it is built', seconds(performance.now() - publishedAt))
  const page = (await at('bread')).body
  for (const part of ['<strong>words</strong>', '<kbd>Ctrl</kbd>', 'https://example.com/a.png', post.id])
    if (!page.includes(part)) throw new Error(`${part} is not on the page:\n${page}`)
  if (!(await visit(blog)).body.includes('/blog/bread')) throw new Error('the list lacks the post')
  seen('text, marks, picture and the post’s id are on the page, the post is in the list')

  await client.posts.update(post.id, { title: 'Better bread', slug: 'better-bread' })
  await shows('better-bread', 'Better bread')
  if (!sendsOn((await at('bread')).body, 'better-bread'))
    throw new Error('the former address does not lead to the present one')
  seen('a change is on the page, and the former address leads to the present one')
  await isSeen('the page shows the present version', post.id)
  if (!(await at('better-bread')).body.includes('postrider-version')) throw new Error('the page has no version')
  seen('the service sees that the page shows this version')

  const original = await nameOriginal(client, post.id)
  await shows('better-bread', 'rel="canonical" href="https://original.example.com/better-bread"')
  await client.sites.delete(original.id)
  await lacks('better-bread', 'original.example.com')
  seen('a copy names the address of its original, and no longer once there is none')

  await client.posts.update(post.id, { status: 'draft' })
  await until('the page is gone', async () => (await at('better-bread')).status === 404, host, PATIENCE_MS)
  if ((await visit(blog)).body.includes('better-bread')) throw new Error('the list still has the post')
  await isSeen('the page of the unpublished post is gone', post.id)
  seen('an unpublished post is gone after the next build, and the service sees that')
  await client.posts.update(post.id, { status: 'published' })
  await shows('better-bread', 'Better bread')

  await stage.stopService()
  const failure = await host.build()
  if (!/could not be read from http.*stays as it is\./s.test(failure ?? ''))
    throw new Error(`a build without the service did not fail as it should:\n${failure}`)
  await shows('better-bread', 'Better bread')
  seen('a build without the service fails and says why; what is online stays')
  await stage.startService()

  const [bulkAt, before] = [performance.now(), host.builds]
  await publishMany(client, AT_ONCE)
  const slugs = Array.from({ length: AT_ONCE }, (_, index) => `post-${index + 1}`)
  for (const slug of slugs) await shows(slug, `Text of ${slug}.`)
  seen(
    `${AT_ONCE} posts at once are all on their pages`,
    `${seconds(performance.now() - bulkAt)}, ${host.builds - before} builds`,
  )

  for (const made of [project.out, ...project.caches])
    await rm(join(stage.directory, made), { recursive: true, force: true })
  const emptyAt = performance.now()
  const problem = await host.build()
  if (problem !== undefined) throw new Error(problem)
  for (const slug of slugs) await shows(slug, `Text of ${slug}.`)
  seen('all of them are there after a build on an empty disk', seconds(performance.now() - emptyAt))

  await until('nothing is built any more', host.isIdle, host, PATIENCE_MS)
  await client.sites.delete(site.id)
  for await (const { id } of client.posts.all()) await client.posts.delete(id)
  await host.end()
}

function sendsOn(page: string, present: string): boolean {
  return /http-equiv="?refresh/i.test(page) && page.includes(`/blog/${present}`)
}

/** A host: `POST /hook` starts a build, or another one after the present one; what was built well is online from then on. */
async function startHost({ directory }: Stage, project: StaticProject) {
  const online = join(directory, '../online')
  let line: Promise<unknown> = Promise.resolve()
  let [waiting, said] = [0, '']

  async function buildNow(): Promise<string | undefined> {
    host.builds += 1
    try {
      await project.build(host.env)
    } catch (error) {
      said = error instanceof Error ? error.message : String(error)
      return said
    }
    await rm(online, { recursive: true, force: true })
    await cp(join(directory, project.out), online, { recursive: true })
    return undefined
  }
  function build(): Promise<string | undefined> {
    waiting += 1
    const built = line.then(buildNow).finally(() => (waiting -= 1))
    line = built
    return built
  }
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') {
      // One that has not begun will see this change too.
      if (waiting < 2) void build()
      response.writeHead(201).end()
      return
    }
    const file = await fileOf(online, new URL(request.url ?? '/', 'http://host').pathname)
    if (file === undefined) response.writeHead(404).end('Not here.')
    else response.writeHead(200, { 'content-type': 'text/html' }).end(await readFile(file))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens on TCP
    env: {} as Record<string, string>,
    builds: 0,
    /** Resolves with what a failed build says. */
    build,
    isIdle: () => waiting === 0,
    output: () => said,
    end: async () => void server.close(),
  }
  return host
}

/** The file that hosts of static sites serve for a path. */
async function fileOf(folder: string, path: string): Promise<string | undefined> {
  const plain = join(folder, decodeURIComponent(path))
  const candidates = extname(path) === '' ? [`${plain}.html`, join(plain, 'index.html')] : [plain]
  for (const file of candidates) if ((await stat(file).catch(() => undefined))?.isFile()) return file
  return undefined
}
