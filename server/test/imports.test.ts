/** Bringing posts along: what arrives, what is lost of it, and that nothing happens twice. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { ImportedPost, ImportWithReport, PostriderClient } from '@postrider/sdk'
import { createPullClient } from '@postrider/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { archiveOf, filesIn } from './support/archive.ts'
import { request } from './support/http.ts'
import { pngOf, smallPicture } from './support/pictures.ts'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { connectSite, newAccount, startService, type TestService, tokenOf } from './support/service.ts'

let service: TestService
let receiver: Receiver

beforeAll(async () => {
  service = await startService({ IMPORT_MAX: '1MB' })
  receiver = await startReceiver()
})
afterAll(async () => {
  await receiver.close()
  await service.stop()
})

const kitchenNotes = new Blob([readFileSync(new URL('./files/kitchen-notes.wordpress.xml', import.meta.url))])

async function looked(client: PostriderClient, file: Blob): Promise<ImportWithReport> {
  const { import_id: id } = await client.imports.create(file)
  await service.drain()
  return client.imports.get(id)
}

async function imported(client: PostriderClient, file: Blob): Promise<ImportWithReport> {
  const { import_id: id } = await looked(client, file)
  await client.imports.run(id)
  await service.drain()
  return client.imports.get(id)
}

async function entriesOf(
  client: PostriderClient,
  { import_id: id }: ImportWithReport,
): Promise<Map<string, ImportedPost>> {
  const { data } = await client.imports.posts(id, { limit: 100 })
  return new Map(data.map((one) => [one.title, one]))
}

async function exported(client: PostriderClient, format: 'json' | 'markdown' = 'json'): Promise<Blob> {
  return new Blob([await new Response(await client.export({ format })).arrayBuffer()])
}

const markdown = async (files: Record<string, string | Uint8Array>) => new Blob([await archiveOf(files)])

describe('a file of WordPress', () => {
  it('says before anything is done what will come of it, and what is lost', async () => {
    const client = await newAccount(service)
    const found = await looked(client, kitchenNotes)
    expect(found).toMatchObject({ status: 'ready', format: 'wordpress', progress: { done: 0, total: 9 } })
    expect(found.report).toMatchObject({ new: 9, same: 0, changed: 0, refused: 4, redirects: 2 })
    expect(found.report.authors).toEqual([
      { name: 'Ada Lovelace', posts: 8 },
      { name: 'Grace Hopper', posts: 1 },
    ])
    const entries = await entriesOf(client, found)
    expect(entries.get('Thrown away')).toMatchObject({ outcome: 'refused', reason: 'It is in the trash.' })
    expect(entries.get('About')?.reason).toBe('It is a page, and only posts are imported.')
    const bread = entries.get('Bread & butter: “the classic”')
    expect(bread).toMatchObject({ outcome: 'new', slug: 'bread-and-butter', author: 'Ada Lovelace', post_id: null })
    expect(bread?.redirects).toEqual([
      { from: 'bread', to: 'bread-and-butter' },
      { from: 'brot', to: 'bread-and-butter' },
    ])
    expect(bread?.media).toContain('https://kitchen.example.com/wp-content/uploads/2024/05/loaf-600x400.jpg')
    expect(bread?.losses.map(({ message }) => message).join()).toContain('[contact-form-7]')
    const lost = entries
      .get('Blocks')
      ?.losses.map(({ message }) => message)
      .join()
    expect(lost).toContain('latest-posts')
    expect((await client.posts.list()).pagination.total).toBe(0)
  })

  it('brings posts with their dates, as if they had been published for long: no site is sent them, and those that pull see them', async () => {
    const client = await newAccount(service)
    const site = await connectSite(client, receiver)
    const done = await imported(client, kitchenNotes)
    expect(done).toMatchObject({ status: 'complete', progress: { done: 9, total: 9 }, report: { new: 9 } })
    const entries = await entriesOf(client, done)
    const post = await client.posts.get(entries.get('Bread & butter: “the classic”')?.post_id ?? '')
    expect(post).toMatchObject({
      ...{ status: 'published', published_at: '2019-05-06T06:30:00.000Z', created_at: '2019-05-06T06:30:00.000Z' },
      ...{ slug: 'bread-and-butter', excerpt: 'How to bake bread.', deliveries: [] },
      tags: ['Baking & Bread', 'crust', 'slow food', 'Soups'],
      meta: {
        ...{ title: 'Bread | Kitchen', description: 'The best bread.' },
        ...{ canonical_url: 'https://kitchen.example.com/bread/' },
        og_image: 'https://kitchen.example.com/wp-content/uploads/2024/05/loaf.jpg',
      },
    })
    expect(post.body.html).toContain('<p>A first paragraph with a<br>\nline break')
    expect(post.body.html).toContain('<figcaption>Fresh from <em>the oven</em></figcaption>')
    expect(post.body.html).toContain('https://www.youtube.com/embed/dQw4w9WgXcQ')
    expect(post.body.html.match(/<figure>/g)?.length).toBeGreaterThanOrEqual(4)
    const statusOf = async (title: string) => (await client.posts.get(entries.get(title)?.post_id ?? '')).status
    expect(await statusOf('Private thoughts')).toBe('draft')
    expect(await statusOf('With a password')).toBe('draft')
    expect(await statusOf('Next year')).toBe('scheduled')
    expect(receiver.received).toEqual([])
    const pull = createPullClient({ baseUrl: service.url, apiKey: site.api_key })
    expect((await pull.list()).posts).toHaveLength(4)
    expect((await pull.lookUp('brot')).post?.slug).toBe('bread-and-butter')
    const { revisions } = await client.posts.revisions(post.id)
    expect(revisions).toMatchObject([{ version: 1, by: 'import', sent: false }])
    await client.sites.backfill(site.id)
    await service.drain()
    expect(receiver.received.filter(({ json }) => json.event === 'post.published')).toHaveLength(4)
    receiver.received.length = 0
  })

  it('changes nothing the second time', async () => {
    const client = await newAccount(service)
    await imported(client, kitchenNotes)
    const before = await client.posts.list({ limit: 100 })
    const again = await imported(client, kitchenNotes)
    expect(again.report).toMatchObject({ new: 0, same: 9, changed: 0, refused: 4 })
    expect(await client.posts.list({ limit: 100 })).toEqual(before)
  })
})

describe('our own exports', () => {
  it('make equal posts in an empty account, which export the same but for ids', async () => {
    const [from, to] = [await newAccount(service), await newAccount(service)]
    const site = await connectSite(from, receiver)
    const bread = await from.posts.create({
      title: 'Bread',
      body: { html: '<p>A <mark>loaf</mark>.</p>' },
      tags: ['b', 'a'],
    })
    await from.posts.update(bread.id, { status: 'published', meta: { description: 'Good.' } })
    await service.drain()
    receiver.received.length = 0
    await from.posts.update(bread.id, { slug: 'loaf', excerpt: 'Short.' })
    await from.posts.create({ title: 'For one', site_ids: [site.id], body: { markdown: 'Only *here*.' } })
    const planned = {
      status: 'scheduled',
      scheduled_at: '2027-02-01T09:00:00+09:00',
      schedule_zone: 'Asia/Tokyo',
    } as const
    await from.posts.create({ title: 'Soon', ...planned, unpublish_at: '2027-03-01T00:00:00Z' })
    const file = await exported(from)
    expect((await imported(to, file)).report).toMatchObject({ new: 3, refused: 0, lossy: 0 })
    const withoutIds = async (archive: Blob) => {
      const files = await filesIn(new Uint8Array(await archive.arrayBuffer()))
      const ids = /"(id|primary_site_id)": "[^"]*"|"site_ids": \[[^\]]*\]/g
      return [...files].map(([name, text]) => [name, text.replaceAll(ids, '"$1": ""')])
    }
    expect(await withoutIds(await exported(to))).toEqual(await withoutIds(file))
    expect((await imported(to, file)).report).toMatchObject({ new: 0, same: 3 })
    // Nobody else's sites get what was for one.
    expect((await to.posts.list({ search: 'one' })).data[0]?.site_ids).toEqual([])
    await service.drain()
  })

  it.each(['json', 'markdown'] as const)('change nothing in the account that made them, as %s', async (format) => {
    const client = await newAccount(service)
    const post = await client.posts.create({
      title: 'Bread',
      body: { html: '<p>A <mark>loaf</mark>.</p>' },
      tags: ['b'],
    })
    await client.posts.create({ title: 'Soup', status: 'published', body: { markdown: 'Hot\\\n**soup**\n' } })
    const file = await exported(client, format)
    expect((await imported(client, file)).report).toMatchObject({ new: 0, same: 2, changed: 0, refused: 0 })
    expect((await client.posts.list()).pagination.total).toBe(2)
    // What was written since is never replaced by an older export.
    await client.posts.update(post.id, { title: 'Rye' })
    const later = await looked(client, file)
    expect(later.report).toMatchObject({ same: 1, changed: 0, refused: 1 })
    expect((await entriesOf(client, later)).get('Bread')?.reason).toContain('was changed here since the export')
  })

  it('bring back what was edited in them', async () => {
    const client = await newAccount(service)
    const { id } = await client.posts.create({ title: 'Bread', body: { markdown: 'A loaf.\n' } })
    const files = await filesIn(new Uint8Array(await (await exported(client, 'markdown')).arrayBuffer()))
    const edited = (files.get('posts/bread.md') ?? '').replace('A loaf.', 'Two loaves.')
    const done = await imported(client, await markdown({ 'posts/bread.md': edited }))
    expect(done.report).toMatchObject({ changed: 1 })
    const post = await client.posts.get(id)
    expect(post).toMatchObject({ version: 2, body: { markdown: 'Two loaves.\n' } })
    await client.imports.delete(done.import_id)
    await service.drain()
    expect(await client.posts.get(id)).toMatchObject({ version: 3, body: { markdown: 'A loaf.\n' } })
  })
})

describe('Markdown of static sites', () => {
  it('is understood by the habits of Hugo, Jekyll, Astro and Zola', async () => {
    const client = await newAccount(service)
    const done = await imported(
      client,
      await markdown({
        'blog-main/content/_index.md': '---\ntitle: Blog\n---\n',
        'blog-main/content/posts/bread/index.md':
          '---\ntitle: Bread\ndate: 2020-05-06T08:00:00+02:00\nlastmod: 2020-06-01\ntags: [baking]\ncategories: [Food]\naliases: [/2019/brot/]\ndescription: Good bread.\n---\nA **loaf**. {{< youtube x >}}\n\n![](loaf.jpg)\n',
        'blog-main/_posts/2018-03-04-soup.md': '---\ntitle: "Soup: hot"\nredirect_from: /old/soup.html\n---\nHot.\n',
        'blog-main/_drafts/cake.md': '---\ntitle: Cake\n---\nSweet.\n',
        'blog-main/src/content/blog/rye.mdx':
          '---\ntitle: Rye\npubDate: "2021-01-02"\nheroImage: https://example.com/rye.jpg\n---\nDark.\n',
        'blog-main/content/wheat.md':
          '+++\ntitle = "Wheat"\ndate = 2022-03-04\n[taxonomies]\ntags = ["grain"]\n+++\nPale.\n',
        'blog-main/content/plain.md': '# A heading\n\nAnd text.\n',
        'blog-main/content/broken.md': '---\ntitle: [\n---\nx\n',
        'blog-main/LICENSE.md': 'All rights reserved.\n',
      }),
    )
    expect(done.report).toMatchObject({ new: 6, refused: 3 })
    const { data } = await client.posts.list({ limit: 100 })
    const bySlug = new Map(data.map((post) => [post.slug, post]))
    expect(bySlug.get('bread')).toMatchObject({
      ...{ title: 'Bread', status: 'published', published_at: '2020-05-06T06:00:00.000Z', tags: ['Food', 'baking'] },
      ...{ meta: { description: 'Good bread.' }, updated_at: '2020-06-01T00:00:00.000Z' },
    })
    expect(bySlug.get('soup')).toMatchObject({ title: 'Soup: hot', published_at: '2018-03-04T00:00:00.000Z' })
    expect(bySlug.get('cake')?.status).toBe('draft')
    expect(bySlug.get('rye')?.meta).toEqual({ og_image: 'https://example.com/rye.jpg' })
    expect(bySlug.get('wheat')).toMatchObject({ tags: ['grain'], published_at: '2022-03-04T00:00:00.000Z' })
    expect(bySlug.get('plain')).toMatchObject({
      title: 'A heading',
      status: 'draft',
      body: { markdown: 'And text.\n' },
    })
    const entries = await entriesOf(client, done)
    expect(entries.get('Bread')?.redirects).toEqual([{ from: 'brot', to: 'bread' }])
    expect(entries.get('Bread')?.losses.map(({ code }) => code)).toEqual(['template', 'relative_address'])
    expect(entries.get('content/broken.md')?.reason).toContain('front matter cannot be read')
  })
})

describe('pictures', () => {
  const front = (title: string, more = '') => `---\ntitle: ${title}\ndate: 2020-05-06\n${more}---\n`
  const blog = async () => {
    const [red, blue, green] = await Promise.all(['red', 'blue', 'green'].map(pngOf))
    return {
      'blog/content/posts/bread/index.md': `${front('Bread', 'cover:\n  image: loaf.png\n')}![A loaf](loaf.png "Fresh") and [large](loaf.png?x=1)\n\n<img src="/img/oven%20door.png" alt="">\n`,
      'blog/content/posts/bread/loaf.png': red,
      'blog/static/img/oven door.png': blue,
      'blog/content/posts/soup.md': `${front('Soup')}![](../pictures/same.png) ![](broken.png) ![](missing.png) ![](drawing.svg)\n`,
      'blog/content/pictures/same.png': red,
      'blog/content/posts/broken.png': 'no picture',
      'blog/content/posts/drawing.svg': '<svg/>',
      'blog/content/unused.png': green,
    } as Record<string, string | Uint8Array>
  }

  it('come along into the library, the same bytes once, and are named where they cannot', async () => {
    const client = await newAccount(service)
    const files = await blog()
    const found = await looked(client, await markdown(files))
    expect(found.report).toMatchObject({ new: 2, media: 0, pictures: 3 })
    const losses = [...(await entriesOf(client, found)).values()].map((one) => one.losses.map(({ code }) => code))
    expect(losses).toEqual([[], ['relative_address']])
    expect((await client.media.list()).media).toEqual([])
    await client.imports.run(found.import_id)
    await service.drain()
    const { media } = await client.media.list()
    expect(media.map(({ name }) => name).sort()).toEqual(['loaf.png', 'oven door.png'])
    const [loaf, oven] = ['loaf.png', 'oven door.png'].map((name) => media.find((one) => one.name === name))
    const { data } = await client.posts.list()
    const [bread, soup] = ['bread', 'soup'].map((slug) => data.find((post) => post.slug === slug))
    expect(bread?.body.markdown).toBe(
      `![A loaf](${loaf?.url} "Fresh") and [large](${loaf?.url})\n\n<img src="${oven?.url}" alt="">\n`,
    )
    expect(bread?.meta.og_image).toBe(loaf?.url)
    expect(soup?.body.markdown).toBe(`![](${loaf?.url}) ![](broken.png) ![](missing.png) ![](drawing.svg)\n`)
    expect(loaf?.used_in.map(({ title }) => title).sort()).toEqual(['Bread', 'Soup'])
    const entry = (await entriesOf(client, found)).get('Soup')
    expect(entry?.losses.map(({ message }) => message).join()).toContain('The picture broken.png is not taken')
    expect((await imported(client, await markdown(files))).report).toMatchObject({ new: 0, same: 2 })
    expect((await client.media.list()).media).toHaveLength(2)
  })

  it('that are damaged in the archive are named', async () => {
    const archive = await archiveOf({ 'a.md': `${front('A')}![](loaf.png)\n`, 'loaf.png': await pngOf('yellow') })
    const data = Buffer.from(archive).indexOf('loaf.png', Buffer.from(archive).indexOf('PK\u0003\u0004', 4))
    archive.fill(0xff, data + 8, data + 40)
    const found = await looked(await newAccount(service), new Blob([archive]))
    expect(found.report).toMatchObject({ new: 1, pictures: 0 })
    expect(found.report.losses.map(({ message }) => message).join()).toContain(
      'loaf.png is not taken: its bytes in the',
    )
  })

  it('go with the import when it is undone, but for those that another post has', async () => {
    const client = await newAccount(service)
    const done = await imported(client, await markdown(await blog()))
    const { media } = await client.media.list()
    const loaf = media.find(({ name }) => name === 'loaf.png')
    await client.posts.create({ title: 'Mine', body: { markdown: `![](${loaf?.url})` } })
    await client.imports.delete(done.import_id)
    await service.drain()
    expect((await client.media.list()).media.map(({ name }) => name)).toEqual(['loaf.png'])
  })

  it('are kept for an import that is not run, and no longer', async () => {
    const client = await newAccount(service)
    const { user } = await client.account()
    const [forgotten, run] = [
      await looked(client, await markdown(await blog())),
      await looked(client, await markdown(await blog())),
    ]
    const folders = async () => readdir(join(service.ctx.config.dataDir, 'media/files', user.id))
    expect(await folders()).toEqual([forgotten.import_id, run.import_id].sort())
    await client.imports.delete(forgotten.import_id)
    await service.advance(2 * 3_600_000)
    expect(await folders()).toEqual([run.import_id])
    await client.imports.run(run.import_id)
    await service.drain()
    await service.advance(2 * 3_600_000)
    expect((await folders()).sort()).toEqual((await client.media.list()).media.map(({ id }) => id).sort())
  })

  it('on other hosts are taken over on request, once each, and named where they cannot', async () => {
    const client = await newAccount(service)
    const bytes = await pngOf('purple')
    const asked: string[] = []
    const old = createServer(({ url = '' }, response) => {
      asked.push(url)
      if (url.startsWith('/gone')) response.writeHead(404).end()
      else response.writeHead(200).end(bytes)
    })
    await once(old.listen(0, '127.0.0.1'), 'listening')
    const host = `http://127.0.0.1:${(old.address() as AddressInfo).port}`
    const frame = `<iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ"></iframe>`
    const file = await markdown({
      'a.md': `${front('A', `image: ${host}/up/loaf?w=1&h=2\n`)}![A loaf](${host}/up/loaf?w=1&h=2) ![](${host}/gone.png)\n\n${frame}\n`,
      'b.md': `${front('B')}<img src="${host}/up/loaf?w=1&amp;h=2" alt=""> ![](${host}/gone.png) [page](${host}/up/loaf)\n`,
    })
    const { import_id: id, report } = await looked(client, file)
    expect(report).toMatchObject({ media: 5, pictures: 0, lossy: 0 })
    await client.imports.run(id, { pictures: true })
    await service.drain()
    expect(asked).toEqual(['/up/loaf?w=1&h=2', '/gone.png'])
    const [loaf, ...others] = (await client.media.list()).media
    expect([loaf?.name, others]).toEqual(['loaf.png', []])
    const { data } = await client.posts.list()
    const [a, b] = ['a', 'b'].map((slug) => data.find((post) => post.slug === slug))
    expect(a?.body.markdown).toBe(`![A loaf](${loaf?.url}) ![](${host}/gone.png)\n\n${frame}\n`)
    expect(a?.meta.og_image).toBe(loaf?.url)
    expect(b?.body.markdown).toBe(`<img src="${loaf?.url}" alt=""> ![](${host}/gone.png) [page](${host}/up/loaf)\n`)
    const done = await client.imports.get(id)
    expect(done).toMatchObject({ status: 'complete', report: { pictures: 1, lossy: 2 } })
    expect(done.report.losses).toMatchObject([{ code: 'picture', posts: 2 }])
    expect(done.report.losses[0]?.message).toContain('the server answered 404')
    // Without being asked for, nothing is fetched.
    await imported(await newAccount(service), file)
    expect(asked).toHaveLength(2)
    old.close()
  })

  it.each(['json', 'markdown'] as const)(
    'of our own exports are the same here, and others elsewhere: %s',
    async (format) => {
      const [from, to] = [await newAccount(service), await newAccount(service)]
      const { url, id } = await from.media.upload(new File([await smallPicture()], 'Loaf.jpg'))
      await from.media.update(id, { name: 'Renamed since' })
      const body = { markdown: `![A loaf](${url}) ![](${url}?w=320&f=webp)\n` }
      await from.posts.create({ title: 'Bread', body, meta: { og_image: url }, status: 'published' })
      const file = new Blob([await new Response(await from.export({ format, media: 'true' })).arrayBuffer()])
      expect((await imported(from, file)).report).toMatchObject({ new: 0, same: 1, changed: 0 })
      expect((await imported(to, file)).report).toMatchObject({ new: 1, lossy: 0 })
      const [[theirs], [post]] = [(await to.media.list()).media, (await to.posts.list()).data]
      expect(theirs?.url).not.toBe(url)
      expect(post?.body.markdown).toBe(body.markdown.replaceAll(url, theirs?.url ?? ''))
      expect(post?.meta.og_image).toBe(theirs?.url)
      expect((await imported(to, file)).report).toMatchObject({ new: 0, same: 1 })
    },
  )
})

describe('a file of Ghost', () => {
  const file = (posts: object[]) =>
    new Blob([
      JSON.stringify({
        db: [
          {
            meta: { exported_on: 1_700_000_000_000, version: '5.82.0' },
            data: {
              posts,
              posts_meta: [{ post_id: '1', meta_description: 'Good.' }],
              posts_tags: [
                { post_id: '1', tag_id: 't' },
                { post_id: '1', tag_id: 'h' },
              ],
              tags: [
                { id: 't', name: 'Baking' },
                { id: 'h', name: '#hidden' },
              ],
              users: [{ id: 'u', name: 'Ada' }],
              posts_authors: [{ post_id: '1', author_id: 'u' }],
            },
          },
        ],
      }),
    ])
  const card =
    '<figure class="kg-card kg-bookmark-card"><a class="kg-bookmark-container" href="https://example.org/"><div class="kg-bookmark-title">A page</div></a></figure>'
  const bread = {
    ...{ id: '1', uuid: 'u1', title: 'Bread', slug: 'bread', type: 'post', status: 'published', visibility: 'public' },
    html: `<p>A loaf.</p><img src="__GHOST_URL__/content/loaf.jpg">${card}`,
    published_at: '2021-02-03T04:05:06.000Z',
  }
  const lexical = JSON.stringify({
    root: {
      type: 'root',
      children: [
        { type: 'paragraph', children: [{ type: 'text', text: 'Only members', format: 1 }] },
        { type: 'poll' },
      ],
    },
  })
  const members = { id: '2', title: 'Members', status: 'published', visibility: 'paid', lexical }

  it('brings cards as what they show, and keeps what was not for everybody a draft', async () => {
    const client = await newAccount(service)
    const done = await imported(client, file([bread, members, { id: '3', title: 'About', type: 'page' }]))
    expect(done.report).toMatchObject({ new: 2, refused: 1, authors: [{ name: 'Ada', posts: 1 }] })
    const { data } = await client.posts.list()
    const [post, hidden] = ['bread', 'members'].map((slug) => data.find((one) => one.slug === slug))
    expect(post).toMatchObject({ tags: ['Baking'], meta: { description: 'Good.' }, published_at: bread.published_at })
    expect(post?.body.markdown).toContain('<a href="https://example.org/">A page</a>')
    expect(hidden).toMatchObject({ status: 'draft', body: { html: '<p><strong>Only members</strong></p>' } })
    const losses = [...(await entriesOf(client, done)).values()].flatMap((one) => one.losses.map(({ code }) => code))
    expect(losses).toEqual(['relative_address', 'card', 'not_public'])
  })

  it('changes what is other there and untouched here, and leaves alone what was touched', async () => {
    const client = await newAccount(service)
    await imported(client, file([bread]))
    const changed = await imported(client, file([{ ...bread, html: '<p>Two loaves.</p>' }]))
    expect(changed.report).toMatchObject({ changed: 1 })
    const [post] = (await client.posts.list()).data
    expect(post).toMatchObject({ version: 2, body: { html: '<p>Two loaves.</p>' } })
    await client.posts.update(post?.id ?? '', { title: 'Mine' })
    const later = await looked(client, file([{ ...bread, html: '<p>Three.</p>' }]))
    expect(later.report).toMatchObject({ changed: 0, refused: 1 })
    expect((await entriesOf(client, later)).get('Bread')?.reason).toContain('was changed here since it was imported')
  })
})

describe('an import', () => {
  it('is undone, but for what was touched since; and is forgotten then', async () => {
    const client = await newAccount(service)
    const site = await connectSite(client, receiver)
    const file = await markdown({
      'a.md': '---\ntitle: A\ndate: 2020-01-01\n---\na\n',
      'b.md': '---\ntitle: B\ndate: 2020-01-01\n---\nb\n',
      'c.md': '---\ntitle: C\ndate: 2020-01-01\n---\nc\n',
    })
    const done = await imported(client, file)
    const entries = await entriesOf(client, done)
    await client.posts.update(entries.get('A')?.post_id ?? '', { title: 'Mine' })
    await client.posts.publish(entries.get('B')?.post_id ?? '', [site.id])
    await service.drain()
    receiver.received.length = 0
    expect(await client.imports.delete(done.import_id)).toMatchObject({ status: 'undoing' })
    await service.drain()
    const undone = await client.imports.get(done.import_id)
    expect(undone).toMatchObject({ status: 'undone', report: { undone: 1, kept: 2 } })
    expect((await client.posts.list()).data.map(({ title }) => title).sort()).toEqual(['B', 'Mine'])
    expect(receiver.received).toEqual([])
    expect((await imported(client, file)).report).toMatchObject({ new: 1, same: 2 })
    expect(await client.imports.delete(done.import_id)).toBeUndefined()
    await expect(client.imports.get(done.import_id)).rejects.toMatchObject({ status: 404 })
    await expect(client.imports.run((await looked(client, file)).import_id)).resolves.toMatchObject({
      status: 'importing',
    })
  })

  it('runs once, and lists only its own account', async () => {
    const [client, other] = [await newAccount(service), await newAccount(service)]
    const done = await imported(client, await markdown({ 'a.md': '---\ntitle: A\ndate: 2020-01-01\n---\na\n' }))
    await expect(client.imports.run(done.import_id)).rejects.toMatchObject({ status: 409 })
    expect((await client.imports.list()).data).toMatchObject([{ import_id: done.import_id, counts: { new: 1 } }])
    expect((await other.imports.list()).data).toEqual([])
    await expect(other.imports.get(done.import_id)).rejects.toMatchObject({ status: 404 })
  })

  it('comes in a form as well, and is cut off by nobody’s slug', async () => {
    const client = await newAccount(service)
    await client.posts.create({ title: 'A' })
    const form = new FormData()
    form.append('file', await markdown({ 'a.md': '---\ntitle: A\ndate: 2020-01-01\nid: 5\n---\na\n' }), 'my blog.zip')
    const token = await tokenOf(service, client)
    const answer = await fetch(`${service.url}/api/imports`, {
      method: 'POST',
      body: form,
      headers: { authorization: `Bearer ${token}` },
    })
    const created = (await answer.json()) as ImportWithReport
    expect(created).toMatchObject({ name: 'my blog.zip', status: 'reading', format: 'markdown' })
    await service.drain()
    await client.imports.run(created.import_id)
    await service.drain()
    expect((await client.posts.list()).data.map(({ slug }) => slug).sort()).toEqual(['a', 'a-2'])
    const empty = await request(`${service.url}/api/imports`, {
      method: 'POST',
      token,
      raw: '--x--\r\n',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    })
    expect(empty.json).toMatchObject({ error: 'validation_error', field: 'file' })
  })
})

describe('is refused with a sentence, and leaves nothing:', () => {
  const entities = `<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>`
  const rows: Array<[string, () => Promise<Blob>, RegExp]> = [
    ['a text', async () => new Blob(['Hello.']), /none that can be imported/],
    ['another XML file', async () => new Blob(['<svg/>']), /not an export of WordPress/],
    ['a document type', async () => new Blob([`<?xml version="1.0"?>${entities}<rss>&b;</rss>`]), /document type/],
    [
      'a file of this machine',
      async () => new Blob(['<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><rss>&x;</rss>']),
      /document type/,
    ],
    ['a file that is cut off', async () => kitchenNotes.slice(0, 20_000), /not well-formed/],
    ['another JSON file', async () => new Blob(['{"a": 1}']), /no posts in the file/],
    ['JSON that is nested deeply', async () => new Blob([`{"db":${'['.repeat(100_000)}`]), /nested too deeply/],
    ['an archive without posts', async () => markdown({ 'a.txt': 'x' }), /no posts in the archive/],
    ['a broken archive', async () => new Blob(['PK\u0003\u0004nonsense']), /cannot be read/],
    [
      'a path that leads out',
      async () => renamed(await archiveOf({ 'aa/aa/x.md': '# x' }), 'aa/aa/x.md', '../../x.md'),
      /cannot be read/,
    ],
    ['a link', async () => new Blob([await archiveOf({ 'a.md': '/etc/passwd' }, 0o120777)]), /link in it/],
    ['a bomb', async () => markdown({ 'a.md': 'x'.repeat(20_000_000) }), /larger than 8 MiB unpacked/],
    [
      'a bomb in pieces',
      async () =>
        markdown(Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`${index}.md`, 'x'.repeat(4_000_000)]))),
      /100 times as large unpacked/,
    ],
  ]
  it.each(rows)('%s', async (_, file, message) => {
    const client = await newAccount(service)
    await expect(client.imports.create(await file())).rejects.toMatchObject({
      status: 400,
      field: 'file',
      message: expect.stringMatching(message),
    })
    expect((await client.imports.list()).data).toEqual([])
  })

  it('an archive of a hundred thousand files', async () => {
    const roomy = await startService({ IMPORT_MAX: '16MB' })
    const client = await newAccount(roomy)
    await expect(client.imports.create(crowded(await archiveOf({ 'a.md': '# A' }), 100_000))).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('has 100000 files. At most 50000 are read'),
    })
    expect((await client.imports.list()).data).toEqual([])
    await roomy.stop()
  })

  it('what is larger than the operator allows', async () => {
    const client = await newAccount(service)
    await expect(client.imports.create(new Blob(['<rss>', 'x'.repeat(2 ** 20)]))).rejects.toMatchObject({ status: 413 })
  })

  it('an alias that multiplies itself, and a text that no post can have', async () => {
    const client = await newAccount(service)
    const laughs = [
      'a: &a [x,x,x,x,x,x,x,x]',
      ...'bcdefgh'.split('').map((name, index) => `${name}: &${name} [${Array(8).fill(`*${'abcdefg'[index]}`)}]`),
    ]
    const found = await looked(
      client,
      await markdown({ 'a.md': `---\n${laughs.join('\n')}\n---\n`, 'b.md': `# B\n\n${'> '.repeat(2_000)}deep` }),
    )
    expect(found.report).toMatchObject({ new: 0, refused: 2 })
  })
})

/** An archive in which a file has another name of the same length. */
function renamed(archive: Uint8Array<ArrayBuffer>, from: string, to: string): Blob {
  const bytes = Buffer.from(archive)
  for (let at = bytes.indexOf(from); at !== -1; at = bytes.indexOf(from, at)) bytes.write(to, at)
  return new Blob([bytes])
}

/** An archive whose list names its only file so many times. */
function crowded(archive: Uint8Array<ArrayBuffer>, times: number): Blob {
  const ends = archive.length - 22
  const end = Buffer.from(archive.subarray(ends))
  const starts = end.readUInt32LE(16)
  const list = Buffer.concat(Array.from({ length: times }, () => archive.subarray(starts, ends)))
  // More than 65,535 files are counted in a record of its own (APPNOTE.TXT, 4.3.14), which a locator finds.
  const record = Buffer.from(`504b0606${'2c'.padEnd(16, '0')}2d002d00${'0'.repeat(80)}`, 'hex')
  for (const [at, value] of [times, times, list.length, starts].entries())
    record.writeBigUInt64LE(BigInt(value), 24 + 8 * at)
  const locator = Buffer.from(`504b060700000000${'0'.repeat(16)}01000000`, 'hex')
  locator.writeBigUInt64LE(BigInt(starts + list.length), 8)
  end.fill(0xff, 8, 20)
  return new Blob([archive.subarray(0, starts), list, record, locator, end])
}
