/** Finding out what a site runs on, from outside: through the API, against websites that answer as platforms do. */
import { gzipSync } from 'node:zlib'
import type { PostriderClient } from '@postrider/sdk'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '../src/app.ts'
import { newAccount, startService, type TestService } from './support/service.ts'
import {
  gatsby,
  held,
  html,
  nextjs,
  nextjsPages,
  startWebsite,
  sveltekit,
  type WebAnswers,
  type Website,
  wordpress,
} from './support/websites.ts'

let service: TestService
let client: PostriderClient
const websites: Website[] = []

beforeAll(async () => {
  service = await startService()
  client = await newAccount(service)
})
afterEach(async () => {
  for (const website of websites.splice(0)) await website.close()
})
afterAll(() => service.stop())

async function website(answers: WebAnswers = {}): Promise<Website> {
  const started = await startWebsite(answers)
  websites.push(started)
  return started
}

function connect(url: string, more: object = {}) {
  return client.sites.create({ name: 'Site', url, webhook_url: 'http://127.0.0.1:1/hooks', ...more })
}

async function platformOf(url: string): Promise<string> {
  const { id } = await connect(url)
  await service.drain()
  return (await client.sites.get(id)).platform
}

describe('a site that is not connected yet', () => {
  it('is recognised by its address, and left alone', async () => {
    const site = await website(gatsby)
    const owner = await newAccount(service)
    expect(await owner.sites.detectPlatform(site.url)).toMatchObject({ platform: 'gatsby', reached: true })
    expect((await owner.sites.list()).total).toBe(0)
  })

  it('is custom when it says nothing of itself, and not reached when it does not answer', async () => {
    expect(await client.sites.detectPlatform((await website()).url)).toEqual({ platform: 'custom', reached: true })
    const astro = await website({ '/': { body: html('<meta name="generator" content="Astro v7.1.0">') } })
    const generator = 'Astro v7.1.0'
    expect(await client.sites.detectPlatform(astro.url)).toEqual({ platform: 'custom', generator, reached: true })
    expect(await client.sites.detectPlatform('http://127.0.0.1:1')).toEqual({
      platform: 'custom',
      reached: false,
      reason: 'connection_refused',
    })
    expect(await client.sites.detectPlatform('https://10.0.0.1')).toEqual({
      platform: 'custom',
      reached: false,
      reason: 'blocked_address',
    })
    await expect(client.sites.detectPlatform('nonsense')).rejects.toMatchObject({ status: 400, field: 'url' })
  })
})

describe('a site without a platform', () => {
  it.each([
    ['nextjs', nextjs],
    ['nextjs', nextjsPages],
    ['gatsby', gatsby],
    ['sveltekit', sveltekit],
    ['wordpress', wordpress('/wp-json/')],
    ['wordpress', { ...wordpress('/index.php?rest_route=/'), '/index.php': wordpress('/')['/wp-json/'] ?? {} }],
  ])('is recognised as %s', async (platform, answers) => {
    const site = await website(answers)
    expect(await platformOf(site.url)).toBe(platform)
    expect(site.asked).toHaveLength(2)
  })

  it('is custom until it has been looked at, and is looked at once', async () => {
    const site = await website(nextjs)
    const created = await connect(site.url)
    expect(created.platform).toBe('custom')
    expect(site.asked).toEqual([])
    await service.drain()
    await service.advance(86_400_000)
    expect(site.asked).toHaveLength(2)
    expect((await client.sites.get(created.id)).platform).toBe('nextjs')
  })

  it('is what visitors see: a front end goes before the WordPress behind it', async () => {
    const front = nextjs['/'] as { headers: Record<string, string>; body: string }
    const both = front.body.replace('</body>', '<img src="/wp-content/uploads/a.jpg"></body>')
    const site = await website({ ...wordpress('/wp-json/'), ...nextjs, '/': { ...front, body: both } })
    expect(await platformOf(site.url)).toBe('nextjs')
    const moved = await website({ ...wordpress('/wp-json/'), '/': { ...front, body: both } })
    expect(await platformOf(moved.url)).toBe('wordpress')
  })

  it('is followed through two redirects of its own, not three, and to nobody else', async () => {
    const to = (location: string) => ({ status: 308, headers: { location } })
    expect(await platformOf((await website({ ...gatsby, '/a': to('/b'), '/b': to('/') })).url.concat('/a'))).toBe(
      'gatsby',
    )
    const far = await website({ ...gatsby, '/a': to('/b'), '/b': to('/c'), '/c': to('/') })
    expect(await platformOf(`${far.url}/a`)).toBe('custom')
    expect(far.asked).toEqual(['/a', '/b', '/c'])
    const other = await website(gatsby)
    expect(await platformOf((await website({ '/': to(other.url) })).url)).toBe('custom')
    expect(other.asked).toEqual([])
  })
})

describe('a site that is not sure', () => {
  const shell = html('<script type="module" src="/assets/index.js"></script>', '<div id="root"></div>')
  it.each<[string, WebAnswers]>([
    [
      'a page that writes about platforms',
      {
        ...wordpress('/wp-json/'),
        '/': {
          body: html(
            '<title>&lt;meta name="generator" content="WordPress 6.9"&gt;</title>',
            `<!-- /wp-content/ <img src="/wp-content/a.png"> -->
        <p>WordPress, Next.js, /wp-content/, /_next/static/</p><pre>&lt;script src="/_next/static/a.js"&gt;</pre>
        <script>const example = '<link href="/wp-content/a.css">'</script><a href="/wp-content/a.pdf">a file</a>`,
          ),
        },
      },
    ],
    [
      'a page with files of another site',
      { ...wordpress('/wp-json/'), '/': { body: html('', '<img src="https://blog.example.com/wp-content/a.png">') } },
    ],
    ['a shell that answers everything', { '*': { body: shell.replace('root', '___gatsby') } }],
    ['a shell that answers everything, with leftovers', { '*': { body: shell.replace('/assets/', '/_next/static/') } }],
    [
      'soft errors',
      {
        '/': gatsby['/'] ?? {},
        '*': { headers: { 'content-type': 'application/json' }, body: '{"error":"not found"}' },
      },
    ],
    ['a probe that is not there', { '/': wordpress('/wp-json/')['/'] ?? {} }],
    ['a firewall before the probe', { '/': sveltekit['/'] ?? {}, '*': { status: 403, body: 'Forbidden' } }],
    [
      'a firewall before the page',
      {
        ...nextjs,
        '/': {
          status: 403,
          headers: { 'x-powered-by': 'Next.js' },
          body: html('<script src="/_next/static/chunks/4c2a5d1f9b0e7a63.js"></script>'),
        },
      },
    ],
    [
      'a picture',
      { '/': { headers: { 'content-type': 'image/png' }, body: Buffer.from('89504e470d0a1a0a00ff00fe', 'hex') } },
    ],
    ['nothing', { '/': {} }],
  ])('stays custom: %s', async (_, answers) => {
    expect(await platformOf((await website(answers)).url)).toBe('custom')
  })

  it('stays custom where private addresses are not called, and nothing is sent', async () => {
    const strict = await startService({ WEBHOOK_ALLOW: 'none' })
    const owner = await newAccount(strict)
    const site = await website(nextjs)
    const { id } = await owner.sites.create({ name: 'S', url: site.url, webhook_url: 'https://example.com/hooks' })
    await strict.drain()
    expect((await owner.sites.get(id)).platform).toBe('custom')
    expect(site.asked).toEqual([])
    await strict.stop()
  })

  it.each<[string, string | Buffer, Record<string, string>]>([
    ['long', `${gatsbyPage()}${'x'.repeat(2_000_000)}`, {}],
    [
      'in another encoding',
      Buffer.concat([Buffer.from('<p>caf\xe9 \xff\xc3(</p>', 'latin1'), Buffer.from(gatsbyPage())]),
      {},
    ],
    ['in UTF-16', Buffer.from(`\ufeff${gatsbyPage()}`, 'utf16le'), {}],
  ])('is recognised when its page is %s', async (_, body, headers) => {
    expect(await platformOf((await website({ ...gatsby, '/': { headers, body } })).url)).toBe('gatsby')
  })

  it('counts headers alone when the page comes compressed', async () => {
    const packed = { headers: { 'content-encoding': 'gzip' }, body: gzipSync(gatsbyPage()) }
    expect(await platformOf((await website({ ...gatsby, '/': packed })).url)).toBe('custom')
    const announcing = { ...packed, headers: { ...packed.headers, link: '</wp-json/>; rel="https://api.w.org/"' } }
    expect(await platformOf((await website({ ...wordpress(''), '/': announcing })).url)).toBe('wordpress')
  })
})

function gatsbyPage(): string {
  return (gatsby['/'] as { body: string }).body
}

describe('a platform that the user chose', () => {
  it('is kept: given on create', async () => {
    const site = await website(nextjs)
    const { id } = await connect(site.url, { platform: 'custom' })
    await service.drain()
    await client.sites.update(id, { url: `${site.url}/other` })
    await service.drain()
    expect((await client.sites.get(id)).platform).toBe('custom')
    expect(site.asked).toEqual([])
  })

  it.each(['gatsby', 'custom'] as const)('is kept: set to %s while the site is being looked at', async (platform) => {
    const { page, release, reached } = held(nextjs)
    const { id } = await connect((await website(page)).url)
    const drained = service.drain()
    await reached
    expect(await client.sites.update(id, { platform })).toMatchObject({ platform })
    release()
    await drained
    await service.advance(3_600_000)
    expect((await client.sites.get(id)).platform).toBe(platform)
  })

  it('is not one that merely comes back with the whole resource', async () => {
    const site = await website(nextjs)
    const { id } = await connect(site.url)
    await client.sites.update(id, { ...(await client.sites.get(id)), name: 'Renamed' } as never)
    await service.drain()
    expect((await client.sites.get(id)).platform).toBe('nextjs')
  })
})

describe('another address', () => {
  it('is looked at anew, and what was known of the old one goes', async () => {
    const { id } = await connect((await website(nextjs)).url)
    await service.drain()
    const changed = await client.sites.update(id, { url: (await website(sveltekit)).url })
    expect(changed.platform).toBe('custom')
    await service.drain()
    expect((await client.sites.get(id)).platform).toBe('sveltekit')
  })

  it('wins over a look at the old one that ends later', async () => {
    const { page, release, reached } = held(nextjs)
    const { id } = await connect((await website(page)).url)
    const drained = service.drain()
    await reached
    await client.sites.update(id, { url: (await website(gatsby)).url })
    release()
    await drained
    expect((await client.sites.get(id)).platform).toBe('gatsby')
  })
})

describe('a site that does not answer', () => {
  it('is looked at once more, minutes later', async () => {
    const site = await website({ '*': { status: 503 } })
    const { id } = await connect(site.url)
    await service.drain()
    await service.advance(60_000)
    expect(site.asked).toHaveLength(1)
    site.answer(nextjs)
    await service.advance(300_000)
    expect((await client.sites.get(id)).platform).toBe('nextjs')
  })

  it('is given up after two tries', async () => {
    const site = await website({ '/': (_, response) => void response.destroy() })
    await connect(site.url)
    await service.drain()
    for (let hour = 0; hour < 3; hour += 1) await service.advance(3_600_000)
    expect(site.asked).toHaveLength(2)
  })

  it('is forgotten when it is deleted meanwhile', async () => {
    const { page, release, reached } = held(nextjs)
    const { id } = await connect((await website(page)).url)
    const drained = service.drain()
    await reached
    await client.sites.delete(id)
    release()
    await drained
    await expect(client.sites.get(id)).rejects.toMatchObject({ status: 404 })
  })
})

describe('several workers', () => {
  let second: Awaited<ReturnType<typeof createApp>>
  beforeAll(async () => {
    const { config, clock, db, log } = service.ctx
    second = await createApp(config, { clock, log, database: { db, maintain: undefined, signalsUrl: undefined } })
  })
  afterAll(() => second.ctx.egress.close())

  it('share the sites: each is looked at by one', async () => {
    const sites = await Promise.all(Array.from({ length: 20 }, () => website(nextjs)))
    for (const { url } of sites) await connect(url)
    await Promise.all([service.drain(), second.drain()])
    expect(sites.map(({ asked }) => asked.length)).toEqual(sites.map(() => 2))
  })

  it('do not undo what another found at a newer address', async () => {
    const { page, release, reached } = held(nextjs)
    const { id } = await connect((await website(page)).url)
    const drained = service.drain()
    await reached
    await client.sites.update(id, { url: (await website(gatsby)).url })
    await second.drain()
    release()
    await drained
    expect((await client.sites.get(id)).platform).toBe('gatsby')
  })
})
