/** Posts as they come: one through its life, many at once, with pictures, after a restart, and those from before. */
import assert from 'node:assert/strict'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '../../../real/stage.ts'
import { nameOriginal, tellOfPreview } from '../../../real/story.ts'
import {
  type Bench,
  publish,
  secondsSince,
  untilDelivered,
  update,
  visit,
  wordPressId,
  wordPressPost,
} from './bench.ts'
import { press, SETTINGS } from './setting-up.ts'

const AT_ONCE = 100
const EARLIER = 130

export async function keepsPosts(bench: Bench): Promise<void> {
  const { client, site, seen } = bench
  const html =
    '<p>First <kbd>words</kbd> [gallery]</p><iframe src="https://www.youtube-nocookie.com/embed/M7lc1UVf-VE"></iframe>'
  const startedAt = performance.now()
  const { post, there } = await publish(bench, { title: 'Bread & <salt> C:\\"x"', html, tags: ['Baking', 'R&D'] })
  const figure = secondsSince(startedAt)
  assert.equal(there.status, 'publish')
  assert.equal(there.title.raw, 'Bread &amp; &lt;salt&gt; C:\\"x"')
  assert.equal(there.tags.length, 2)
  const { status, body } = await visit(there.link)
  assert.equal(status, 200)
  for (const part of [
    '<kbd>words</kbd>',
    '&#91;gallery]',
    '<iframe',
    `<meta name="postrider-post" content="${post.id}">`,
  ])
    assert.ok(body.includes(part), `${part} is not on the page`)
  seen('a published post is on its page, text, tags and video as they are', figure)

  await update(bench, post.id, {
    title: 'Better bread',
    meta: { title: 'Bread for search', description: 'How to & why' },
  })
  const changed = (await visit(there.link)).body
  assert.match(changed, /<title>Bread for search<\/title>/)
  assert.match(changed, /<meta name="description" content="How to &amp; why">/)
  assert.equal((changed.match(/rel="canonical"/g) ?? []).length, 1)
  assert.equal((changed.match(/<title>/g) ?? []).length, 1)
  seen('a change is on the page, with its title and description for search engines')

  const original = await nameOriginal(client, post.id)
  const canonicals = async () =>
    [...(await visit(there.link)).body.matchAll(/rel="canonical" href="([^"]*)"/g)].map(([, url]) => url)
  const named = `https://original.example.com/${post.slug}`
  await until('the copy names its original', async () => (await canonicals()).join() === named)
  await client.sites.delete(original.id)
  await until('the post names itself again', async () => (await canonicals()).join() === there.link)
  seen('a copy names the address of its original, and no longer once there is none')

  await update(bench, post.id, { slug: 'better-bread' })
  const moved = await visit(there.link)
  assert.deepEqual([moved.status, moved.location], [301, `${site.url}/better-bread/`])
  assert.equal((await visit(`${site.url}/better-bread/`)).status, 200)
  seen('the former address redirects to the present one')

  const gone = () => until('the post is gone', async () => (await visit(`${site.url}/better-bread/`)).status === 404)
  await client.posts.update(post.id, { status: 'draft' })
  await gone()
  await client.sites.testDelivery(bench.connected.id)
  const page = await tellOfPreview(bench, {
    site: bench.connected,
    post: { id: post.id, title: 'Better bread' },
    blog: site.url,
  })
  assert.match(page, /<meta name='robots' content='[^']*noindex/)
  assert.ok(page.includes('<kbd>words</kbd>'))
  await client.posts.update(post.id, { status: 'published', slug: 'bread-again' })
  await until('it is back', async () => (await visit(`${site.url}/bread-again/`)).status === 200)
  assert.equal((await wordPressPost(bench, post.id)).slug, 'bread-again')
  const id = await wordPressId(bench, post.id)
  await client.posts.delete(post.id)
  await until(
    'it is in the trash',
    async () => (await site.query(`SELECT post_status FROM wp_posts WHERE ID = ${id}`))[0]?.[0] === 'trash',
  )
  assert.equal((await visit(`${site.url}/bread-again/`)).status, 404)
  seen('an unpublished post is gone, comes back when it is published again, and is gone when it is deleted')
}

export async function copiesPictures(bench: Bench): Promise<void> {
  const { site, pictures, seen } = bench
  const address = (name: string) => `${pictures.url}/${name}`
  const image = (name: string) => `<p><img src="${address(name)}" alt="A picture"></p>`
  const attachments = async () => (await site.query("SELECT ID FROM wp_posts WHERE post_type = 'attachment'")).length
  const before = await attachments()
  const first = await publish(bench, {
    title: 'Pictures',
    html: image('1.png') + image('2.png') + image('page.png'),
    og_image: address('3.png'),
  })
  const page = await visit(first.there.link)
  for (const name of ['1.png', '2.png'])
    assert.ok(!page.body.includes(address(name)), `${name} is shown from where it was: ${first.there.content.raw}`)
  assert.ok(page.body.includes(address('page.png')), 'what is no picture stays where it is')
  assert.match(page.body, /class="wp-image-\d+/)
  assert.ok(first.there.featured_media > 0)
  const [, source = ''] = /<img[^>]*src="([^"]*wp-content\/uploads[^"]*)"/.exec(page.body) ?? []
  assert.equal((await fetch(source)).headers.get('content-type'), 'image/png')
  assert.match(page.body, /<meta property="og:image" content="http:\/\/127\.0\.0\.1:\d+\/wp-content\/uploads\//)

  await publish(bench, { title: 'The same pictures', html: image('1.png') + image('renamed-1.png') })
  assert.equal((await attachments()) - before, 3)
  assert.equal(pictures.asked.filter((path) => path === '/1.png').length, 1)
  seen('pictures are in the media library once each, by address and by content; the featured image is og_image')

  pictures.failing.add('/4.png')
  const startedAt = performance.now()
  const slow = await publish(bench, { title: 'Slow pictures', html: image('slow-5.png') + image('4.png') })
  const figure = secondsSince(startedAt)
  assert.ok((await visit(slow.there.link)).body.includes(address('slow-5.png')))
  await site.cron()
  await until('WP-Cron has copied the slow picture', async () => {
    return !(await visit(slow.there.link)).body.includes(address('slow-5.png'))
  })
  assert.ok((await visit(slow.there.link)).body.includes(address('4.png')))
  const { content } = await wordPressPost(bench, slow.post.id)
  assert.match(
    content.raw,
    /<!-- wp:image \{"id":(\d+)\} -->\s*<figure class="wp-block-image"><img class="wp-image-\1"/,
  )
  pictures.failing.delete('/4.png')
  await update(bench, slow.post.id, { title: 'No longer slow' })
  assert.ok(!(await visit(slow.there.link)).body.includes(address('4.png')), 'the next version tries again')
  seen(
    'a post with a slow picture is delivered without it, which WP-Cron copies; one that failed comes with the next version',
    figure,
  )
}

export async function worksWithoutUploads(bench: Bench): Promise<void> {
  const { site, pictures, seen } = bench
  const uploads = join(site.dir, 'site/wp-content/uploads')
  const address = `${pictures.url}/6.png`
  const folders = await site.folders(uploads)
  for (const folder of folders) await chmod(folder, 0o555)
  const { post, there } = await publish(bench, {
    title: 'Read-only',
    html: `<p><img src="${address}" alt="A picture"></p>`,
  })
  assert.ok((await visit(there.link)).body.includes(address))
  assert.match(await site.owner.get(SETTINGS), /6\.png was not copied/)
  for (const folder of folders) await chmod(folder, 0o755)
  await update(bench, post.id, { title: 'Writable' })
  assert.ok(!(await visit(there.link)).body.includes(address))
  seen('with a read-only uploads folder posts come with their pictures where they were; the next version copies them')
}

export async function takesManyAtOnce(bench: Bench): Promise<void> {
  const { client, site, pictures, seen } = bench
  const startedAt = performance.now()
  const html = `<p><img src="${pictures.url}/7.png" alt="A picture"></p>`
  const create = (number: number) =>
    client.posts.create({
      title: `Post ${number}`,
      slug: `post-${number}`,
      body: { html: `${html}<p>Text of post ${number}.</p>` },
      status: 'published',
    })
  const posts = await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => create(index)))
  for (const { id } of posts) await untilDelivered(bench, id)
  const figure = secondsSince(startedAt)
  const rows = await site.query(
    "SELECT post_name FROM wp_posts WHERE post_type = 'post' AND post_status = 'publish' AND post_name LIKE 'post-%'",
  )
  assert.equal(rows.length, AT_ONCE)
  assert.equal(new Set(rows.map(([slug]) => slug)).size, AT_ONCE)
  for (const number of [0, 50, 99])
    assert.ok((await visit(`${site.url}/post-${number}/`)).body.includes(`Text of post ${number}.`))
  await until('every post shows the copy of its picture', async () => {
    await site.cron()
    const sql = `SELECT ID FROM wp_posts WHERE post_type = 'post' AND post_status = 'publish' AND post_content LIKE '%${pictures.url}/7.png%'`
    return (await site.query(sql)).length === 0
  })
  assert.equal(pictures.asked.filter((path) => path === '/7.png').length, 1)
  seen(`${AT_ONCE} posts at once are each there once, and their picture once`, figure)
}

export async function surviveRestart(bench: Bench): Promise<void> {
  const { site, client, seen } = bench
  await site.restart()
  assert.equal((await visit(`${site.url}/post-1/`)).status, 200)
  const { data } = await client.posts.list({ search: 'Post 99' })
  const id = data.find(({ slug }) => slug === 'post-99')?.id ?? ''
  await update(bench, id, { title: 'After the restart' })
  assert.ok((await visit(`${site.url}/post-99/`)).body.includes('After the restart'))
  seen('after a restart of database, PHP and web server posts are there and go on')
}

export async function fetchesEarlierPosts(bench: Bench): Promise<void> {
  const { client, site, connected, seen } = bench
  await client.sites.update(connected.id, { status: 'inactive' })
  const html = '<p>From before.</p>'
  for (let number = 0; number < EARLIER; number += 1)
    await client.posts.create({
      title: `Earlier ${number}`,
      slug: `earlier-${number}`,
      body: { html },
      status: 'published',
    })
  await client.sites.update(connected.id, { status: 'active' })
  const here = async () =>
    (
      await site.query(
        "SELECT ID FROM wp_posts WHERE post_type = 'post' AND post_status = 'publish' AND post_name LIKE 'earlier-%'",
      )
    ).length
  assert.equal(await here(), 0)
  const startedAt = performance.now()
  const page = await press(site.owner, 'Fetch earlier posts')
  const [, address = ''] = /const answer = await fetch\((".*?"),/.exec(page) ?? []
  const poll = JSON.parse(address) as string
  const step = async () => JSON.parse(await site.owner.post(poll, {})) as { running: boolean; sentence: string }
  await step()
  const { sentence } = await step()
  assert.match(sentence, /^Fetching: 40 of \d+ posts so far\./)
  await site.restart() // somebody closes the page, and the machine is restarted
  await until('everything is fetched', async () => {
    await site.cron() // as every visitor does
    return (await here()) === EARLIER && !(await step()).running
  })
  const figure = secondsSince(startedAt)
  assert.match(await site.owner.get(SETTINGS), /Everything is here/)
  assert.equal((await visit(`${site.url}/earlier-7/`)).status, 200)
  seen(
    `${EARLIER} earlier posts are fetched in batches with progress, half by the open page, half by WP-Cron after a restart`,
    figure,
  )
}
