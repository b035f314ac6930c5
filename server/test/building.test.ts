/** Sites that are made by a build: what their builds read of the real service, by the SDK, by Astro's loader and by Gatsby's plugin. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectionCode, type PostriderClient, type SiteWithSecrets } from '@postrider/sdk'
import { readPosts } from '@postrider/sdk/receiver'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type LoaderContext, loadPosts, type PostData } from '../../integrations/astro/src/load.ts'
import { postPaths } from '../../integrations/astro/src/paths.ts'
import { createPages, onPostBuild, sourceNodes } from '../../integrations/gatsby/src/gatsby-node.ts'
import { newAccount, startService, type TestService } from './support/service.ts'

let service: TestService
let client: PostriderClient
let site: SiteWithSecrets

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())
beforeEach(async () => {
  client = await newAccount(service)
  site = await connect()
})

const connect = () => client.sites.create({ name: 'Site', url: 'https://example.com', webhook_url: `${service.url}/` })
const codeOf = ({ id, api_key: key, webhook_secret: secret }: SiteWithSecrets, url = service.url) =>
  connectionCode({ url, site: id, key, secret })
const publish = (title: string) => {
  service.clock.advance(1) // what is listed newest first has instants of its own
  return client.posts.create({ title, body: { markdown: `Text of **${title}**.` }, status: 'published' })
}
const UNREACHABLE = 'http://127.0.0.1:1'

describe('the SDK', () => {
  it('reads all posts once, with the addresses that they had before', async () => {
    const one = await publish('One')
    await publish('Two')
    await client.posts.update(one.id, { slug: 'first' })
    const posts = readPosts({ connection: codeOf(site) })
    expect((await posts.list()).posts.map(({ slug }) => slug)).toEqual(['two', 'first'])
    expect((await posts.slugs()).sort()).toEqual(['first', 'one', 'two'])
    expect(await posts.find('one')).toMatchObject({
      slug: 'first',
      body: { html: expect.stringContaining('<strong>') },
    })
    // A build is not a delivery.
    expect((await client.posts.get(one.id)).deliveries.map(({ status }) => status)).toEqual(['pending'])
  })

  it('says why a build stops that cannot read them', async () => {
    await expect(readPosts({ connection: codeOf(site, UNREACHABLE) }).list()).rejects.toThrow(
      /^The posts could not be read from http:\/\/127\.0\.0\.1:1: .+\. The build stops here, so that the site that is online stays as it is\.$/,
    )
  })
})

/** A content collection as Astro keeps it. */
function collection() {
  const [entries, kept] = [new Map<string, { id: string; data: PostData }>(), new Map<string, string>()]
  const said: string[] = []
  const context: LoaderContext = {
    store: {
      get: (id) => entries.get(id),
      set: (entry) => entries.set(entry.id, entry) !== undefined,
      delete: (id) => void entries.delete(id),
      clear: () => entries.clear(),
      entries: () => [...entries],
    },
    meta: {
      get: (key) => kept.get(key),
      set: (key, value) => void kept.set(key, value),
      delete: (key) => void kept.delete(key),
    },
    logger: { info: (message) => void said.push(message), warn: (message) => void said.push(message) },
    generateDigest: JSON.stringify,
  }
  return {
    said,
    load: (of = site) => loadPosts(context, codeOf(of)),
    titles: () => Object.fromEntries([...entries].map(([slug, { data }]) => [slug, data.title])),
    paths: () => postPaths([...entries.values()]).map(({ params, props }) => [params.slug, props.post.id]),
  }
}

describe('a collection of Astro', () => {
  it('follows what changes: slugs that change hands, removals, and another site', async () => {
    const posts = collection()
    const [one, two] = [await publish('One'), await publish('Two')]
    await posts.load()
    expect(posts.titles()).toEqual({ one: 'One', two: 'Two' })
    await client.posts.update(one.id, { slug: 'first' })
    await client.posts.update(two.id, { slug: 'one' })
    await client.posts.update(one.id, { title: 'First' })
    await posts.load()
    expect(posts.titles()).toEqual({ first: 'First', one: 'Two' })
    // The address that both had is that of the post which has it now.
    expect(posts.paths().sort()).toEqual([
      ['first', 'first'],
      ['one', 'one'],
      ['two', 'one'],
    ])
    await client.posts.delete(one.id)
    await posts.load()
    expect(posts.titles()).toEqual({ one: 'Two' })
    expect(posts.said).toEqual([
      'Posts: 2; new or changed: 2',
      'Posts: 2; new or changed: 2',
      'Posts: 1; new or changed: 1',
    ])
    await client.posts.update(two.id, { status: 'draft' })
    await posts.load(await connect())
    expect(posts.titles()).toEqual({})
  })
})

/** What is kept by Gatsby, which removes the nodes that a build neither makes nor touches. */
function graph(directory: string) {
  const pages = [{ id: 'page', path: '/blog/own/' }]
  const store = { getState: () => ({ program: { directory } }) }
  type Node = { id: string } & Record<string, unknown>
  const [nodes, kept] = [new Map<string, Node>(), new Map<string, unknown>()]
  const redirects: string[] = []
  const of = {
    getNode: (id: string) => nodes.get(id),
    getNodesByType: (type: string) => (type === 'SitePage' ? pages : [...nodes.values()]),
  }
  return {
    async build(connected = site) {
      const current = new Set<string>()
      const actions = {
        createTypes() {},
        createNode(node: Node) {
          nodes.set(node.id, node)
          current.add(node.id)
        },
        touchNode: ({ id }: Node) => void current.add(id),
        deleteNode: ({ id }: Node) => void nodes.delete(id),
        createRedirect: ({ fromPath, toPath }: { fromPath: string; toPath: string }) =>
          void redirects.push(`${fromPath} → ${toPath}`),
      }
      const cache = {
        get: async (key: string) => kept.get(key),
        set: async (key: string, value: unknown) => kept.set(key, value),
      }
      const [createNodeId, createContentDigest] = [(text: string) => text, JSON.stringify]
      const reporter = { warn() {} }
      await sourceNodes(
        { ...of, actions, cache, createNodeId, createContentDigest, reporter },
        { connection: codeOf(connected) },
      )
      for (const id of nodes.keys()) if (!current.has(id)) nodes.delete(id)
      redirects.length = 0
      createPages({ ...of, actions }, {})
      await onPostBuild({ ...of, cache, basePath: '', store }, {})
      return { titles: [...nodes.values()].map(({ title }) => title).sort(), redirects: [...redirects] }
    },
  }
}

describe('nodes of Gatsby', () => {
  it('follow what changes, and redirect the addresses of before', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'postrider-gatsby-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    const former = () => readFile(join(directory, 'public/blog/one/index.html'), 'utf8').catch(() => '')
    const gatsby = graph(directory)
    const [one, two] = [await publish('One'), await publish('Two')]
    expect(await gatsby.build()).toEqual({ titles: ['One', 'Two'], redirects: [] })
    await client.posts.update(one.id, { title: 'First', slug: 'first' })
    expect(await gatsby.build()).toEqual({ titles: ['First', 'Two'], redirects: ['/blog/one → /blog/first'] })
    await mkdir(join(directory, 'public/blog/own'), { recursive: true })
    await writeFile(join(directory, 'public/blog/own/index.html'), 'a page of the site’s own')
    expect(await former()).toContain('content="0; url=/blog/first"')
    await client.posts.delete(two.id)
    expect((await gatsby.build()).titles).toEqual(['First'])
    expect((await gatsby.build()).titles).toEqual(['First'])
    await client.posts.update(one.id, { status: 'draft' })
    await publish('Three')
    expect((await gatsby.build(await connect())).titles).toEqual(['Three'])
    expect(await former()).toBe('')
    const own = await publish('Own')
    await client.posts.update(own.id, { slug: 'moved' })
    await gatsby.build()
    expect(await readFile(join(directory, 'public/blog/own/index.html'), 'utf8')).toBe('a page of the site’s own')
  })
})
