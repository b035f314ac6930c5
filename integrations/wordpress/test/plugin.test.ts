import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { afterEach, describe, expect, it } from 'vitest'
import { buildPlugin } from '../build.ts'
import { type Bench, HAS_PHP, type Row, signed, startBench } from './bench.ts'

/** A title that survives only when nothing on the way takes its signs for its own. */
const TITLE = 'Bread: C:\\flour "00" & <water>'
const ID = '01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071'
const HTML = '<p>Text [gallery]</p><iframe src="https://www.youtube-nocookie.com/embed/M7lc1UVf-VE"></iframe>'

const POST = {
  id: ID,
  version: 1,
  slug: 'bread',
  title: TITLE,
  excerpt: '1 < 2',
  body: { html: HTML },
  meta: {} as Record<string, string>,
  tags: ['a'],
  status: 'published',
  published_at: '2026-11-27T09:00:00.000Z',
}
const published = (change: Partial<typeof POST> = {}) =>
  signed({ event: 'post.published', post: { ...POST, ...change }, site: { id: 'site' } })
const updated = (change: Partial<typeof POST> = {}) =>
  signed({ event: 'post.updated', post: { ...POST, version: 2, title: 'Better bread', ...change } })
const deleted = () => signed({ event: 'post.deleted', post: { id: ID, slug: 'bread' }, site: { id: 'site' } })
const siteTest = () => signed({ event: 'site.test', test: true, post: POST })

const benches: Bench[] = []
async function bench(env: Record<string, string> = {}, shared?: string): Promise<Bench> {
  const started = await startBench(env, shared)
  benches.push(started)
  return started
}
afterEach(async () => {
  for (const one of benches.splice(0)) await one.stop()
})

it('the zip has one folder with the plugin, and the same bytes each time', async () => {
  const zip = await buildPlugin()
  const names = Object.keys(unzipSync(zip))
  expect(names).toEqual(
    expect.arrayContaining(['postrider/postrider.php', 'postrider/readme.txt', 'postrider/uninstall.php']),
  )
  expect(names.every((name) => name.startsWith('postrider/'))).toBe(true)
  expect(await buildPlugin()).toEqual(zip)
})

describe.skipIf(!HAS_PHP)('the WordPress plugin (needs php)', () => {
  it('takes what is genuine, and nothing else', async () => {
    const { send, rows } = await bench()
    const good = published()
    const forged = [
      { ...good, body: good.body.replace('Bread', 'Broad') },
      { ...good, id: 'another' },
      { ...good, signature: '' },
      { ...good, signature: `v1,${'A'.repeat(43)}=` },
      signed(POST, { secondsAgo: 600 }),
    ]
    for (const one of forged) expect(await send(one)).toMatchObject({ status: 401, body: { ok: false } })
    const large = signed({ event: 'site.test', text: 'x'.repeat(9 * 1024 * 1024) })
    expect(await send(large)).toMatchObject({ status: 413, body: { ok: false } })
    expect(await rows()).toEqual([])
    expect(await send(good)).toEqual({
      status: 200,
      body: { ok: true, message: 'Kept.', url: 'https://kitchen.example/bread/' },
    })
  })

  it('keeps a post as it is, once', async () => {
    const { send, row } = await bench()
    const first = published()
    await send(first)
    expect(await row()).toMatchObject({
      post_title: 'Bread: C:\\flour "00" &amp; &lt;water&gt;',
      post_content: [
        '<!-- wp:paragraph -->\n<p>Text &#91;gallery]</p>\n<!-- /wp:paragraph -->',
        `<!-- wp:html -->\n${HTML.slice(HTML.indexOf('<iframe'))}\n<!-- /wp:html -->`,
      ].join('\n\n'),
      post_excerpt: '1 &lt; 2',
      post_status: 'publish',
      post_author: 7,
      post_date_gmt: '2026-11-27 09:00:00',
      tags_input: ['a'],
    })
    expect((await send(first)).body.message).toBe('Received before.')
    expect((await send(updated())).body.message).toBe('Kept.')
    expect((await send(published())).body.message).toBe('A newer version is here already.')
    expect(await row()).toMatchObject({ post_title: 'Better bread', meta: { _postrider_version: 2 } })
  })

  it.each([
    ['<p>One</p>\n<h2 id="x">Two</h2><h3>3</h3>', 'paragraph heading heading{"level":3}'],
    [
      '<ul><li>a</li><li>b<ol start="3"><li>c</li></ol></li></ul>',
      'list list-item list-item list{"ordered":true,"start":3} list-item',
    ],
    ['<ul><li><p>a</p><p>b</p></li></ul>', 'html'],
    ['<ul><li><div><ul><li>a</li></ul></div></li></ul>', 'html'],
    ['<ul><li><strong>a<ul><li>b</li></ul></strong></li></ul>', 'html'],
    ['<ul>\n<li>a\n<ol>\n<li>b</li>\n</ol>\n</li>\n</ul>', 'list list-item list{"ordered":true} list-item'],
    ['<ul class="contains-task-list"><li><input type="checkbox" disabled> a</li></ul>', 'html'],
    ['<blockquote><p>a</p><ul><li>b</li></ul></blockquote><hr>', 'quote paragraph list list-item separator'],
    [
      '<pre><code class="language-js">a &lt; b > c</code></pre><pre>plain</pre>',
      'code{"className":"language-js"} html',
    ],
    [
      '<p><img src="a.png?a=1&amp;b=2" alt="&quot;x&quot; > y"></p><p><img src="a.png" alt=""> beside</p>',
      'image paragraph',
    ],
    ['<figure><img src="a.png" alt="a"><figcaption>A <em>b</em></figcaption></figure>', 'image'],
    ['<p style="text-align:center">a</p><table><tbody><tr><td>a</td></tr></tbody></table>', 'html'],
    ['un<em>believ</em>able <b>and</b> <i>so</i>', 'html'],
    ['<p>not closed', 'html'],
    ['</p>closed', 'html'],
  ])('keeps %s as blocks of the editor', async (html, blocks) => {
    const { send, row } = await bench()
    await send(published({ body: { html } }))
    const { post_content: content } = await row()
    const names = Array.from(
      content.matchAll(/<!-- wp:([a-z-]+) ?(\{.*?\})? ?-->/g),
      ([, name, settings = '']) => name + settings,
    )
    expect(names.join(' ')).toBe(blocks)
    // Nothing of it is lost: the same words, and the same values of attributes but for the editor's classes.
    const words = (text: string) => text.replace(/<(?:"[^"]*"|[^">])*>|\s/g, '')
    const values = (text: string) =>
      Array.from(text.replace(/<!--.*?-->/g, '').matchAll(/="([^"]*)"/g), ([, value = '']) => value)
        .filter((value) => !/^wp-block-[a-z]+$|^wp-block-separator|^wp-element-caption$|^$/.test(value))
        .map((value) => value.replace('wp-block-code ', ''))
    expect([words(content), values(content)]).toEqual([words(html), values(html)])
    if (blocks === 'html') expect(content).toBe(`<!-- wp:html -->\n${html}\n<!-- /wp:html -->`)
  })

  it('moves a post to the trash and back', async () => {
    const { dir, send, row } = await bench()
    await send(updated())
    await writeFile(join(dir, 'stuck'), '')
    const removal = deleted()
    expect(await send(removal)).toMatchObject({ status: 500, body: { ok: false } })
    await rm(join(dir, 'stuck'))
    expect((await send(removal)).body.message).toBe('Removed.')
    expect((await send(removal)).body.message).toBe('Received before.')
    expect(await row()).toMatchObject({ post_status: 'trash' })
    await send(published({ version: 3, slug: 'sourdough' }))
    expect(await row()).toMatchObject({ post_status: 'publish', post_name: 'sourdough' })
    expect((await row()).meta).not.toHaveProperty('_wp_trash_meta_time')
  })

  it('leaves nothing of a post whose storing broke off', async () => {
    const { dir, send, row, rows } = await bench()
    await writeFile(join(dir, 'breaks'), '')
    const first = published()
    expect(await send(first)).toMatchObject({
      status: 500,
      body: { ok: false, message: expect.stringContaining('gone away') },
    })
    expect(await rows()).toEqual([])
    await rm(join(dir, 'breaks'))
    expect((await send(first)).body.message).toBe('Kept.')
    await writeFile(join(dir, 'breaks'), '')
    expect((await send(updated())).status).toBe(500)
    expect(await row()).toMatchObject({ post_title: expect.stringContaining('flour'), meta: { _postrider_version: 1 } })
    await rm(join(dir, 'breaks'))
    expect((await send(updated())).body.message).toBe('Kept.')
  })

  it('makes one post of two requests at the same time', async () => {
    const first = await bench()
    const second = await bench({}, first.dir)
    await writeFile(join(first.dir, 'slow'), '')
    const slow = first.send(published())
    await expect
      .poll(() =>
        rm(join(first.dir, 'waiting')).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true)
    expect((await second.send(updated())).status).toBe(503)
    await rm(join(first.dir, 'slow'))
    expect((await slow).status).toBe(200)
    expect((await second.send(updated())).status).toBe(200)
    expect(await first.row()).toMatchObject({ post_title: 'Better bread' })
  })

  it('answers a test by writing and reading, or says what is wrong', async () => {
    const { dir, send, rows } = await bench()
    expect(await send(siteTest())).toEqual({ status: 200, body: { ok: true, store: 'WordPress', previews: true } })
    expect(await rows()).toEqual([])
    await writeFile(join(dir, 'readonly'), '')
    expect(await send(siteTest())).toMatchObject({
      status: 503,
      body: { ok: false, message: expect.stringContaining('database') },
    })
    const unconnected = await bench({ POSTRIDER_CONNECTION: 'prc_cut' })
    expect(await unconnected.send(siteTest())).toMatchObject({
      status: 503,
      body: { ok: false, message: expect.stringContaining('cut off') },
    })
  })

  const decisions: Array<[string, Partial<Row>, Partial<Row>, RegExp]> = [
    ['a draft', { post_status: 'draft' }, { post_status: 'draft', post_title: 'Better bread' }, /stays a draft/],
    ['private', { post_status: 'private' }, { post_status: 'private', post_title: 'Better bread' }, /stays private/],
    ['in the trash', { post_status: 'trash' }, { post_status: 'trash' }, /stays in the trash/],
    ['tagged otherwise', { tags_input: ['b'] }, { tags_input: ['b'], post_title: 'Better bread' }, /left so: tags/],
    ['at another address', { post_name: 'loaf' }, { post_name: 'loaf', post_title: 'Better bread' }, /left so: slug/],
    [
      'of another day',
      { post_date_gmt: '2020-01-01 00:00:00' },
      { post_date_gmt: '2020-01-01 00:00:00' },
      /left so: date/,
    ],
    ['in another category', { post_category: [3] }, { post_category: [3], post_title: 'Better bread' }, /^Kept\.$/],
    ['by another author', { post_author: 4 }, { post_author: 4, post_title: 'Better bread' }, /^Kept\.$/],
  ]
  it.each(decisions)('leaves a post %s', async (_, change, kept, message) => {
    const { send, row, edit } = await bench()
    await send(published())
    await edit(change)
    const answer = await send(updated({ tags: ['c'], slug: 'better' }))
    expect(answer).toMatchObject({ status: 200, body: { ok: true, message: expect.stringMatching(message) } })
    expect(await row()).toMatchObject(kept)
    await send(deleted())
    expect(await row()).toMatchObject({ post_status: 'trash' })
  })

  it('brings a post back as what somebody here had made it', async () => {
    const { send, row, edit } = await bench()
    await send(published())
    await edit({ post_status: 'private' })
    await send(deleted())
    await send(published({ version: 2 }))
    expect(await row()).toMatchObject({ post_status: 'private', post_name: 'bread' })
  })

  it('keeps a newer text beside one that was edited here, and only a newer one', async () => {
    const { send, row, edit } = await bench()
    await send(published())
    await edit({ post_content: 'My own text.' })
    expect((await send(updated({ title: TITLE, tags: ['c'] }))).body.message).toBe('Kept.')
    expect(await row()).toMatchObject({ post_content: 'My own text.', tags_input: ['c'] })
    expect((await row()).meta).not.toHaveProperty('_postrider_newer')
    expect((await send(updated({ version: 3 }))).body.message).toMatch(
      /edited on this site and stays; version 3 is kept/,
    )
    expect(await row()).toMatchObject({
      post_title: 'Bread: C:\\flour "00" &amp; &lt;water&gt;',
      post_content: 'My own text.',
      meta: { _postrider_newer: { version: 3, title: 'Better bread', html: HTML } },
    })
  })

  it('gives new posts the author and the category that were chosen', async () => {
    const { send, row, setOption } = await bench()
    await setOption('postrider_settings', { author: 9, category: 5 })
    await send(published())
    expect(await row()).toMatchObject({ post_author: 9, post_category: [5] })
  })

  const meta = { title: 'Bread & more', description: 'How to "bake"', canonical_url: 'https://elsewhere.example/bread' }

  it('prints what search engines read, where no SEO plugin does', async () => {
    const { send, head } = await bench()
    await send(published({ meta }))
    const printed = await head()
    expect(printed).toContain(`<meta name="postrider-post" content="${ID}">`)
    expect(printed).toContain('<meta name="postrider-version" content="1">')
    expect(printed).toContain('<title>Bread &amp; more</title>')
    expect(printed).toContain('<meta name="description" content="How to &quot;bake&quot;">')
    expect(printed).toContain('<meta property="og:url" content="https://elsewhere.example/bread">')
    expect(printed).toContain('<meta property="og:title" content="Bread &amp; more">')
    await send(updated({ version: 1, meta: {} }))
    expect(await head()).not.toContain('elsewhere.example')
  })

  it('fills what the owner left empty in All in One SEO', async () => {
    const { send, head } = await bench({ SEO_PLUGIN: 'AIOSEO_VERSION', AIOSEO_TITLE: 'My own title' })
    await send(published({ meta }))
    const printed = await head()
    expect(printed).toContain('<title>My own title</title>')
    expect(printed).toContain('<link rel="canonical" href="https://elsewhere.example/bread">')
    await send(updated({ version: 1, meta: { ...meta, canonical_url: 'https://original.example.com/bread' } }))
    expect(await head()).toContain('<link rel="canonical" href="https://original.example.com/bread">')
  })

  it.each([
    ['Yoast SEO', 'WPSEO_VERSION', '_yoast_wpseo_title', '_yoast_wpseo_metadesc', '_yoast_wpseo_canonical'],
    ['Rank Math', 'RANK_MATH_VERSION', 'rank_math_title', 'rank_math_description', 'rank_math_canonical_url'],
  ])('leaves that to %s, and its fields to who changed them', async (_, constant, title, description, canonical) => {
    const { send, row, edit, head } = await bench({ SEO_PLUGIN: constant })
    await send(published({ meta }))
    expect((await row()).meta).toMatchObject({
      [title]: meta.title,
      [description]: meta.description,
      [canonical]: meta.canonical_url,
    })
    const printed = await head()
    expect(printed).toContain(`<meta name="postrider-post" content="${ID}">`)
    expect(printed).not.toMatch(/name="description"|property=/)
    await edit({ meta: { ...(await row()).meta, [title]: 'My own title' } })
    await send(updated({ meta: { ...meta, title: 'Other', description: 'Other' } }))
    expect((await row()).meta).toMatchObject({ [title]: 'My own title', [description]: 'Other' })
    await send(updated({ version: 3, meta: { ...meta, title: 'Third' } }))
    expect((await row()).meta).toMatchObject({ [title]: 'My own title' })
    // The original has moved; then there is none.
    const moved = 'https://original.example.com/bread'
    await send(updated({ version: 3, meta: { ...meta, canonical_url: moved } }))
    expect((await row()).meta).toMatchObject({ [canonical]: moved })
    await send(updated({ version: 3, meta: {} }))
    expect((await row()).meta).toMatchObject({ [canonical]: '' })
  })
})
