/** What the checks work with, and what they share. */
import assert from 'node:assert/strict'
import type { Post, PostriderClient, SiteWithSecrets } from '@postrider/sdk'
import { type Stage, until } from '../../../real/stage.ts'
import type { PictureServer } from './pictures.ts'
import type { Site } from './site.ts'

/** A WordPress before a service. */
export type Bench = Pick<Stage, 'client' | 'service' | 'seen'> & {
  site: Site
  pictures: PictureServer
  connected: SiteWithSecrets
  connection: string
}

/** A post as WordPress's own API shows it to its editor. */
export type WordPressPost = {
  id: number
  status: string
  slug: string
  link: string
  tags: number[]
  categories: number[]
  featured_media: number
  title: { raw: string; rendered: string }
  content: { raw: string; rendered: string }
}

/** Resolves once the site has accepted everything that was sent of a post. */
export async function untilDelivered({ client }: Pick<Bench, 'client'>, id: string): Promise<void> {
  await until(`the post ${id} is delivered`, async () => {
    const { deliveries } = await client.posts.get(id)
    return deliveries.length > 0 && deliveries.every(({ status }) => status.startsWith('delivered'))
  })
}

/** Publishes a post and waits until it is there; resolves with both sides' view of it. */
export async function publish(bench: Bench, post: { title: string; html: string; og_image?: string; tags?: string[] }) {
  const { title, html, og_image, tags = [] } = post
  const meta = og_image === undefined ? {} : { meta: { og_image } }
  const created = await bench.client.posts.create({ title, body: { html }, tags, status: 'published', ...meta })
  await untilDelivered(bench, created.id)
  return { post: created, there: await wordPressPost(bench, created.id) }
}

/** Changes a post and waits until the change is there. */
export async function update(
  bench: Bench,
  id: string,
  change: Parameters<PostriderClient['posts']['update']>[1],
): Promise<Post> {
  const post = await bench.client.posts.update(id, change)
  await until(`version ${post.version} of ${id} is there`, async () => {
    const sql = `SELECT v.meta_value FROM wp_postmeta i JOIN wp_postmeta v USING (post_id) WHERE i.meta_key = '_postrider_id' AND i.meta_value = '${id}' AND v.meta_key = '_postrider_version'`
    return (await bench.site.query(sql))[0]?.[0] === String(post.version)
  })
  await untilDelivered(bench, id)
  return post
}

/** WordPress's id of a post. */
export async function wordPressId({ site }: Pick<Bench, 'site'>, id: string): Promise<number> {
  const rows = await site.query(
    `SELECT post_id FROM wp_postmeta WHERE meta_key = '_postrider_id' AND meta_value = '${id}'`,
  )
  assert.equal(rows.length, 1, `WordPress has ${rows.length} posts for ${id}`)
  return Number(rows[0]?.[0])
}

/** The post in WordPress. */
export async function wordPressPost(bench: Pick<Bench, 'site'>, id: string): Promise<WordPressPost> {
  return bench.site.api('GET', `/posts/${await wordPressId(bench, id)}?context=edit`)
}

/** What a visitor gets; redirects are not followed. */
export async function visit(url: string): Promise<{ status: number; body: string; location: string }> {
  const response = await fetch(url, { redirect: 'manual' })
  return { status: response.status, body: await response.text(), location: response.headers.get('location') ?? '' }
}

/** A number of seconds since a moment of `performance.now()`. */
export function secondsSince(moment: number): string {
  return `${((performance.now() - moment) / 1_000).toFixed(1)} s`
}

/** Throws unless the page has the words. */
export function shows(page: string, words: string): void {
  const text = page.replaceAll('&amp;', '&').replaceAll('&#8217;', '’')
  assert.ok(text.includes(words), `The page lacks “${words}”.`)
}
