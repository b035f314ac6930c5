/**
 * The receivers that the dashboard hands out, run as their frameworks run them, before what the real service sends: recorded
 * once, then sent to each, in the right order, twice, forged and late.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHmac, randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { connectionCode, type PostriderClient, type SiteWithSecrets } from '@postrider/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../server/test/support/free-port.ts'
import { type Received, type Receiver as Recorder, startReceiver } from '../../server/test/support/receiver.ts'
import { newAccount, startService, type TestService } from '../../server/test/support/service.ts'
import { installCommand } from '../src/receivers/install-command.ts'
import {
  type Instructions,
  RECEIVER_NAMES,
  RECEIVERS,
  type Receiver,
  type ReceiverName,
} from '../src/receivers/receivers.ts'
import { STATIC_RECEIVER_NAMES, STATIC_RECEIVERS } from '../src/receivers/static-receivers.ts'

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

async function filesOf(name: string, { files, pages = [] }: Instructions): Promise<string> {
  const project = join(folder, name)
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
  const { id, api_key: key, webhook_secret: secret } = site
  const lines = settings(connectionCode({ url: service.url, site: id, key, secret }), site.url)
    .text.trim()
    .split('\n')
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
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

/** Starts a receiver and answers where its webhooks go, and how it names the newest post in its list. */
async function startNode(name: ReceiverName, more: Record<string, string> = {}) {
  const project = await filesOf(name, RECEIVERS[name])
  const { POSTRIDER_CONNECTION: code = '', ...settings } = settingsOf(name)
  const env = { ...settings, PORT: String(await freePort()), ...more }
  // Some are handed their environment, the others find the code in the file that the dashboard names.
  if (name === 'express' || name === 'astro') Object.assign(env, { POSTRIDER_CONNECTION: code })
  else await writeFile(join(project, '.env'), `POSTRIDER_CONNECTION=${code}\n`)
  const url = await start(process.execPath, [join(SUPPORT, 'run.fixture.js'), name], project, env)
  const listed = async () => {
    const list = await (await fetch(`${url}/blog`)).text()
    return list.startsWith('{') ? JSON.parse(list).posts[0]?.title : /<h2><a [^>]*>([^<]*)</.exec(list)?.[1]
  }
  return { project, url: url + RECEIVERS[name].webhookPath, listed }
}

/** Sends more than a receiver may take in, and does not say so at the beginning. */
async function tooLarge(url: string): Promise<number> {
  const body = new Blob([new Uint8Array(9 * 1024 * 1024)]).stream()
  const streamed = { method: 'POST', headers: { 'content-type': 'application/json' }, body, duplex: 'half' }
  return (await fetch(url, streamed)).status
}

/** What is not genuine is refused, what is too large too, and a test is answered with where the posts are. */
async function expectToVerify(url: string, store: string): Promise<void> {
  const { test, published, late } = recorded
  expect(await send(url, test)).toMatchObject({
    status: 200,
    text: JSON.stringify({ ok: true, store, previews: true }),
  })
  const forged = [
    { ...published, body: published.body.replace('Bread', 'Broad') },
    { ...published, headers: { ...published.headers, 'webhook-signature': undefined } },
    { ...published, headers: { ...published.headers, 'webhook-id': randomUUID() } },
    { ...published, headers: { ...published.headers, 'webhook-signature': `v1,${'A'.repeat(43)}=` } },
    late,
  ]
  for (const one of forged) expect((await send(url, one)).status).toBe(401)
  expect(await tooLarge(url)).toBe(413)
}

describe('a receiver for', () => {
  it.each(['express', 'hono'] as const)('%s keeps what is genuine, fetches what was there before it', async (name) => {
    const { url, listed } = await startNode(name)
    await expectToVerify(url, 'files')
    await expect.poll(listed).toBe('Better bread')
    const { deleted, again, older } = recorded
    for (const one of [deleted, again]) expect((await send(url, one)).status).toBe(200)
    expect(await send(url, older)).toMatchObject({ status: 200, text: expect.stringContaining('newer') })
    expect(await listed()).toBe('Better bread')
    // Its page is where it says, with what Postrider looks for.
    const { text } = await send(url, again)
    const page = await fetch(new URL(JSON.parse(text).url, url))
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining(`content="${postId}"`)])
  })

  it.each(['sveltekit', 'astro'] as const)('%s shows what the service has', async (name) => {
    const { url, listed } = await startNode(name)
    await expectToVerify(url, 'pull')
    expect(await listed()).toBe('Better bread')
    // It says where the post is, so that Postrider can look there.
    const text = JSON.stringify({ ok: true, url: '/blog/bread-c-flour-00-water' })
    expect(await send(url, recorded.again)).toMatchObject({ status: 200, text })
  })
})

it('what is installed comes from the service, or is copied into the site where its host cannot reach the service', () => {
  const install = { packages: 'hono', own: { name: '@postrider/sdk', version: '1.2.3' } }
  const file = 'postrider-sdk-1.2.3.tgz'
  expect(installCommand(install, 'https://posts.example.com')).toBe(
    `npm install hono https://posts.example.com/packages/${file}`,
  )
  for (const origin of [
    'http://localhost:3000',
    'http://127.0.0.1:3000',
    'http://192.168.1.5',
    'http://nas.local',
    'http://[::1]:3000',
  ])
    expect(installCommand(install, origin)).toBe(
      `curl --create-dirs -o vendor/${file} ${origin}/packages/${file}\nnpm install hono ./vendor/${file}`,
    )
})

it('every receiver compiles, as strictly as can be', async () => {
  const declarations = await readFile(join(SUPPORT, 'frameworks.fixture.txt'), 'utf8')
  await writeFile(join(folder, 'frameworks.d.ts'), declarations)
  // Those for Next.js are type-checked by itself: npm run integrations -- next.
  const names = RECEIVER_NAMES.filter((name) => name !== 'nextjs')
  for (const name of names) await filesOf(name, RECEIVERS[name])
  for (const name of STATIC_RECEIVER_NAMES) await filesOf(`static-${name}`, STATIC_RECEIVERS[name])
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
    types: ['node'],
    typeRoots: at('node_modules/@types'),
    paths: {
      '@postrider/astro': at('integrations/astro/src/index.ts'),
      '@postrider/sdk': at('sdk/src/index.ts'),
      '@postrider/sdk/files': at('sdk/src/files.ts'),
      '@postrider/sdk/receiver': at('sdk/src/receiver/index.ts'),
      hono: at('node_modules/hono/dist/types/index.d.ts'),
      '@hono/node-server': at('node_modules/@hono/node-server/dist/index.d.mts'),
    },
  }
  const include = ['frameworks.d.ts', ...names.map((name) => `${name}/**/*.ts`), 'static-*/**/*.ts']
  const tsconfig = { compilerOptions: options, include }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
  const compiler = join(ROOT, 'node_modules/.bin/tsc')
  const told = await promisify(execFile)(compiler, ['-p', folder]).catch((error: { stdout: string }) => error)
  expect(told.stdout).toBe('')
})
