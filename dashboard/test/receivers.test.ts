/**
 * The receivers that the dashboard hands out, run as their frameworks run them, before what the real service sends: recorded
 * once, then sent to each, in the right order, twice, forged and late.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHmac, randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { PostriderClient, SiteWithSecrets } from '@postrider/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../server/test/support/free-port.ts'
import { type Received, type Receiver as Recorder, startReceiver } from '../../server/test/support/receiver.ts'
import { newAccount, startService, type TestService } from '../../server/test/support/service.ts'
import { startWebsite } from '../../server/test/support/websites.ts'
import { RECEIVER_NAMES, RECEIVERS, type Receiver, type ReceiverName } from '../src/receivers/receivers.ts'

const SUPPORT = join(import.meta.dirname, 'support/receivers')
const ROOT = join(import.meta.dirname, '../..')

/** A title that survives only when nothing on the way takes its signs for its own. */
const TITLE = 'Bread: C:\\flour "00" & <water>'

/** What a request is sent with. */
type Sent = Pick<Received, 'headers' | 'body'>
type Recorded = Record<'test' | 'published' | 'updated' | 'deleted' | 'again' | 'late' | 'older', Sent>

let service: TestService
let client: PostriderClient
let recorder: Recorder
let site: SiteWithSecrets
let recorded: Recorded
let postId: string
let folder: string
const children: ChildProcess[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-receivers-'))
  service = await startService()
  service.clock.advance(Date.now() - service.clock.now().getTime())
  client = await newAccount(service)
  recorder = await startReceiver()
  site = await client.sites.create({ name: 'Blog', url: 'https://blog.example.com', webhook_url: recorder.url })
  const record = async (act: () => Promise<unknown>): Promise<Sent> => {
    const before = recorder.received.length
    await act()
    await service.drain()
    const [sent, ...more] = recorder.received.slice(before)
    if (sent === undefined || more.length > 0) throw new Error('one request was expected')
    return { headers: sent.headers, body: sent.body }
  }
  const test = await record(() => client.sites.testDelivery(site.id))
  const html = '<p>Text [gallery]</p><iframe src="https://www.youtube-nocookie.com/embed/M7lc1UVf-VE"></iframe>'
  const published = await record(async () => {
    postId = (await client.posts.create({ title: TITLE, body: { html }, tags: ['a'], status: 'published' })).id
  })
  const updated = await record(() => client.posts.update(postId, { title: 'Better bread' }))
  const deleted = await record(() => client.posts.update(postId, { status: 'draft' }))
  const again = await record(() => client.posts.publish(postId))
  service.clock.advance(-600_000)
  const late = await record(() => client.sites.testDelivery(site.id))
  service.clock.advance(600_000)
  recorded = { test, published, updated, deleted, again, late, older: signed(published.body) }
})

afterAll(async () => {
  for (const child of children) child.kill()
  await recorder?.close()
  await service?.stop()
  await rm(folder, { recursive: true, force: true })
})

/** The same body as another delivery of now. */
function signed(body: string): Sent {
  const [id, timestamp] = [randomUUID(), String(Math.floor(Date.now() / 1000))]
  const key = Buffer.from(site.webhook_secret.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    headers: { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` },
    body,
  }
}

async function send(
  url: string,
  { headers, body }: Sent,
): Promise<{ status: number; text: string; response: Response }> {
  const passed = Object.entries(headers).filter(([name]) => /^(webhook-|x-service-)/.test(name)) as [string, string][]
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: { ...Object.fromEntries(passed), 'content-type': 'application/json' },
  })
  return { status: response.status, text: await response.text(), response }
}

async function filesOf(name: ReceiverName): Promise<string> {
  const project = join(folder, name)
  const { files, pages = [] }: Receiver = RECEIVERS[name]
  await mkdir(project, { recursive: true })
  for (const { path, text } of [...files, ...pages]) {
    await mkdir(dirname(join(project, path)), { recursive: true })
    await writeFile(join(project, path), text)
  }
  await writeFile(join(project, 'package.json'), '{"type":"module"}')
  return project
}

/** The settings as the person copies them. */
function settingsOf(name: ReceiverName): Record<string, string> {
  const { settings }: Receiver = RECEIVERS[name]
  const { text } = settings({
    secret: site.webhook_secret,
    key: site.api_key,
    siteId: site.id,
    service: service.url,
  })
  return Object.fromEntries(
    text
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
}

async function start(command: string, args: string[], cwd: string, env: Record<string, string>): Promise<string> {
  const port = Number(env.PORT)
  const said: string[] = []
  const child = spawn(command, args, { cwd, env: { ...process.env, NODE_ENV: 'production', ...env } })
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => void said.push(String(data)))
  children.push(child)
  const url = `http://127.0.0.1:${port}`
  await expect
    .poll(
      () => {
        if (child.exitCode !== null) throw new Error(said.join(''))
        return fetch(url).then(
          () => true,
          () => false,
        )
      },
      { timeout: 20_000 },
    )
    .toBe(true)
  return url
}

/** Starts a receiver of JavaScript and answers where its webhooks go. */
async function startNode(name: ReceiverName, more: Record<string, string> = {}) {
  const project = await filesOf(name)
  const env = { ...settingsOf(name), NEXT_RUNTIME: 'nodejs', PORT: String(await freePort()), ...more }
  const url = await start(process.execPath, [join(SUPPORT, 'run.fixture.js'), name], project, env)
  return { project, url: url + RECEIVERS[name].webhookPath }
}

type Kept = { title: string; version: number | undefined; html: string }

/** Sends more than a receiver may take in, and does not say so at the beginning. */
async function tooLarge(url: string): Promise<number> {
  const body = new Blob([new Uint8Array(9 * 1024 * 1024)]).stream()
  const streamed = { method: 'POST', headers: { 'content-type': 'application/json' }, body, duplex: 'half' }
  return (await fetch(url, streamed)).status
}

/** What every receiver that keeps posts has to do. `kept` tells what it has of the post. */
async function expectToReceive(url: string, kept: () => Promise<Kept | undefined>): Promise<void> {
  const { test, published, updated, deleted, again, late, older } = recorded
  expect(await send(url, test)).toMatchObject({ status: 200, text: expect.stringContaining('The test arrived.') })

  const forged = [
    { ...published, body: published.body.replace('Bread', 'Broad') },
    { ...published, headers: { ...published.headers, 'webhook-signature': undefined } },
    { ...published, headers: { ...published.headers, 'webhook-id': randomUUID() } },
    { ...published, headers: { ...published.headers, 'webhook-signature': `v1,${'A'.repeat(43)}=` } },
    late,
  ]
  for (const one of forged) expect((await send(url, one)).status).toBe(401)
  expect(await kept()).toBeUndefined()

  expect((await send(url, published)).status).toBe(200)
  expect(await kept()).toMatchObject({ title: TITLE, version: 1 })
  expect((await kept())?.html).toMatch(/\[gallery\].*<iframe/)
  expect(await send(url, published)).toMatchObject({ status: 200, text: expect.stringContaining('Received before.') })

  expect((await send(url, updated)).status).toBe(200)
  expect(await kept()).toMatchObject({ title: 'Better bread', version: 2 })
  expect(await send(url, older)).toMatchObject({ status: 200, text: expect.stringContaining('newer version') })
  expect(await kept()).toMatchObject({ title: 'Better bread', version: 2 })

  expect((await send(url, deleted)).status).toBe(200)
  expect(await kept()).toBeUndefined()
  for (const one of [deleted, published, updated]) expect((await send(url, one)).status).toBe(200)
  expect(await kept()).toBeUndefined()

  expect((await send(url, again)).status).toBe(200)
  expect(await kept()).toMatchObject({ title: 'Better bread' })
}

/** What is kept in files. */
function keptIn(project: string): () => Promise<Kept | undefined> {
  return async () => {
    const text = await readFile(join(project, 'content/posts', `${postId}.json`), 'utf8').catch(() => '{"post":null}')
    const { post } = JSON.parse(text)
    return post === null ? undefined : { ...post, html: post.body.html }
  }
}

describe('a receiver for', () => {
  // Not by the service, whose posts these have at first: what they catch up with is tested below.
  const alone = { POSTRIDER_URL: 'http://127.0.0.1:1' }

  it.each(['nextjs', 'sveltekit', 'astro', 'express', 'hono'] as const)(
    '%s keeps what is genuine, once',
    async (name) => {
      const { project, url } = await startNode(name, alone)
      await expectToReceive(url, keptIn(project))
      expect(await tooLarge(url)).toBe(413)
      if (name !== 'nextjs') return
      // Its pages are made anew for what is genuine, and for nothing else.
      const revalidated = async (sent: Sent) => (await send(url, sent)).response.headers.get('x-revalidated')
      expect([await revalidated(recorded.test), await revalidated(recorded.late)]).toEqual(['["/","layout"]', 'null'])
    },
  )

  it('gatsby begins a build for what is genuine, and asks for it again when that fails', async () => {
    const host = await startWebsite({ '/build': {} })
    const { project, url } = await startNode('gatsby', { BUILD_HOOK_URL: `${host.url}/build` })
    const { test, published, deleted, late } = recorded
    expect((await send(url, test)).status).toBe(200)
    expect((await send(url, late)).status).toBe(401)
    expect((await send(url, { ...published, body: published.body.replace('Bread', 'Broad') })).status).toBe(401)
    expect(host.asked).toEqual([])
    for (const sent of [published, published, deleted]) expect((await send(url, sent)).status).toBe(200)
    expect(host.asked).toEqual(['/build', '/build', '/build'])
    host.answer({})
    expect(await send(url, published)).toMatchObject({ status: 502, text: 'The build hook answered 404.' })
    await host.close()

    // What it is built of.
    const nodes = `
      import { registerHooks } from 'node:module'
      registerHooks({ resolve: (name, context, next) => next(name, name.startsWith('@postrider/') ? { ...context, parentURL: ${JSON.stringify(pathToFileURL(import.meta.filename).href)} } : context) })
      const { createSchemaCustomization, sourceNodes } = await import('./gatsby-node.ts')
      const [types, nodes] = [[], []]
      createSchemaCustomization({ actions: { createTypes: (text) => types.push(text) } })
      const kept = new Map(JSON.parse(process.env.CACHE ?? '[]'))
      const cache = { get: async (key) => kept.get(key), set: async (key, value) => kept.set(key, value) }
      await sourceNodes({ actions: { createNode: (node) => nodes.push(node) }, cache, createContentDigest: (post) => JSON.stringify(post).length })
      console.log(JSON.stringify({ types, nodes, cache: [...kept] }))`
    await writeFile(join(project, 'nodes.ts'), nodes)
    const built = async (env: Record<string, string>) => {
      const options = { cwd: project, env: { ...process.env, ...settingsOf('gatsby'), ...env } }
      return JSON.parse((await promisify(execFile)(process.execPath, ['nodes.ts'], options)).stdout)
    }
    expect(await built({})).toMatchObject({
      types: [expect.stringMatching(/type PostriderPost implements Node \{\s+slug: String!/)],
      nodes: [{ id: `postrider-${postId}`, internal: { type: 'PostriderPost' } }],
    })
    // A post that is removed after it was listed.
    const posts = [{ id: '1', slug: 'gone', published_at: '2026-11-02T08:00:00.000Z' }]
    const listed = JSON.stringify({ posts, total: 1, page: 1, limit: 100, pages: 1 })
    const shrinking = await startWebsite({ '/api/pull/posts': { body: listed } })
    expect(await built({ POSTRIDER_URL: shrinking.url })).toMatchObject({ nodes: [] })
    await shrinking.close()
    // A build confirms each post once.
    const confirming = await startWebsite({ '/api/pull/posts': { body: listed }, '/api/pull/confirm': { body: '{}' } })
    const confirmations = () => confirming.asked.filter((path) => path === '/api/pull/confirm')
    const build = { POSTRIDER_URL: confirming.url, NODE_ENV: 'production' }
    await built({ ...build, NODE_ENV: 'development' })
    expect(confirmations()).toHaveLength(0)
    const { cache } = await built(build)
    expect(confirmations()).toHaveLength(1)
    await built({ ...build, CACHE: JSON.stringify(cache) })
    expect(confirmations()).toHaveLength(1)
    await confirming.close()
  })

  it.each(['KIT_BUILDING', 'KIT_DEV'])('sveltekit catches up on the server alone, not with %s', async (name) => {
    const asked = await startWebsite()
    const project = await filesOf('sveltekit')
    const env = { ...process.env, ...settingsOf('sveltekit'), POSTRIDER_URL: asked.url, [name]: '1' }
    await promisify(execFile)(process.execPath, [join(SUPPORT, 'run.fixture.js'), 'sveltekit'], { cwd: project, env })
    expect(asked.asked).toEqual([])
    await asked.close()
  })

  it.each(['nextjs', 'sveltekit', 'express', 'hono'] as const)(
    '%s fetches what was there before it, and lets go of what is not there any more',
    async (name) => {
      const posts = join(folder, name, 'content/posts')
      await rm(join(folder, name), { recursive: true, force: true })
      await mkdir(posts, { recursive: true })
      const gone = { id: randomUUID(), slug: 'gone', version: 3, published_at: '2026-01-01T00:00:00.000Z' }
      await writeFile(join(posts, `${gone.id}.json`), JSON.stringify({ post: gone, deliveries: ['one'] }))
      const { project } = await startNode(name)
      await expect.poll(keptIn(project)).toMatchObject({ title: 'Better bread' })
      const rest = async () => JSON.parse(await readFile(join(posts, `${gone.id}.json`), 'utf8'))
      await expect.poll(rest).toEqual({ post: null, deliveries: ['one'] })
    },
  )
})

it('every receiver compiles, as strictly as can be', async () => {
  const declarations = await readFile(join(SUPPORT, 'frameworks.fixture.txt'), 'utf8')
  await writeFile(join(folder, 'frameworks.d.ts'), declarations)
  for (const name of RECEIVER_NAMES) await filesOf(name)
  const generated = {
    'api/postrider': 'export type RequestHandler = (event: { request: Request }) => Promise<Response>\n',
    'blog/[slug]': 'export type PageServerLoad = (event: { params: { slug: string } }) => Promise<object>\n',
  }
  for (const [route, types] of Object.entries(generated))
    await writeFile(join(folder, 'sveltekit/src/routes', route, '$types.d.ts'), types)
  const at = (path: string) => [join(ROOT, path)]
  const options = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    module: 'esnext',
    moduleResolution: 'bundler',
    jsx: 'react-jsx',
    types: ['node'],
    typeRoots: at('node_modules/@types'),
    paths: {
      '@postrider/sdk': at('sdk/src/index.ts'),
      '@postrider/sdk/webhooks': at('sdk/src/webhooks.ts'),
      'react/jsx-runtime': at('node_modules/@types/react/jsx-runtime.d.ts'),
      hono: at('node_modules/hono/dist/types/index.d.ts'),
      '@hono/node-server': at('node_modules/@hono/node-server/dist/index.d.mts'),
    },
  }
  const include = ['frameworks.d.ts', ...RECEIVER_NAMES.map((name) => `${name}/**/*.ts`), 'nextjs/**/*.tsx']
  const tsconfig = { compilerOptions: options, include, exclude: ['gatsby/nodes.ts'] }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
  const compiler = join(ROOT, 'node_modules/.bin/tsc')
  const told = await promisify(execFile)(compiler, ['-p', folder]).catch((error: { stdout: string }) => error)
  expect(told.stdout).toBe('')
})
