/** The package as sites get it: built, installed into an empty project and used from there. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildSitePackages } from '../../packaging/site-packages.ts'

const run = promisify(execFile)
const SDK = fileURLToPath(new URL('..', import.meta.url))
const TSC = fileURLToPath(import.meta.resolve('typescript/bin/tsc'))
const NODE_TYPES = fileURLToPath(new URL('../../node_modules/@types', import.meta.url))

let place: string
let tarball: string
/** A project with nothing in it but the package. */
let project: string
/** Where the project has it. */
let built: string
let files: string[]

beforeAll(async () => {
  place = await realpath(await mkdtemp(join(tmpdir(), 'postrider-sdk-')))
  project = join(place, 'project')
  await buildSitePackages(place)
  const name = (await readdir(place)).find((file) => file.startsWith('postrider-sdk-'))
  if (name === undefined) throw new Error('there is no package of the SDK')
  tarball = join(place, name)
  await mkdir(project)
  await writeFile(join(project, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }')
  await run('npm', ['install', tarball, '--offline', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: project })
  built = join(project, 'node_modules/@postrider/sdk')
  const entries = await readdir(built, { recursive: true, withFileTypes: true })
  files = entries.filter((entry) => entry.isFile()).map((entry) => relative(built, join(entry.parentPath, entry.name)))
})
afterAll(() => rm(place, { recursive: true, force: true }))

const secret = `whsec_${Buffer.from('an example secret, 32 bytes long').toString('base64')}`
function signed() {
  const body = JSON.stringify({
    event: 'post.deleted',
    post: { id: '1', slug: 'ü' },
    site: { id: '2' },
    deleted_at: 'x',
  })
  const now = new Date()
  const headers = {
    'webhook-id': 'd',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('d', now, body),
  }
  return { body, headers, secret }
}

describe('the package', () => {
  it('holds what is needed, and needs nothing else', async () => {
    const manifest = JSON.parse(await readFile(join(built, 'package.json'), 'utf8'))
    expect(manifest).toMatchObject({ name: '@postrider/sdk', license: 'MIT', sideEffects: false, type: 'module' })
    expect(Object.keys(manifest)).not.toContain('dependencies')
    expect(Object.keys(manifest)).not.toContain('private')
    const modules = (
      'all-pages client connection-code drafts errors events files index media pull server-sent-events signature sync tokens transfer transport types verify versions webhooks ' +
      'receiver/blog receiver/documents receiver/index receiver/memory receiver/pages receiver/previews receiver/pull-posts receiver/read-posts receiver/receiver receiver/redis receiver/sql receiver/store'
    ).split(' ')
    const expected = modules.flatMap((name) => [`${name}.js`, `${name}.d.ts`])
    expect(files.sort()).toEqual(
      ['LICENSE', 'README.md', 'generated/api.d.ts', 'generated/api.js', 'package.json', ...expected].sort(),
    )
  })

  it('pleases publint', async () => {
    expect((await publint({ pkgDir: built, pack: false, level: 'suggestion' })).messages).toEqual([])
  })

  it('has types that every resolver finds', async () => {
    const result = await checkPackage(createPackageFromTarballData(new Uint8Array(await readFile(tarball))))
    if (result.types === false) throw new Error('there are no types')
    // The package has ES modules only; CommonJS can `require` them, as the next test shows.
    expect(result.problems.filter(({ kind }) => kind !== 'CJSResolvesToESM')).toEqual([])
    expect(Object.keys(result.entrypoints)).toEqual(['.', './files', './receiver', './webhooks', './package.json'])
  })

  it.each(['import', 'require'])('is used from plain JavaScript by %s', async (how) => {
    const [name, load] =
      how === 'import'
        ? ['a.mjs', (entry: string) => `await import('${entry}')`]
        : ['a.cjs', (entry: string) => `require('${entry}')`]
    const source = `(async () => {
      const { createClient, PostriderError } = ${load('@postrider/sdk')}
      const { verifyWebhook } = ${load('@postrider/sdk/webhooks')}
      const { event } = await verifyWebhook(JSON.parse(process.argv[2]))
      console.log(event.event, typeof createClient({ baseUrl: 'http://x' }).posts.create, PostriderError.name)
    })()`
    await writeFile(join(project, name), source)
    const { stdout, stderr } = await run(process.execPath, [name, JSON.stringify(signed())], { cwd: project })
    expect({ stdout, stderr }).toEqual({ stdout: 'post.deleted function PostriderError\n', stderr: '' })
  })
})

const USE = `
import { createClient, createPullClient, type Post, verifyWebhook } from '@postrider/sdk'
import { WebhookVerificationError, type WebhookEvent } from '@postrider/sdk/webhooks'
const client = createClient({ baseUrl: 'https://x', token: 't', fetch })
const title: string = (await client.posts.create({ title: 'x', body: { markdown: 'y' } })).title
// @ts-expect-error a post needs a title
await client.posts.create({ body: { markdown: title } })
// @ts-expect-error there is no such status
await client.posts.list({ status: 'gone' })
for await (const post of client.posts.all()) { const one: Post = post; one.body.json.content?.length.toFixed() }
for await (const { slug } of createPullClient({ baseUrl: 'https://x', apiKey: 'k' }).all()) slug.length.toFixed()
const request = new Request('https://x')
await verifyWebhook({ body: request.body, headers: request.headers, secret: 's', maxBytes: 1 })
const { event } = await verifyWebhook({ body: new Uint8Array(), headers: new Headers(), secret: 's' })
const known: WebhookEvent = event
if (known.event === 'post.updated') known.previous_version.toFixed()
// @ts-expect-error a deleted post has no body
if (known.event === 'post.deleted') known.post.body
new WebhookVerificationError('too_old', 'x').reason satisfies string
new WebhookVerificationError('too_large', 'x').status satisfies 401 | 413
`

/** Compiles `sources` in the project; resolves with what the compiler says. */
async function compile(resolution: string, sources: Record<string, string>, options: object): Promise<string> {
  const directory = await mkdtemp(join(project, 'compiled-'))
  for (const [name, source] of Object.entries(sources)) await writeFile(join(directory, name), source)
  const module = resolution === 'bundler' ? 'esnext' : resolution
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2022',
    module,
    moduleResolution: resolution,
    ...options,
  }
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  return run(process.execPath, [TSC, '-p', directory]).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  )
}

/** The code that the README shows, in order. */
async function shown(): Promise<string[]> {
  const readme = await readFile(join(SDK, 'README.md'), 'utf8')
  return [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map(([, block]) => block ?? '')
}

describe("the README's server", () => {
  it('lives on when a request breaks off, and refuses what is forged or too large', async () => {
    const source = (await shown()).find((block) => block.includes('createServer(async')) ?? ''
    const running = source.replace(/createServer\((.*)\)\.listen\(4000\)/s, 'const server = createServer($1).listen(0)')
    await writeFile(
      join(project, 'server.ts'),
      `${running}\nserver.on('listening', () => console.log(server.address().port))`,
    )
    const server = spawn(process.execPath, ['server.ts'], {
      cwd: project,
      env: { ...process.env, POSTRIDER_SECRET: secret },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      const [port] = await once(server.stdout, 'data')
      const { body, headers } = signed()
      const answerTo = async (body: NonNullable<RequestInit['body']>) =>
        (await fetch(`http://localhost:${Number(port)}/`, { method: 'POST', headers, body, duplex: 'half' })).status
      const sent = Object.entries({ host: 'x', 'content-length': '9', ...headers }).map((header) => header.join(': '))
      const socket = connect(Number(port)).resume()
      socket.end(['POST / HTTP/1.1', ...sent, '', '{'].join('\r\n'))
      await once(socket, 'close')
      for (let count = 0; count < 5; count += 1) expect(await answerTo('{}')).toBe(401)
      expect(await answerTo(new Uint8Array(8 * 1024 * 1024 + 1))).toBe(413)
      expect(await answerTo(new Blob([new Uint8Array(30 * 1024 * 1024)]).stream())).toBe(413)
      expect(await answerTo(body)).toBe(200)
    } finally {
      server.kill()
    }
  })
})

describe('from TypeScript', () => {
  it.each(['nodenext', 'bundler'])(
    'it has types that are checked, resolved as %s, without those of Node',
    async (how) => {
      const web = { lib: ['es2022', 'dom', 'dom.iterable'], types: [], skipDefaultLibCheck: true }
      expect(await compile(how, { 'use.ts': USE }, { ...web, exactOptionalPropertyTypes: true })).toBe('')
    },
  )

  it('what the README shows compiles', async () => {
    const blocks = await shown()
    expect(blocks.length).toBeGreaterThan(5)
    const sources = blocks.map((block, index) => [
      block.includes('function receive(') ? 'receive.ts' : `block-${index}.ts`,
      block,
    ])
    const node = {
      lib: ['es2022', 'dom', 'dom.iterable'],
      types: ['node'],
      typeRoots: [NODE_TYPES],
      skipLibCheck: true,
      allowImportingTsExtensions: true, // Deno wants the ending
    }
    // Next.js does not find a TypeScript file by a name that ends in .js, as nodenext would want it.
    expect(await compile('bundler', Object.fromEntries(sources), node)).toBe('')
  })
})

describe('on an edge runtime', () => {
  it('loads with nothing of Node in reach, verifies and calls', async () => {
    const server = createServer((request, response) => {
      const page = { data: [{ title: 'One' }], pagination: { page: 1, limit: 100, total: 1, pages: 1 } }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(request.method === 'POST' ? { id: 'new' } : page))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo // it listens on TCP
    const fixture = join(SDK, 'test/edge.fixture.ts')
    const { stdout } = await run(process.execPath, [
      '--experimental-vm-modules',
      fixture,
      built,
      `http://127.0.0.1:${port}`,
      JSON.stringify(signed()),
    ])
    server.close()
    expect(JSON.parse(stdout)).toEqual({
      event: 'post.deleted',
      streamed: 'post.deleted',
      tampered: 'bad_signature',
      titles: ['One'],
      created: 'new',
      received: 200,
      node: [],
    })
  })
})
