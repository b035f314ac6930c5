import type { PostriderClient } from '@postrider/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { relatedPosts } from '../src/posts/index.ts'
import { request } from './support/http.ts'
import { newAccount, startService, type TestService, tokenOf } from './support/service.ts'

let service: TestService
let client: PostriderClient

beforeAll(async () => {
  service = await startService()
  client = await newAccount(service)
})
afterAll(() => service.stop())

describe('creating a post', () => {
  it('derives the missing body forms and fills in the rest', async () => {
    const post = await client.posts.create({
      title: 'Über Bäume & “Wälder”',
      body: { markdown: '# Hi\n\nSome *text*.' },
    })
    expect(post).toEqual({
      id: expect.any(String),
      version: 1,
      slug: 'uber-baume-walder',
      title: 'Über Bäume & “Wälder”',
      excerpt: '',
      body: {
        html: expect.stringContaining('<em>text</em>'),
        markdown: '# Hi\n\nSome *text*.',
        json: expect.objectContaining({ type: 'doc' }),
      },
      meta: {},
      tags: [],
      status: 'draft',
      has_changes: false,
      primary_site_id: null,
      site_ids: null,
      scheduled_at: null,
      unpublish_at: null,
      published_at: null,
      late_by_seconds: null,
      created_at: service.clock.now().toISOString(),
      updated_at: service.clock.now().toISOString(),
      deliveries: [],
    })
    expect(await client.posts.get(post.id)).toEqual(post)
  })

  it('numbers slugs of equal titles, also when they are created at once', async () => {
    const posts = await Promise.all(Array.from({ length: 6 }, () => client.posts.create({ title: 'Same title' })))
    expect(posts.map(({ slug }) => slug).sort()).toEqual([
      'same-title',
      'same-title-2',
      'same-title-3',
      'same-title-4',
      'same-title-5',
      'same-title-6',
    ])
  })

  it('takes no number from a title that merely ends in one, and keeps long slugs within their length', async () => {
    await client.posts.create({ title: 'Review 2024' })
    await client.posts.create({ title: 'Review' })
    expect((await client.posts.create({ title: 'Review' })).slug).toBe('review-2')
    const long = 'x'.repeat(300)
    const slugs = [await client.posts.create({ title: long }), await client.posts.create({ title: long })].map(
      ({ slug }) => slug,
    )
    expect(slugs).toEqual(['x'.repeat(120), `${'x'.repeat(118)}-2`])
    expect((await client.posts.create({ title: '🎉' })).slug).toBe('post')
  })

  it('normalises a given slug and refuses one that is taken', async () => {
    expect((await client.posts.create({ title: 'A', slug: 'Grüße aus Köln' })).slug).toBe('grusse-aus-koln')
    const spaced = `${'!'.repeat(100)}${'ß'.repeat(60)}`
    expect((await client.posts.create({ title: 'A', slug: spaced })).slug).toBe('s'.repeat(120))
    await expect(client.posts.create({ title: 'B', slug: 'grusse-aus-koln' })).rejects.toMatchObject({
      status: 409,
      code: 'conflict',
      field: 'slug',
    })
    const other = await newAccount(service)
    expect((await other.posts.create({ title: 'A', slug: 'grusse-aus-koln' })).slug).toBe('grusse-aus-koln')
  })

  it.each([
    ['title', {}],
    ['title', { title: '' }],
    ['title', { title: '  ' }],
    ['title', { title: 'x'.repeat(301) }],
    ['title', { title: 7 }],
    ['title', { title: null }],
    ['slug', { title: 'x', slug: '!!!' }],
    ['slug', { title: 'x', slug: 'x'.repeat(121) }],
    ['slug', { title: 'x', slug: 'ß'.repeat(61) }],
    ['slug', { title: 'x', slug: '-'.repeat(301) }],
    ['excerpt', { title: 'x', excerpt: 'x'.repeat(1001) }],
    ['body', { title: 'x', body: 'text' }],
    ['body.html', { title: 'x', body: { html: 5 } }],
    ['body.text', { title: 'x', body: { text: 'x' } }],
    ['body.json.content.0.type', { title: 'x', body: { json: { type: 'doc', content: [{ type: 'marquee' }] } } }],
    ['meta.description', { title: 'x', meta: { description: 'x'.repeat(501) } }],
    ['meta.og_image', { title: 'x', meta: { og_image: 'javascript:alert(1)' } }],
    ['meta.canonical_url', { title: 'x', meta: { canonical_url: 'https://exa\nmple.com/' } }],
    ['meta.keywords', { title: 'x', meta: { keywords: 'x' } }],
    ['tags', { title: 'x', tags: 'news' }],
    ['tags', { title: 'x', tags: Array.from({ length: 51 }, (_, index) => `t${index}`) }],
    ['tags.1', { title: 'x', tags: ['ok', ''] }],
    ['tags.0', { title: 'x', tags: ['x'.repeat(65)] }],
    ['status', { title: 'x', status: 'archived' }],
    ['scheduled_at', { title: 'x', status: 'scheduled' }],
    ['scheduled_at', { title: 'x', status: 'scheduled', scheduled_at: '2020-01-01T00:00:00Z' }],
    ['scheduled_at', { title: 'x', status: 'scheduled', scheduled_at: '2030-01-01T00:00:00' }],
    ['scheduled_at', { title: 'x', status: 'scheduled', scheduled_at: '2030-02-31T25:00:00Z' }],
    ['scheduled_at', { title: 'x', status: 'scheduled', scheduled_at: '2030-02-30T00:00:00Z' }],
    ['scheduled_at', { title: 'x', status: 'scheduled', scheduled_at: '2030-01-01T00:00:60Z' }],
    ['meta.og_image', { title: 'x', meta: { og_image: 'https:example.com/a.png' } }],
    ['meta.og_image', { title: 'x', meta: { og_image: 'https:\\\\example.com\\a.png' } }],
    ['scheduled_at', { title: 'x', scheduled_at: '2030-01-01T00:00:00Z' }],
    ['schedule_zone', { title: 'x', schedule_zone: 'Asia/Tokyo' }],
    ['schedule_zone', { title: 'x', status: 'scheduled', scheduled_at: '2030-01-01T00:00:00Z', schedule_zone: 'Mars' }],
    [
      'schedule_zone',
      { title: 'x', status: 'scheduled', scheduled_at: '2030-01-01T00:00:00Z', schedule_zone: '+01:00' },
    ],
    ['author', { title: 'x', author: 'Ada' }],
  ])('names %s when it is wrong, and stores nothing: %j', async (field, input) => {
    const before = (await client.posts.list()).pagination.total
    await expect(client.posts.create(input as never)).rejects.toMatchObject({
      status: 400,
      code: 'validation_error',
      field,
    })
    expect((await client.posts.list()).pagination.total).toBe(before)
  })

  it('counts characters, not code units', async () => {
    expect((await client.posts.create({ title: '🌱'.repeat(300) })).title).toBe('🌱'.repeat(300))
    await expect(client.posts.create({ title: '🌱'.repeat(301) })).rejects.toMatchObject({
      status: 400,
      field: 'title',
    })
  })

  it('normalises a time with an offset', async () => {
    const post = await client.posts.create({
      title: 'Zone',
      status: 'scheduled',
      scheduled_at: '2030-01-01T01:00:00+02:00',
    })
    expect(post.scheduled_at).toBe('2029-12-31T23:00:00.000Z')
  })
})

describe('changing a post', () => {
  it('changes a part of a nested object and raises the version once', async () => {
    const post = await client.posts.create({ title: 'Meta', meta: { title: 'SEO', description: 'Long' } })
    service.clock.advance(1000)
    const changed = await client.posts.update(post.id, { meta: { description: 'Short' } })
    expect(changed).toMatchObject({
      version: 2,
      meta: { title: 'SEO', description: 'Short' },
      updated_at: service.clock.now().toISOString(),
    })
    expect(await client.posts.update(post.id, { meta: { title: null } })).toMatchObject({
      version: 3,
      meta: { description: 'Short' },
    })
  })

  it('leaves the version alone when nothing changes, also when the whole resource comes back', async () => {
    const post = await client.posts.create({
      title: 'Same',
      body: { html: '<p>One <b>two</b></p>' },
      tags: ['a'],
      meta: { title: 'T' },
    })
    expect((await client.posts.update(post.id, post as never)).version).toBe(1)
    expect((await client.posts.update(post.id, {})).version).toBe(1)
  })

  it('re-derives the other forms from the one that changed', async () => {
    const post = await client.posts.create({ title: 'Forms', body: { markdown: 'Old' } })
    const byHtml = await client.posts.update(post.id, { body: { ...post.body, html: '<p>New</p>' } } as never)
    expect(byHtml.body).toMatchObject({ html: '<p>New</p>', markdown: expect.stringMatching(/^New\s*$/) })
    const byMarkdown = await client.posts.update(post.id, { body: { markdown: 'Newer' } })
    expect(byMarkdown.body.html).toContain('Newer')
    expect(byMarkdown.version).toBe(3)
  })

  it('keeps the slug when the title changes', async () => {
    const post = await client.posts.create({ title: 'First name' })
    expect(await client.posts.update(post.id, { title: 'Second name' })).toMatchObject({
      title: 'Second name',
      slug: 'first-name',
    })
  })

  it('makes the slug from the title when told to, and leaves one that fits', async () => {
    await client.posts.create({ title: 'Growing tomatoes' })
    const post = await client.posts.create({ title: 'Gro' })
    const renamed = await client.posts.update(post.id, { title: 'Growing tomatoes', slug: null })
    expect(renamed.slug).toBe('growing-tomatoes-2')
    const again = await client.posts.update(post.id, { slug: null })
    expect([again.slug, again.version]).toEqual(['growing-tomatoes-2', renamed.version])
    const both = await Promise.all([1, 2].map(() => client.posts.create({ title: 'Apart' })))
    const slugs = await Promise.all(both.map(({ id }) => client.posts.update(id, { title: 'Alike', slug: null })))
    expect(slugs.map(({ slug }) => slug).sort()).toEqual(['alike', 'alike-2'])
    const long = 'y'.repeat(300)
    await client.posts.create({ title: long })
    const numbered = await client.posts.create({ title: long })
    const kept = await client.posts.update(numbered.id, { slug: null })
    expect([kept.slug, kept.version]).toEqual([`${'y'.repeat(118)}-2`, 1])
  })

  it('refuses a slug that another post has', async () => {
    await client.posts.create({ title: 'Owner', slug: 'owned' })
    const post = await client.posts.create({ title: 'Other' })
    await expect(client.posts.update(post.id, { slug: 'owned' })).rejects.toMatchObject({ status: 409, field: 'slug' })
  })

  it('honours If-Match, and of many writers who saw one version exactly one wins', async () => {
    const post = await client.posts.create({ title: 'Race' })
    const writes = await Promise.allSettled(
      Array.from({ length: 6 }, (_, index) => client.posts.update(post.id, { title: `Race ${index}` }, 1)),
    )
    expect(writes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const refusals = writes.flatMap((write) => (write.status === 'rejected' ? [write.reason.status] : []))
    expect(refusals).toEqual(Array(5).fill(412))
    await expect(client.posts.delete(post.id, 1)).rejects.toMatchObject({ status: 412, code: 'precondition_failed' })
    await client.posts.delete(post.id, 2)
  })

  it.each(['2', 'W/"2"', '"2", 3'])('says how If-Match is written when it is %s', async (given) => {
    const post = await client.posts.create({ title: 'Quoted' })
    const answer = await request(`${service.url}/api/posts/${post.id}`, {
      method: 'DELETE',
      token: await tokenOf(service, client),
      headers: { 'If-Match': given },
    })
    expect(answer).toMatchObject({ status: 400, json: { field: 'If-Match' } })
    expect(await client.posts.get(post.id)).toMatchObject({ title: 'Quoted' })
  })

  it('carries the version as ETag', async () => {
    const session = await client.auth.register({ name: 'E', email: 'etag@example.com', password: 'quiet harbour' })
    const created = await request(`${service.url}/api/posts`, {
      method: 'POST',
      token: session.token,
      body: { title: 'Tagged' },
    })
    expect(created.headers.get('etag')).toBe('"1"')
    expect(created.headers.get('location')).toBe(`/api/posts/${created.json.id}`)
    client = await newAccount(service)
  })
})

describe('converting a body', () => {
  it('gives the forms that a post with it would have, and stores nothing', async () => {
    const before = (await client.posts.list()).pagination.total
    const markdown = '# Peas\n\nSow in *March*.<script>alert(1)</script>'
    const { word_count: words, warnings, ...forms } = await client.posts.convert({ markdown })
    expect(warnings).toEqual([expect.objectContaining({ code: 'element_removed', field: 'body.markdown', count: 1 })])
    expect(words).toBe(4)
    expect(forms.html).not.toContain('script')
    expect((await client.posts.list()).pagination.total).toBe(before)
    expect((await client.posts.create({ title: 'Peas', body: { markdown } })).body).toEqual(forms)
    await expect(client.posts.convert({ json: { type: 'marquee' } })).rejects.toMatchObject({
      status: 400,
      field: 'body.json.type',
    })
  })
})

describe('the status of a post', () => {
  const soon = () => new Date(service.clock.now().getTime() + 60_000).toISOString()
  const later = () => new Date(service.clock.now().getTime() + 120_000).toISOString()

  it('moves between draft and scheduled, and can be rescheduled', async () => {
    const post = await client.posts.create({ title: 'Plan' })
    expect(await client.posts.update(post.id, { status: 'scheduled', scheduled_at: soon() })).toMatchObject({
      status: 'scheduled',
      scheduled_at: soon(),
    })
    expect(await client.posts.update(post.id, { scheduled_at: later() })).toMatchObject({
      status: 'scheduled',
      scheduled_at: later(),
    })
    expect(await client.posts.update(post.id, { status: 'draft' })).toMatchObject({
      status: 'draft',
      scheduled_at: null,
    })
    await service.advance(300_000)
    expect((await client.posts.get(post.id)).status).toBe('draft')
  })

  it('has the zone of its schedule until it goes out or is taken off the schedule', async () => {
    const zone = 'Asia/Tokyo'
    const plan = { status: 'scheduled', scheduled_at: soon() } as const
    const post = await client.posts.create({ title: 'Plan', ...plan, schedule_zone: zone })
    expect(post.schedule_zone).toBe(zone)
    const moved = await client.posts.update(post.id, { scheduled_at: later() })
    expect(moved).toMatchObject({ schedule_zone: zone, version: 2 })
    const withdrawn = await client.posts.update(post.id, { status: 'draft' })
    expect(withdrawn).not.toHaveProperty('schedule_zone')
    expect(await client.posts.update(post.id, plan)).not.toHaveProperty('schedule_zone')
    await client.posts.update(post.id, { schedule_zone: zone })
    await service.advance(300_000)
    const out = await client.posts.get(post.id)
    expect(out.status).toBe('published')
    expect(out).not.toHaveProperty('schedule_zone')
  })

  it('becomes published by PATCH without raising the version', async () => {
    const post = await client.posts.create({ title: 'Out' })
    expect(await client.posts.update(post.id, { status: 'published' })).toMatchObject({
      status: 'published',
      version: 1,
      published_at: service.clock.now().toISOString(),
    })
  })

  it('does not go from published to scheduled', async () => {
    const post = await client.posts.create({ title: 'Out', status: 'published' })
    await expect(client.posts.update(post.id, { status: 'scheduled', scheduled_at: soon() })).rejects.toMatchObject({
      status: 400,
      field: 'status',
    })
  })

  it('does not take a schedule without its status, or in the past', async () => {
    const post = await client.posts.create({ title: 'Plan' })
    await expect(client.posts.update(post.id, { scheduled_at: soon() })).rejects.toMatchObject({
      status: 400,
      field: 'scheduled_at',
    })
    await expect(
      client.posts.update(post.id, { status: 'scheduled', scheduled_at: service.clock.now().toISOString() }),
    ).rejects.toMatchObject({
      status: 400,
      field: 'scheduled_at',
    })
  })

  it('is published at its time however long the service was down, once', async () => {
    const post = await client.posts.create({ title: 'Missed', status: 'scheduled', scheduled_at: soon() })
    await service.advance(30 * 24 * 3_600_000)
    const relogged = await newAccountFor(post.id)
    expect(relogged).toBe('published')
  })
})

/** The status in the database: a month has passed, so the token has ended. */
async function newAccountFor(postId: string): Promise<string> {
  const row = await service.ctx.db.root
    .selectFrom('posts')
    .select('status')
    .where('id', '=', postId)
    .executeTakeFirstOrThrow()
  client = await newAccount(service)
  return row.status
}

describe('listing posts', () => {
  let reader: PostriderClient
  beforeAll(async () => {
    reader = await newAccount(service)
    for (const [index, title] of ['Growing tomatoes', 'Pruning roses', 'Winter in the garden'].entries()) {
      service.clock.advance(1000)
      await reader.posts.create({
        title,
        body: { markdown: `Everything about ${title.toLowerCase()}; published gardeners were publishing it.` },
        tags: index === 0 ? ['vegetables', 'garden'] : ['garden'],
        status: index === 2 ? 'published' : 'draft',
      })
    }
  })
  const titles = async (query: Parameters<PostriderClient['posts']['list']>[0]) =>
    (await reader.posts.list(query)).data.map(({ title }) => title)

  it('is newest first and paged', async () => {
    expect(await titles({})).toEqual(['Winter in the garden', 'Pruning roses', 'Growing tomatoes'])
    const second = await reader.posts.list({ page: 2, limit: 2 })
    expect(second.data.map(({ title }) => title)).toEqual(['Growing tomatoes'])
    expect(second.pagination).toEqual({ page: 2, limit: 2, total: 3, pages: 2 })
    expect(second.data[0]).not.toHaveProperty('deliveries')
    expect((await reader.posts.list({ page: 999_999_999 })).data).toEqual([])
  })

  it('filters by status and tag', async () => {
    expect(await titles({ status: 'published' })).toEqual(['Winter in the garden'])
    expect(await titles({ tag: 'vegetables' })).toEqual(['Growing tomatoes'])
    expect(await titles({ tag: 'vegetable' })).toEqual([])
    // The index of tags holds the account's id too.
    expect(await titles({ tag: (await reader.account()).user.id })).toEqual([])
  })

  it('searches title and text by stem, phrase and beginning of the last word; a title counts more', async () => {
    expect(await titles({ search: 'rose' })).toEqual(['Pruning roses'])
    expect(await titles({ search: 'publish roses' })).toEqual(['Pruning roses'])
    expect(await titles({ search: '"in the garden"' })).toEqual(['Winter in the garden'])
    expect(await titles({ search: '"garden the in"' })).toEqual([])
    expect(await titles({ search: 'tomat' })).toEqual(['Growing tomatoes'])
    expect((await titles({ search: 'garden' }))[0]).toBe('Winter in the garden')
    expect(await titles({ search: 'garden -winter' })).not.toContain('Winter in the garden')
  })

  it('finds the words of every script and the parts of compounds, also in excerpt and tags', async () => {
    const writer = await newAccount(service)
    const texts = {
      Japanese: 'これは日本語のテストです',
      Chinese: '我们今天去北京大学学习',
      Thai: 'ฉันชอบกินข้าวผัด',
      Compound:
        'A client/server design, by ada@example.com: https://docs.example.com/guides/first-steps.html and GPT-4.',
      Letters: 'Łódź, smørrebrød, mon cœur, STRAẞE',
    }
    for (const [title, markdown] of Object.entries(texts)) await writer.posts.create({ title, body: { markdown } })
    const { id } = await writer.posts.create({ title: 'Elsewhere', excerpt: 'About lighthouses', tags: ['Küste/Meer'] })
    const found = async (search: string) => (await writer.posts.list({ search })).data.map(({ title }) => title)
    const searches = {
      Japanese: ['テスト', '日本語', '"日本語のテスト"', 'テス'],
      Chinese: ['学习', '北京'],
      Thai: ['ข้าว'],
      Compound: [
        'server', 'client/server', 'client/serv', '"client server"', 'guides', 'first-steps', 'ada@example.com', 'gpt 4', 'GPT-4',
        'https://docs.example.com/guides/first-steps.html', 'design -coeur/lodz',
      ], // biome-ignore format: a list of words
      Letters: ['lodz', 'Łódź', 'smorrebrod', 'coeur', 'strasse'],
      Elsewhere: ['lighthouse', 'meer', 'kuste'],
    }
    for (const [title, words] of Object.entries(searches))
      for (const search of words) expect([search, await found(search)]).toEqual([search, [title]])
    expect(await found('design -client/server')).toEqual([])
    await writer.posts.update(id, { excerpt: 'About windmills', tags: ['Wind'] })
    expect([await found('windmill'), await found('lighthouse'), await found('meer')]).toEqual([['Elsewhere'], [], []])
  })

  it('searches without regard to accents, case and typographic signs', async () => {
    const writer = await newAccount(service)
    const markdown = 'L’œuvre “naïve” — d’Ελένη Йорик… «là»、日本語。テスト 🎉party re\u00adnew'
    await writer.posts.create({ title: 'Un ÉTÉ à Orléans', body: { markdown } })
    const found = async (search: string) => (await writer.posts.list({ search })).pagination.total
    const expectFound = async (words: string[]) => {
      for (const word of words) expect([word, await found(word)]).toEqual([word, 1])
    }
    const words = [
      'ete',
      'été',
      'e\u0301te\u0301',
      'ORLEANS',
      '"ete a orleans"',
      '“été à”',
      'naïv',
      'œuvre',
      'Ελενη',
      'ΕΛΈΝΗ',
      'йорик',
    ]
    await expectFound([...words, 'иорик', 'la', 'là', '日本語', 'テスト', 'party', 'renew', '“naïve”', 'l’œuvre'])
    for (const absent of ['"orleans ete"', '-été', 'naive -“là”'])
      expect([absent, await found(absent)]).toEqual([absent, 0])
  })

  it('finds words, and the beginning of the last one, in scripts that write vowels as marks', async () => {
    const writer = await newAccount(service)
    const { id } = await writer.posts.create({
      title: 'नई किताबें',
      body: { markdown: 'தமிழில் வாசிப்பு' },
      status: 'published',
    })
    await writer.posts.create({ title: 'किसान बाज़ार' })
    const found = async (search: string) => (await writer.posts.list({ search })).data.map(({ title }) => title)
    for (const search of ['किताब', 'किता', 'தமிழ', 'नई "வாசிப்பு" தமி'])
      expect([search, await found(search)]).toEqual([search, ['नई किताबें']])
    const visitor = { accountId: (await writer.account()).user.id, siteId: id }
    expect(await relatedPosts(service.ctx.db.root, visitor, ['किताबें'], 5)).toMatchObject([{ title: 'नई किताबें' }])
  })

  it.each([
    '"',
    '"""',
    "'",
    '\\',
    '& | ! ( ) :*',
    '<->',
    'a:*b',
    ':',
    '\u0000',
    '%',
    'x'.repeat(5000),
    '🎉',
    '- -',
    '"unclosed phrase',
    '\ud800',
  ])('takes odd words in stride: %j', async (search) => {
    expect((await reader.posts.list({ search })).data).toBeInstanceOf(Array)
  })

  it.each([
    ['page', 'page=0'],
    ['page', 'page=x'],
    ['page', 'page=1.5'],
    ['limit', 'limit=101'],
    ['limit', 'limit=0'],
    ['limit', 'limit=-1'],
    ['status', 'status=gone'],
  ])('names %s when it is wrong: %s', async (field, query) => {
    const session = await reader.auth.register({
      name: 'Q',
      email: `${query.replace(/\W/g, '-')}@example.com`,
      password: 'quiet harbour',
    })
    const { status, json } = await request(`${service.url}/api/posts?${query}`, { token: session.token })
    expect({ status, ...json }).toMatchObject({ status: 400, error: 'validation_error', field })
  })
})
