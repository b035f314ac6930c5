/** The commands of authors: posts as files, pushed and pulled with a token. */
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type PostriderClient, verifyWebhook } from '@postrider/sdk'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readArguments } from '../src/commands/arguments.ts'
import { commands } from '../src/commands/index.ts'
import { runCommand, runCommandWith } from './support/command.ts'
import { request } from './support/http.ts'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { connectSite, newAccount, startService, type TestService } from './support/service.ts'

let service: TestService
let client: PostriderClient
let directory: string
let env: Record<string, string>

beforeAll(async () => {
  service = await startService()
})
beforeEach(async () => {
  client = await newAccount(service)
  directory = await mkdtemp(join(tmpdir(), 'postrider-author-'))
  const scopes = ['posts:read', 'posts:write', 'posts:publish', 'sites:read'] as const
  const { token } = await client.tokens.create({ name: 'Commands', scopes: [...scopes] })
  env = { POSTRIDER_URL: service.url, POSTRIDER_TOKEN: token }
})
afterEach(() => rm(directory, { recursive: true }))
afterAll(() => service.stop())

const file = async (name: string, text: string) => {
  await mkdir(join(directory, name, '..'), { recursive: true })
  await writeFile(join(directory, name), text)
}
const post = async (slug: string) => (await client.posts.list({ limit: 100 })).data.find((one) => one.slug === slug)

describe('post push', () => {
  it('creates drafts of files, changes what differs, and otherwise nothing', async () => {
    await file(
      'soil.md',
      '---\ntitle: Good soil\ntags: [soil, garden]\ndescription: What plants need.\n---\n\nDig *deep*.\n',
    )
    await file('2026-03-04-rye.md', '# Rye\n\nSow it late.\n')
    await file('notes/.hidden/secret.md', '# Secret\n')
    await file('broken.md', '---\ntitle: [\n---\n\nText\n')
    const first = await runCommand(env, 'post', 'push', directory)
    expect(first).toMatchObject({
      code: 1,
      result: expect.stringContaining('2 created, 0 changed, 0 as they were, 1 refused.'),
    })
    expect(first.result).toContain('Its front matter cannot be read')
    expect(await post('soil')).toMatchObject({
      title: 'Good soil',
      status: 'draft',
      tags: ['soil', 'garden'],
      meta: { description: 'What plants need.' },
      body: { markdown: 'Dig *deep*.\n' },
      version: 1,
    })
    expect(await post('rye')).toMatchObject({ title: 'Rye', body: { markdown: 'Sow it late.\n' } })
    expect((await client.posts.list()).pagination.total).toBe(2)

    await rm(join(directory, 'broken.md'))
    const again = await runCommand(env, 'post', 'push', directory)
    expect(again).toMatchObject({ code: 0, result: '0 created, 0 changed, 2 as they were, 0 refused.\n' })
    await file('soil.md', '---\ntitle: Good soil\ntags: [soil]\ndescription: What plants need.\n---\n\nDig *deep*.\n')
    const changed = await runCommand(env, 'post', 'push', '--json', join(directory, 'soil.md'))
    expect(JSON.parse(changed.result)).toMatchObject([{ outcome: 'changed', slug: 'soil', changed: ['tags'] }])
    expect(await post('soil')).toMatchObject({ tags: ['soil'], version: 2 })
  })

  it('says what is missing', async () => {
    expect(await runCommand({}, 'post', 'push', directory)).toMatchObject({ code: 1, output: /no Markdown files/ })
    await file('a.md', '# A\n')
    expect(await runCommand({}, 'post', 'push', directory)).toMatchObject({
      code: 64,
      output: expect.stringContaining('POSTRIDER_TOKEN is missing'),
    })
    expect(await runCommand({ ...env, POSTRIDER_URL: 'http://127.0.0.1:1' }, 'post', 'push', directory)).toMatchObject({
      code: 69,
      output: expect.stringContaining('Nothing answers at'),
    })
    expect(await runCommand({ ...env, POSTRIDER_TOKEN: 'pt_wrong' }, 'post', 'push', directory)).toMatchObject({
      code: 1,
      output: expect.stringContaining('not valid'),
    })
    expect(await runCommand(env, 'post', 'push', join(directory, 'b.md'))).toMatchObject({
      code: 1,
      output: expect.stringContaining('There is no file'),
    })
    expect(await runCommand(env, 'post', 'push', '--site', 'Nowhere', directory)).toMatchObject({
      code: 1,
      output: expect.stringContaining('There is no site "Nowhere". There are: none.'),
    })
    expect(await runCommand(env, 'post', 'push')).toMatchObject({
      code: 64,
      output: expect.stringContaining('FILE… is missing'),
    })
  })

  it('writes five hundred files once', async () => {
    for (let count = 0; count < 500; count += 1) await file(`p${count}.md`, `# Post ${count}\n\nText ${count}.\n`)
    expect(await runCommand(env, 'post', 'push', directory)).toMatchObject({
      result: expect.stringContaining('500 created'),
    })
    const before = service.logged.filter(({ event }) => event === 'request').length
    expect(await runCommand(env, 'post', 'push', directory)).toMatchObject({
      code: 0,
      result: '0 created, 0 changed, 500 as they were, 0 refused.\n',
    })
    await service.caughtUp()
    const requests = service.logged.filter(({ event }) => event === 'request').slice(before)
    expect(requests.every(({ fields }) => fields.method === 'GET')).toBe(true)
  })
})

describe('posts that are kept in a repository', () => {
  let receivers: Receiver[]
  beforeEach(async () => {
    receivers = [await startReceiver(), await startReceiver()]
  })
  afterEach(async () => {
    for (const receiver of receivers) await receiver.close()
  })

  const eventsAt = (receiver: Receiver | undefined) => receiver?.received.map(({ json }) => json.event)

  it('are published to their sites, updated and withdrawn by what is committed', async () => {
    for (const receiver of receivers) await connectSite(client, receiver)
    const push = async () => {
      const ended = await runCommand(env, 'post', 'push', '--publish', directory)
      expect(ended).toMatchObject({ code: 0 })
      await service.drain()
    }
    await file('rye.md', '---\ntitle: Rye\ndate: 2026-11-01\n---\n\nSow it late.\n')
    await file('idea.md', '---\ntitle: An idea\ndraft: true\n---\n\nNot yet.\n')
    await push()
    expect(receivers.map(eventsAt)).toEqual([['post.published'], ['post.published']])
    await file('rye.md', '---\ntitle: Rye\ndate: 2026-11-01\n---\n\nSow it early.\n')
    await push()
    await push()
    expect(receivers.map(eventsAt)).toEqual([
      ['post.published', 'post.updated'],
      ['post.published', 'post.updated'],
    ])
    await file('rye.md', '---\ntitle: Rye\ndate: 2026-11-01\ndraft: true\n---\n\nSow it early.\n')
    await push()
    expect(receivers.map((one) => eventsAt(one)?.at(-1))).toEqual(['post.deleted', 'post.deleted'])
    expect(await post('rye')).toMatchObject({ status: 'draft' })
    expect(await post('idea')).toMatchObject({ status: 'draft' })
  })
})

describe('post pull', () => {
  it('writes what a push reads back as the same', async () => {
    await client.posts.create({ title: 'Rye', body: { markdown: 'Sow it *late*.\n' }, tags: ['rye'], excerpt: 'Late.' })
    await client.posts.create({ title: 'Out', body: { html: '<p>From <b>HTML</b></p>' }, status: 'published' })
    const pulled = await runCommand(env, 'post', 'pull', directory)
    expect(pulled).toMatchObject({ code: 0, result: expect.stringContaining('2 written, 0 as they were.') })
    expect((await readdir(directory)).sort()).toEqual(['out.md', 'rye.md'])
    expect(await readFile(join(directory, 'rye.md'), 'utf8')).toContain('Sow it *late*.')
    expect(await runCommand(env, 'post', 'pull', directory)).toMatchObject({ result: '0 written, 2 as they were.\n' })
    expect(await runCommand(env, 'post', 'push', directory)).toMatchObject({
      result: '0 created, 0 changed, 2 as they were, 0 refused.\n',
    })
  })
})

it('lists posts, sites and deliveries', async () => {
  const receiver = await startReceiver()
  await connectSite(client, receiver)
  receiver.answerNext(410)
  await client.posts.create({ title: 'Seen', status: 'published' })
  await service.drain()
  expect((await runCommand(env, 'post', 'list')).result).toMatch(/STATUS +SLUG[\s\S]*published +seen +\d{4}-\d\d-\d\d/)
  expect(JSON.parse((await runCommand(env, 'post', 'list', '--json')).result)).toMatchObject([{ slug: 'seen' }])
  expect((await runCommand(env, 'site', 'list')).result).toMatch(/NAME +PLATFORM +STATUS/)
  expect(await runCommand(env, 'deliveries')).toMatchObject({ code: 0, result: expect.stringContaining('Seen') })
  await receiver.close()
})

describe('the page about the command line', () => {
  it('has examples that the program takes, and an action that publishes a folder', async () => {
    const page = await readFile(new URL('../../docs/command-line.md', import.meta.url), 'utf8')
    const shown = [...page.matchAll(/^(?:\s*- run: npx --yes "\$POSTRIDER_PACKAGE"|postrider) (.+?)(?: +#.*)?$/gm)]
    const examples = shown.map(([, args = '']) => args.split(/ (?=(?:[^"]*"[^"]*")*[^"]*$)/))
    expect(examples.length).toBeGreaterThan(3)
    for (const args of examples) expect(readArguments(args, commands)).toMatchObject({ kind: 'run' })
    await file('posts/dill.md', '# Dill\n\nSow it early.\n')
    const action = examples.at(examples.findIndex((args) => args.includes('--publish'))) ?? []
    const pushed = await runCommand(env, ...action.map((part) => (part === 'posts/' ? join(directory, part) : part)))
    expect(pushed).toMatchObject({ code: 0, result: expect.stringContaining('1 created') })
    expect(await post('dill')).toMatchObject({ status: 'published' })
  })
})

describe('a command that goes on', () => {
  /** Runs it until `work` has been done; resolves with what it printed once it was ready. */
  async function goesOn(
    ready: RegExp,
    work: (saw: (line: RegExp) => Promise<void>) => Promise<void>,
    ...args: string[]
  ) {
    const ending = new AbortController()
    const lines: string[] = []
    const saw = (pattern: RegExp) =>
      expect
        .poll(() => {
          service.clock.advance(50) // of live updates
          return lines.some((line) => pattern.test(line))
        })
        .toBe(true)
    // The environment of a receiver: what is in it of the same names is not about this program.
    const mixed = { ...env, DATABASE_URL: 'postgres://localhost/blog', PORT: 'none' }
    const ended = runCommandWith({ onLine: (line) => lines.push(line), signal: ending.signal }, mixed, ...args)
    await saw(ready)
    await work(saw)
    ending.abort()
    expect((await ended).code).toBe(0)
    return lines
  }

  it('hands a local receiver what a site is sent, signed for that site', async () => {
    const site = await startReceiver()
    const local = await startReceiver()
    const connected = await connectSite(client, site)
    await client.posts.create({ title: 'Before', status: 'published' })
    await service.drain()
    local.answerNext(200, 401, 200)
    const lines = await goesOn(
      /What My blog is sent/,
      async (saw) => {
        const { id } = await client.posts.create({ title: 'Heard', status: 'published' })
        await saw(/✓ post\.published “Heard”: answered 200/)
        await service.drain()
        await client.posts.update(id, { title: 'Changed' })
        await saw(/✗ post\.updated “Changed”: answered 401/)
        site.answerNext(500, 500, 500, 500)
        for (const wait of [0, 30_000, 300_000, 1_800_000]) await service.advance(wait)
        // It looks at the log once a second.
        for (let tick = 0; tick < 30; tick += 1) {
          service.clock.advance(50)
          await sleep(50)
        }
        const [failed] = (await client.deliveries.list({ status: 'failed' })).data
        await client.deliveries.retry(failed?.id ?? '')
        await saw(/✓ post\.updated “Changed”: answered 200/)
      },
      'listen',
      '--forward',
      local.url,
    )
    expect(lines.join('\n')).not.toContain('Before')
    const verified = await Promise.all(
      local.received.map(({ body, headers }) =>
        verifyWebhook({ body, headers, secret: connected.webhook_secret, toleranceSeconds: 1e9 }),
      ),
    )
    expect(verified.map(({ event }) => event.event)).toEqual(['post.published', 'post.updated', 'post.updated'])
    const none = await runCommand(env, 'listen', '--forward', local.url, '--site', 'Kitchen')
    expect(none).toMatchObject({
      code: 1,
      output: expect.stringContaining('There is no site "Kitchen". There are: My blog.'),
    })
    await Promise.all([site.close(), local.close()])
  })

  it('tells what becomes of deliveries', async () => {
    const site = await startReceiver()
    await connectSite(client, site)
    site.answerNext(500)
    const lines = await goesOn(
      /What becomes of deliveries/,
      async (saw) => {
        await client.posts.create({ title: 'Followed', status: 'published' })
        await saw(/ pending +.*Followed/)
        await service.drain()
        await saw(/ pending +.*Followed +http_error/)
        await service.advance(30_000)
        await saw(/ delivered_retry +.*Followed/)
      },
      'deliveries',
      '--follow',
    )
    expect(lines).toHaveLength(4)
    await site.close()
  })
})

describe('login', () => {
  it('makes a token for this machine, which only its user can read, and forgets it', async () => {
    const home = { POSTRIDER_URL: service.url, XDG_CONFIG_HOME: directory }
    const { email } = (await client.account()).user
    const missing = await runCommand(home, 'post', 'list')
    expect(missing).toMatchObject({ code: 64, output: expect.stringContaining('Log in') })
    const wrong = await runCommandWith({ answers: [email, 'wrong horse'] }, home, 'login')
    expect(wrong).toMatchObject({ code: 1, output: expect.stringContaining('Nothing was changed') })
    const login = await runCommandWith({ answers: [email, 'correct horse'] }, home, 'login')
    expect(login.code).toBe(0)
    expect(login.output).not.toMatch(/pt_|horse/)
    const file = join(directory, 'postrider/login.json')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    await client.posts.create({ title: 'Listed' })
    expect((await runCommand(home, 'post', 'list')).result).toContain('listed')
    const { token } = JSON.parse(await readFile(file, 'utf8'))
    expect((await request(`${service.url}/api/account`, { token })).status).toBe(403) // no login is kept
    const elsewhere = { ...home, POSTRIDER_URL: 'http://other.example.com' }
    expect((await runCommand(elsewhere, 'post', 'list')).code).toBe(64) // a token goes only where it was made
    expect((await runCommand(home, 'login', '--forget')).result).toContain('Forgotten')
    expect((await runCommand(home, 'post', 'list')).code).toBe(64)
    await writeFile(file, 'nonsense')
    expect((await runCommand(home, 'post', 'list')).output).toContain('damaged')
  })
})
