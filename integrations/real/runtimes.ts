/**
 * The SDK's receiver where it runs without a framework: a Cloudflare Worker (`wrangler dev`, which is workerd with Cloudflare's own emulator of D1),
 * Deno and Bun, each with the lines that the dashboard shows.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createPullClient, type SiteWithSecrets, type WebhookPost } from '@postrider/sdk'
import { Webhook } from 'standardwebhooks'
import sdk from '../../sdk/package.json' with { type: 'json' }
import { write, writeShown } from './shown.ts'
import { freePort, ROOT, type Running, type Stage, until } from './stage.ts'

/** A program that receives: its files, by those of `dashboard/src/receivers/code`, and how it is started. */
type Runtime = {
  name: string
  /** The package of npm that brings it. */
  tool: string
  shown: Record<string, string>
  /** More files, with what the developer's machine needs. */
  more?: (connection: string) => Record<string, string>
  command: (port: number) => string[]
  /** The path that makes it fetch what it has missed, where it does not when it starts. */
  missed?: string
  /** What it says that it keeps posts in. */
  store: string
  /** The version of what runs it. */
  version: (run: Stage['run'], cwd: string) => Promise<string>
}

/** The Worker that keeps posts in D1, and fetches what it has missed when its cron trigger says so. */
const WORKER_WITH_D1 = `import { env } from 'cloudflare:workers'
import { createBlog, d1Store } from '@postrider/sdk/receiver'

const blog = createBlog({ connection: env.POSTRIDER_CONNECTION, store: d1Store(env.DB) })

export default {
  fetch: blog.handle,
  /** The cron trigger: fetches what was missed. */
  scheduled: () => blog.catchUp(),
}
`

const OTHER_SECRET = `whsec_${btoa('a secret of somebody else')}`
const PATH = '/webhooks/postrider'
/** As many as stand on the first part of a list, with one more. */
const AT_ONCE = 19

const said = (command: string, pattern: RegExp) => async (run: Stage['run'], cwd: string) =>
  pattern.exec(await run('npx', [command, '--version'], { cwd }))?.[0] ?? 'unknown'

const WORKER = {
  tool: 'wrangler',
  command: (port: number) => [...'npx wrangler dev --ip 127.0.0.1 --port'.split(' '), String(port)],
  version: said('workerd', /[\d-]+\d/),
}

const workerFiles = (connection: string, settings: object = {}) => ({
  '.dev.vars': `POSTRIDER_CONNECTION=${connection}\n`,
  'wrangler.json': JSON.stringify({
    name: 'site',
    main: 'src/index.ts',
    compatibility_date: '2026-04-01',
    ...settings,
  }),
})

const RUNTIMES: Runtime[] = [
  {
    name: 'Deno',
    tool: 'deno',
    shown: { 'server.ts': 'deno.ts' },
    command: () => ['npx', 'deno', 'run', '--allow-all', 'server.ts'],
    store: 'SQLite',
    version: said('deno', /[\d.]+/),
  },
  {
    name: 'Bun',
    tool: 'bun',
    shown: { 'server.ts': 'bun.ts' },
    command: () => ['npx', 'bun', 'server.ts'],
    store: 'SQLite',
    version: said('bun', /[\d.]+/),
  },
  {
    name: 'workerd, with D1',
    ...WORKER,
    shown: {},
    more: (connection) => ({
      ...workerFiles(connection, { d1_databases: [{ binding: 'DB', database_name: 'posts', database_id: 'local' }] }),
      'src/index.ts': WORKER_WITH_D1,
    }),
    missed: '/cdn-cgi/handler/scheduled',
    store: 'Cloudflare D1',
  },
  {
    name: 'workerd, with nothing kept',
    ...WORKER,
    shown: { 'src/index.ts': 'worker.ts' },
    more: (connection) => workerFiles(connection),
    store: 'pull',
  },
]

/** See `run.ts`. */
export async function tell(stage: Stage): Promise<Record<string, string>> {
  const versions: Record<string, string> = {}
  for (const runtime of RUNTIMES) {
    const cwd = join(stage.directory, runtime.name)
    await mkdir(cwd, { recursive: true })
    await write(cwd, 'package.json', '{ "name": "site", "type": "module", "private": true }\n')
    const own = `${stage.service}/packages/postrider-sdk-${sdk.version}.tgz`
    await stage.run('npm', ['install', '--no-audit', '--no-fund', runtime.tool, own], { cwd })
    await writeShown(cwd, runtime.shown)
    versions[runtime.name.split(',')[0] ?? ''] = await runtime.version(stage.run, cwd)
    await tellRuntime(stage, runtime, cwd)
  }
  return versions
}

async function tellRuntime(stage: Stage, runtime: Runtime, cwd: string): Promise<void> {
  const { client, seen } = stage
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const { site, connection } = await stage.connect(url, PATH)
  const env = { POSTRIDER_CONNECTION: connection, PORT: String(port) }
  for (const [path, text] of Object.entries(runtime.more?.(connection) ?? {})) await write(cwd, path, text)
  const [command = '', ...args] = runtime.command(port)
  let server: Running | undefined
  const start = async () => {
    server = stage.start(command, args, { cwd, env })
    await until(`${runtime.name} answers`, async () => (await fetch(list)).ok, server)
  }
  const list = `${url}/blog`
  const listed = async () =>
    [...(await (await fetch(list)).text()).matchAll(/<h2><a [^>]*>([^<]*)</g)].map(([, title = '']) => title)
  const lists = (what: string, is: (titles: string[]) => boolean) => until(what, async () => is(await listed()), server)

  await start()
  const test = await client.sites.testDelivery(site.id)
  if (!test.success || test.store !== runtime.store) throw new Error(`the test failed: ${JSON.stringify(test)}`)
  seen(`**${runtime.name}**: the test arrives, and is told where posts are`, runtime.store)

  const post = await client.posts.create({ title: 'Bread', body: { markdown: 'Text' }, status: 'published' })
  await lists('the post is there', ([title]) => title === 'Bread')
  await client.posts.update(post.id, { title: 'Better bread' })
  await lists('the change is there', ([title]) => title === 'Better bread')
  const page = await (await fetch(`${list}/bread`)).text()
  if (!page.includes(`content="${post.id}"`) || !page.includes('<p>Text</p>')) throw new Error(`its page is ${page}`)
  seen('a post and a change of it are there')

  const kept = await createPullClient({ baseUrl: stage.service, apiKey: site.api_key }).get('bread')
  await tellOutOfTurn(url + PATH, site, kept)
  await lists('they have changed nothing', (titles) => titles.join() === 'Better bread')
  seen('an older version, the same one again and one with another secret change nothing; the last is answered 401')
  await stage.run(
    process.execPath,
    ['scripts/run.js', 'server/src/main.ts', 'verify', url + PATH, '--secret', site.webhook_secret],
    { cwd: ROOT },
  )
  seen('`postrider verify` finds nothing wrong')

  const titles = Array.from({ length: AT_ONCE }, (_, index) => `Post ${index + 1}`)
  const [first] = await Promise.all(
    titles.map((title) => client.posts.create({ title, body: { markdown: title }, status: 'published' })),
  )
  await lists('all are there', (there) => titles.every((title) => there.includes(title)))
  seen(`${AT_ONCE} posts at once are there`)

  await server?.end()
  await client.posts.update(post.id, { title: 'Bread of today' })
  await client.posts.update(first?.id ?? '', { status: 'draft' })
  await start()
  if (runtime.missed !== undefined) {
    const answer = await (await fetch(url + runtime.missed)).text()
    if (answer !== 'ok') throw new Error(`${runtime.missed} was answered ${answer}`)
  }
  await lists('what was missed is there', (there) => !there.includes('Post 1') && there.includes('Bread of today'))
  seen('after a restart posts are there, with what was changed and removed meanwhile')

  await client.posts.delete(post.id)
  await lists('the post is gone', (there) => there.length === AT_ONCE - 1 && !there.includes('Bread of today'))
  seen('a deleted post is gone')

  if (runtime.store === 'pull') {
    await client.sites.update(site.id, { webhook_url: `http://127.0.0.1:${await freePort()}/` })
    await client.posts.create({ title: 'Unannounced', body: { markdown: 'Text' }, status: 'published' })
    await lists('a post that no webhook told of is there', ([title]) => title === 'Unannounced')
    seen('a post that no webhook told of is there within a minute or so')
  }

  await server?.end()
  await client.sites.delete(site.id)
  for await (const { id } of client.posts.all()) await client.posts.delete(id)
}

/** Events as Postrider never sends them: an older version after a newer one, the same one twice, and one with another secret. */
async function tellOutOfTurn(url: string, site: SiteWithSecrets, post: WebhookPost): Promise<void> {
  const event = (version: number, title: string) => ({
    event: 'post.published',
    post: { ...post, version, title },
    site: { id: site.id, name: site.name },
    delivered_at: new Date().toISOString(),
  })
  const older = event(post.version - 1, 'Stale bread')
  for (const sent of [older, older, event(post.version, post.title)]) {
    const status = await sendSigned(url, site.webhook_secret, sent)
    if (status !== 200) throw new Error(`a repeated event was answered ${status}`)
  }
  const forged = await sendSigned(url, OTHER_SECRET, event(99, 'Forged bread'))
  if (forged !== 401) throw new Error(`an event with another secret was answered ${forged}`)
}

async function sendSigned(url: string, secret: string, event: object): Promise<number> {
  const [id, now, body] = [crypto.randomUUID(), new Date(), JSON.stringify(event)]
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, now, body),
  }
  return (await fetch(url, { method: 'POST', headers, body })).status
}
