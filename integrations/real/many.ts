/**
 * A blog of a thousand long posts, with twenty visitors at once; and 600 posts on an empty disk, twice within an hour, with the default limits of the
 * Pull API. Told to Express with the SDK's receiver, with posts in files and with posts at the service; the visitors also to Next.js.
 */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import sdk from '../../sdk/package.json' with { type: 'json' }
import { makeSite } from '../next/test/real.ts'
import { write } from './shown.ts'
import { freePort, type Running, type Stage, until } from './stage.ts'
import { seconds, visit } from './story.ts'

const FIRST = 600
const ALL = 1_000
const WORDS = 5_000
const VISITORS = 20
const VISITS_EACH = 50
/** After how many rounds of visits, a thousand each, the memory is read: each page once, then warm, then after as much again. */
const ROUNDS = [1, 10, 20]
/** What is asked of it. */
const LONGEST_CATCH_UP_MS = 300_000
const MOST_MORE_MS = 300
const MOST_GROWTH_MB = 64

const SERVER = `import { fileStore } from '@postrider/sdk/files'
import { createReceiver } from '@postrider/sdk/receiver'
import express from 'express'

const blog = createReceiver(process.env.STORE === 'files' ? { store: fileStore() } : {})
const app = express()
app.post('/webhooks/postrider', async (request, response) => {
  const { status, body } = await blog.receive(request, request.headers)
  response.status(status).json(body)
})
app.get('/', (_request, response) => void response.send('<h1>Home</h1>'))
app.get('/count', async (_request, response) => void response.json((await blog.posts.list({ limit: 2_000 })).posts.length))
app.get('/blog', async (_request, response) => {
  const { posts } = await blog.posts.list()
  response.send(posts.map(({ slug, title }) => '<a href="/blog/' + slug + '">' + title + '</a>').join(''))
})
app.get('/blog/:slug', async (request, response) => {
  const post = await blog.posts.find(request.params.slug)
  if (post === undefined) response.status(404).send('There is no such post.')
  else response.send('<h1>' + post.title + '</h1>' + post.body.html)
})
app.listen(process.env.PORT)
blog.keepLevel()
`

/** See `run.ts`. */
export async function tell(stage: Stage): Promise<Record<string, string>> {
  const { client, directory, run, seen } = stage
  await mkdir(directory, { recursive: true })
  await write(directory, 'package.json', '{ "name": "site", "private": true, "type": "module" }\n')
  await write(directory, 'server.js', SERVER)
  const own = `${stage.service}/packages/postrider-sdk-${sdk.version}.tgz`
  await run('npm', ['install', '--no-audit', '--no-fund', 'express', own])
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  await publishLong(stage, 1, FIRST)
  // Connected afterwards: nothing of it is sent by webhook.
  const { site, connection } = await stage.connect(url, '/webhooks/postrider')
  const start = async (store: string) => {
    const server = stage.start('node', ['server.js'], {
      env: { POSTRIDER_CONNECTION: connection, PORT: String(port), STORE: store },
    })
    await until('the site answers', async () => (await fetch(url)).ok, server)
    return server
  }

  for (const which of ['first', 'second']) {
    await rm(join(directory, 'content'), { recursive: true, force: true })
    const startedAt = performance.now()
    const server = await start('files')
    await until(`all ${FIRST} are listed`, async () => (await count(url)) === FIRST, server, LONGEST_CATCH_UP_MS)
    seen(`${FIRST} posts on an empty disk, default limits, ${which} start`, seconds(performance.now() - startedAt))
    await server.end()
  }

  await publishLong(stage, FIRST + 1, ALL)
  const kept = await start('files')
  await until(`all ${ALL} are listed`, async () => (await count(url)) === ALL, kept, LONGEST_CATCH_UP_MS)
  refuse(await measure(stage, 'Express, posts in files', url, kept))
  await kept.end()

  await stage.stopService()
  await stage.startService({ RATE_LIMIT_PULL: 'off' })
  const read = await start('none')
  refuse(
    await measure(stage, 'Express, posts at the service (without its limit, since every page is asked for)', url, read),
  )
  await read.end()
  await client.sites.delete(site.id)
  return { 'Next.js': await tellNext(stage) }
}

/** How a site made with Next.js is configured. Its cache has 50 MB by itself, which a thousand long posts exceed: then pages are rendered again. */
const NEXT_CONFIGS = {
  'as create-next-app has it': 'export default { cacheComponents: true }',
  'with the memory that the README advises':
    'export default { cacheComponents: true, cacheMaxMemorySize: 400_000_000 }',
  'the same, without cacheComponents': 'export default { cacheMaxMemorySize: 400_000_000 }',
}

/** The same visitors at a site of `create-next-app`. */
async function tellNext(stage: Stage): Promise<string> {
  const { directory, run } = stage
  await rm(directory, { recursive: true, force: true })
  const version = await makeSite(stage)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const { site, connection } = await stage.connect(url, '/api/postrider')
  const env = { POSTRIDER_CONNECTION: connection, PORT: String(port), SITE_URL: url }
  for (const [name, config] of Object.entries(NEXT_CONFIGS)) {
    await write(directory, 'next.config.ts', `${config}\n`)
    await rm(join(directory, '.next'), { recursive: true, force: true })
    await run('npx', ['next', 'build'], { env })
    const server = stage.start('npx', ['next', 'start'], { env })
    await until('the site answers', async () => (await fetch(url)).ok, server)
    // What its cache holds is up to Next.js.
    for (const missed of await measure(stage, `Next.js, ${name} (without the limit, too)`, url, server))
      stage.seen(missed)
    await server.end()
  }
  await stage.client.sites.delete(site.id)
  return version
}

async function count(url: string): Promise<number> {
  return Number((await visit(`${url}/count`)).body)
}

async function publishLong({ client, seen }: Stage, from: number, to: number): Promise<void> {
  const words =
    'Flour and water become bread when somebody waits for them to, and salt is what makes it worth the while.'
  const text = Array.from({ length: WORDS / 20 }, () => words).join('\n\n')
  const waiting = Array.from({ length: to - from + 1 }, (_, index) => from + index).values()
  const writer = async () => {
    for (const index of waiting)
      await client.posts.create({
        title: `Post ${index}`,
        slug: `post-${index}`,
        body: { markdown: `Text of post-${index}.\n\n${text}` },
        status: 'published',
      })
  }
  await Promise.all(Array.from({ length: 4 }, writer))
  seen(`posts ${from} to ${to} are published`, `${WORDS} words each`)
}

function refuse(missed: string[]): void {
  if (missed.length > 0) throw new Error(missed.join('; '))
}

/**
 * Twenty visitors at once: the pages of posts and the list beside the framework's own page, and what the process takes. Memory that is taken at first and
 * kept is what caches and the heap are for; memory that is taken for every visit never ends, so what counts is the second stretch.
 * Resolves with what is more than asked.
 */
async function measure({ seen }: Stage, what: string, url: string, server: Running): Promise<string[]> {
  let next = 0
  const pages = () => (next++ % 10 === 0 ? '/blog' : `/blog/post-${1 + ((next * 7_919) % ALL)}`)
  const memory: number[] = []
  let done = 0
  for (const rounds of ROUNDS) {
    for (; done < rounds; done += 1) await visits(url, pages)
    memory.push(await server.memory())
  }
  const [empty, posts] = [await visits(url, () => '/'), await visits(url, pages)]
  seen(
    `**${what}**: ${ALL} posts, ${VISITORS} visitors at once, p95`,
    `${posts} ms, the framework’s own page ${empty} ms`,
  )
  seen(
    `memory after ${ROUNDS.map((rounds) => rounds * VISITORS * VISITS_EACH).join(', ')} visits`,
    `${memory.join(', ')} MB`,
  )
  const [, warm = 0, after = 0] = memory
  return [
    ...(posts - empty > MOST_MORE_MS
      ? [`more than asked: pages may take ${MOST_MORE_MS} ms more than an empty one`]
      : []),
    ...(after - warm > MOST_GROWTH_MB ? [`more than asked: the memory may grow by ${MOST_GROWTH_MB} MB`] : []),
  ]
}

/** The 95th percentile of what visitors wait, in milliseconds. */
async function visits(url: string, page: () => string): Promise<number> {
  const waited: number[] = []
  const visitor = async () => {
    for (let count = 0; count < VISITS_EACH; count += 1) {
      const askedAt = performance.now()
      const { status } = await visit(url + page())
      if (status !== 200) throw new Error(`a visitor got ${status}`)
      waited.push(performance.now() - askedAt)
    }
  }
  await Promise.all(Array.from({ length: VISITORS }, visitor))
  return Math.round(waited.sort((a, b) => a - b)[Math.floor(0.95 * waited.length)] ?? 0)
}
