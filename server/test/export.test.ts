/** Taking all posts out, in the three formats. */
import type { ExportPosts, PostriderClient } from '@postrider/sdk'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { filesIn } from './support/archive.ts'
import { pngOf, smallPicture } from './support/pictures.ts'
import { newAccount, startService, type TestService, tokenOf } from './support/service.ts'

let service: TestService
let client: PostriderClient

beforeAll(async () => {
  service = await startService()
  client = await newAccount(service)
})
afterAll(() => service.stop())

async function exported(format: NonNullable<ExportPosts['format']>, of = client): Promise<Map<string, string>> {
  return filesIn(new Uint8Array(await new Response(await of.export({ format })).arrayBuffer()))
}

it('holds every post but the trash, in Markdown with front matter, for Ghost, and as it is', async () => {
  const bread = await client.posts.create({
    title: 'Bread: "the best"',
    tags: ['baking', 'a: b'],
    excerpt: 'Four ingredients.',
    body: { markdown: 'Some **bread** <em>and</em> butter.\n' },
    meta: { title: 'Bread!', description: 'How to bake.', og_image: 'https://example.com/loaf.jpg' },
    status: 'published',
  })
  await client.posts.update(bread.id, { slug: 'rye' })
  const soup = await client.posts.create({
    title: 'Soup',
    site_ids: [],
    body: { html: '<p>Hot<script>1</script></p>' },
  })
  const scheduled_at = '2027-01-01T00:00:00.000Z'
  await client.posts.create({ title: 'Cake', status: 'scheduled', scheduled_at })

  const own = await exported('json')
  expect([...own.keys()]).toEqual(['postrider.json', 'posts/cake.json', 'posts/rye.json', 'posts/soup.json'])
  expect(JSON.parse(own.get('posts/rye.json') ?? '')).toMatchObject({
    ...{ id: bread.id, version: 2, slug: 'rye', former_slugs: [{ slug: 'bread-the-best' }], body: bread.body },
    ...{ title: bread.title, meta: bread.meta, tags: bread.tags, published_at: bread.published_at, site_ids: null },
  })
  expect(JSON.parse(own.get('posts/soup.json') ?? '')).toMatchObject({ id: soup.id, site_ids: [] })

  const markdown = (await exported('markdown')).get('posts/rye.md') ?? ''
  const [, front = '', body] = /^---\n(.*?)\n---\n\n(.*)$/s.exec(markdown) ?? []
  expect(body).toBe('Some **bread** <em>and</em> butter.\n')
  expect(parse(front)).toEqual({
    ...{ title: 'Bread: "the best"', slug: 'rye', id: bread.id, version: 2, status: 'published', draft: false },
    ...{ date: bread.published_at, created: bread.created_at, updated: expect.any(String) },
    ...{ excerpt: 'Four ingredients.', seo_title: 'Bread!', description: 'How to bake.', tags: ['baking', 'a: b'] },
    ...{ image: 'https://example.com/loaf.jpg', aliases: ['bread-the-best'] },
  })

  const ghost = JSON.parse((await exported('ghost')).get('ghost.json') ?? '')
  const { data } = ghost.db[0]
  expect(data.posts[1]).toMatchObject({ title: bread.title, html: bread.body.html, status: 'published', type: 'post' })
  expect(data.posts[0]).toMatchObject({ status: 'scheduled', published_at: scheduled_at })
  expect(data.posts_meta[1]).toMatchObject({ post_id: data.posts[1].id, meta_description: 'How to bake.' })
  const names = new Map(data.tags.map(({ id, name }: { id: string; name: string }) => [id, name]))
  expect(data.posts_tags.map(({ tag_id }: { tag_id: string }) => names.get(tag_id))).toEqual(['baking', 'a: b'])
})

it.each(['json', 'markdown', 'ghost'] as const)(
  'holds the pictures that posts show, on request: %s',
  async (format) => {
    const own = await newAccount(service)
    const bytes = await smallPicture()
    const { url } = await own.media.upload(new File([bytes], 'loaf.jpg'))
    await own.media.upload(new File([new Uint8Array(await pngOf('red'))], 'nowhere.png'))
    const body = { markdown: `![A loaf](${url}) and [larger](${url}?w=1920)\n` }
    await own.posts.create({ title: 'Bread', body, meta: { og_image: url } })
    await own.posts.create({ title: 'Rye', body })
    const read = async (media: 'true' | 'false') => {
      const archive = await new Response(await own.export({ format, media })).arrayBuffer()
      return filesIn(new Uint8Array(archive), 'latin1')
    }
    const files = await read('true')
    const place = url.slice(url.indexOf('media/'))
    expect([...files.keys()].filter((name) => name.startsWith('media'))).toEqual([place])
    expect(files.get(place)).toBe(Buffer.from(bytes).toString('latin1'))
    const bread = [...files.values()].find((text) => text.includes('A loaf')) ?? ''
    const there = format === 'markdown' ? `../${place}` : url
    expect(bread.split(there)).toHaveLength(bread.split(place).length)
    expect([...(await read('false')).keys()]).not.toContain(place)
  },
)

it('holds nothing of anybody else, and can be ended in the middle', async () => {
  const other = await newAccount(service)
  expect([...(await exported('json', other)).keys()]).toEqual(['postrider.json'])
  expect([...(await exported('markdown', other)).keys()]).toEqual([])
  const stream = await client.export({ format: 'json' })
  await stream.cancel()
  expect((await client.posts.list()).pagination.total).toBe(3)
})

it('refuses a format that there is not, and is a download', async () => {
  await expect(client.export({ format: 'word' as 'json' })).rejects.toMatchObject({ status: 400, field: 'format' })
  const token = await tokenOf(service, client)
  const head = await fetch(`${service.url}/api/export`, {
    method: 'HEAD',
    headers: { authorization: `Bearer ${token}` },
  })
  expect(head.headers.get('content-disposition')).toBe('attachment; filename="postrider-json-2026-11-02.zip"')
})
