/** The story that every integration is told: what an owner does, and what a visitor sees of it. */
import type { PostriderClient, SiteWithSecrets } from '@postrider/sdk'
import { type Stage, until } from './stage.ts'

/** A site under test, in terms of its addresses. */
export type Told = {
  stage: Stage
  site: SiteWithSecrets
  /** The address of the list; posts are below it. */
  blog: string
  /** Ends the site's process and starts it again, with what is on its disk. */
  restart(): Promise<void>
  /** As a host deploys: another machine, built from the sources, with nothing else on its disk. */
  redeploy(): Promise<void>
}

const AT_ONCE = 100

/** Tells it; throws at the first thing that is wrong. */
export async function tellStory({ stage, site, blog, restart, redeploy }: Told): Promise<void> {
  const { client, seen } = stage
  const at = (slug: string) => visit(`${blog}/${slug}`)
  const shows = (slug: string, text: string) =>
    until(`${blog}/${slug} shows “${text}”`, async () => {
      const { status, body } = await at(slug)
      return status === 200 && body.includes(text)
    })
  const lacks = (slug: string, text: string) =>
    until(`${blog}/${slug} lacks “${text}”`, async () => !(await at(slug)).body.includes(text))
  const answers = (slug: string, status: number) =>
    until(`${blog}/${slug} answers ${status}`, async () => (await at(slug)).status === status)

  const test = await client.sites.testDelivery(site.id)
  if (!test.success) throw new Error(`the test failed: ${JSON.stringify(test)}`)
  seen('the test arrives')

  await client.sites.update(site.id, { verify: true })
  const body = { markdown: 'First **words** & <kbd>Ctrl</kbd>.\n\n![A picture](https://example.com/a.png)' }
  const startedAt = performance.now()
  const post = await client.posts.create({
    title: 'Bread & <salt',
    slug: 'bread',
    body,
    tags: ['Baking'],
    status: 'published',
  })
  await shows('bread', 'Bread &amp; &lt;salt')
  seen('a published post is on its page', `${Math.round(performance.now() - startedAt)} ms`)
  await until('the service sees that it is live', async () => {
    const [delivery] = (await client.deliveries.list({ post_id: post.id })).data
    return delivery?.live.state === 'verified' && delivery.live.url === `${blog}/bread`
  })
  seen('the service is told where it is, and sees that it is live')
  const page = (await at('bread')).body
  for (const part of ['<strong>words</strong>', '<kbd>Ctrl</kbd>', 'https://example.com/a.png'])
    if (!page.includes(part)) throw new Error(`${part} is not on the page:\n${page}`)
  await until('the list has it', async () => (await visit(blog)).body.includes(`${new URL(blog).pathname}/bread`))
  seen('text, marks and picture are on the page, the post is in the list')

  await client.posts.update(post.id, { title: 'Better bread' })
  await shows('bread', 'Better bread')
  seen('a change is on the page')

  await client.posts.update(post.id, { slug: 'better-bread' })
  await shows('better-bread', 'Better bread')
  await until('the old address redirects', async () => {
    const { status, location } = await at('bread')
    return [301, 308].includes(status) && location?.endsWith('/better-bread') === true
  })
  seen('the former address redirects to the present one')

  const original = await nameOriginal(client, post.id)
  await shows('better-bread', 'rel="canonical" href="https://original.example.com/better-bread"')
  await client.sites.delete(original.id)
  await lacks('better-bread', 'original.example.com')
  seen('a copy names the address of its original, and no longer once there is none')

  await client.posts.update(post.id, { status: 'draft' })
  await answers('better-bread', 404)
  await until('the list lacks it', async () => !(await visit(blog)).body.includes('/better-bread'))
  seen('an unpublished post is gone')

  await tellOfPreview(stage, { site, post: { id: post.id, title: 'Better bread' }, blog })
  await client.posts.update(post.id, { status: 'published' })
  await shows('better-bread', 'Better bread')
  await client.posts.delete(post.id)
  await answers('better-bread', 404)
  seen('a post that was published again and deleted is gone')

  const bulkAt = performance.now()
  await publishMany(client, AT_ONCE)
  const slugs = Array.from({ length: AT_ONCE }, (_, index) => `post-${index + 1}`)
  for (const slug of slugs) await shows(slug, `Text of ${slug}.`)
  seen(`${AT_ONCE} posts at once are all on their pages`, `${((performance.now() - bulkAt) / 1_000).toFixed(1)} s`)

  await withdrawUnseen(client, `post-${AT_ONCE}`)
  await restart()
  const { body: list } = await visit(blog)
  if (list.includes(`/post-${AT_ONCE}"`)) throw new Error('what was unpublished is in the list after a restart')
  await answers(`post-${AT_ONCE}`, 404)
  for (const slug of [slugs[0], slugs.at(-2)]) await shows(slug ?? '', `Text of ${slug}.`)
  seen('they are there after a restart, but for one that was unpublished before it, which nobody had asked for since')
  await client.posts.update((await withSlug(client, `post-${AT_ONCE}`)).id, { status: 'published' })
  await shows(`post-${AT_ONCE}`, `Text of post-${AT_ONCE}.`)

  const deployedAt = performance.now()
  await redeploy()
  const readyAt = performance.now()
  for (const slug of slugs) await shows(slug, `Text of ${slug}.`)
  seen(
    'all of them are there after a deploy to an empty disk',
    `build and start ${seconds(readyAt - deployedAt)}, then all pages within ${seconds(performance.now() - readyAt)}`,
  )

  await stage.stopService()
  await shows(slugs[5] ?? '', 'Text of post-6.')
  seen('pages that were read stay while the service is away')
  await stage.startService()
}

/** Unpublishes a post; resolves once the site has accepted that. */
async function withdrawUnseen(client: PostriderClient, slug: string): Promise<void> {
  const { id } = await withSlug(client, slug)
  await client.posts.update(id, { status: 'draft' })
  await until(`the removal of ${slug} is accepted`, async () => {
    const [newest] = (await client.deliveries.list({ post_id: id })).data
    return newest?.event === 'post.deleted' && newest.status === 'delivered'
  })
}

async function withSlug(client: PostriderClient, slug: string) {
  for await (const post of client.posts.all()) if (post.slug === slug) return post
  throw new Error(`there is no post with the slug ${slug}`)
}

/** What a visitor gets; redirects are not followed. */
export async function visit(url: string): Promise<{ status: number; body: string; location: string | null }> {
  const response = await fetch(url, { redirect: 'manual' })
  return { status: response.status, body: await response.text(), location: response.headers.get('location') }
}

/** Publishes posts `post-1` to `post-COUNT`, whose text is `Text of SLUG.` */
export async function publishMany(client: PostriderClient, count: number): Promise<void> {
  for (let index = 1; index <= count; index += 1)
    await client.posts.create({
      title: `Post ${index}`,
      slug: `post-${index}`,
      body: { markdown: `Text of post-${index}.` },
      status: 'published',
    })
}

/** Makes another site, which is sent nothing, the original of a post; returns it. */
export async function nameOriginal(client: PostriderClient, postId: string): Promise<SiteWithSecrets> {
  const url = 'https://original.example.com'
  const site = await client.sites.create({
    name: 'The original',
    url,
    webhook_url: `${url}/hook`,
    post_url: `${url}/{slug}`,
  })
  await client.sites.update(site.id, { status: 'inactive' })
  await client.posts.update(postId, { primary_site_id: site.id })
  return site
}

/** A duration in milliseconds, in words. */
export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}

/** A draft in the site's own design, for whoever has the link. `blog`: the address below which posts are. Resolves with the page. */
export async function tellOfPreview(
  { client, seen }: Pick<Stage, 'client' | 'seen'>,
  { site, post, blog }: { site: { id: string }; post: { id: string; title: string }; blog: string },
): Promise<string> {
  await client.sites.update(site.id, { post_url: `${blog}/{slug}` })
  const preview = await client.posts.previews.create(post.id)
  const { url = '' } = preview.sites.find(({ site_id: id }) => id === site.id) ?? {}
  const says = (text: string) =>
    until(`${url} shows “${text}”`, async () => {
      const { status, body } = await visit(url)
      return status === 200 && body.includes(text)
    })
  await client.posts.update(post.id, { title: 'Seen early' })
  await says('Seen early')
  await client.posts.update(post.id, { title: 'Seen later' })
  await says('Seen later')
  const { body } = await visit(url)
  if ((await visit(blog)).body.includes('Seen later')) throw new Error('the list has a draft')
  await client.posts.previews.revoke(post.id, preview.id)
  await until('the preview is gone', async () => (await visit(url)).status === 404)
  await client.posts.update(post.id, { title: post.title })
  seen('a draft is seen in the design of the site, as it is then, until the link is taken back')
  return body
}
