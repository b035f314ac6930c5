/** The pages of a site that has no framework: what they show, where they lead, and that nothing of a post can become markup but its text. */
import { expect, it } from 'vitest'
import type { WebhookPost } from '../webhooks.ts'
import { createBlog } from './blog.ts'
import { memoryStore } from './memory.ts'
import { createPages } from './pages.ts'
import { applyEvent } from './store.ts'

const NASTY = `<b title="x">Bread</b> & 'salt'`
const ESCAPED = '&lt;b title=&quot;x&quot;&gt;Bread&lt;/b&gt; &amp; &#39;salt&#39;'

async function pagesOf(posts: Array<Partial<WebhookPost>>, options = {}) {
  const store = memoryStore()
  for (const [index, given] of posts.entries()) {
    const post = {
      id: `id-${index}`,
      version: 1,
      title: 'Bread',
      slug: `post-${index}`,
      previous_slugs: [],
      excerpt: '',
      tags: [],
      meta: {},
      body: { html: `<p>Text ${index}</p>`, markdown: '', json: { type: 'doc', content: [] } },
      published_at: `2026-11-02T08:00:${String(index).padStart(2, '0')}.000Z`,
      ...given,
    } as WebhookPost
    const site = { id: 'site', name: 'Site' }
    await applyEvent(store, { event: 'post.published', post, site, delivered_at: post.published_at }, 1_000 + index)
  }
  return createPages(store, options)
}

it('list the newest first, a part at a time', async () => {
  const pages = await pagesOf(Array.from({ length: 21 }, (_, index) => ({ title: `Post ${index}` })))
  const { status, headers, body } = await pages('/blog')
  expect([status, headers['Content-Type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(body.match(/<h2>/g)).toHaveLength(20)
  expect(body).toContain('<a href="/blog/post-20">Post 20</a>')
  const older = /href="(\/blog\?after=[^"]+)"/.exec(body)?.[1]
  expect((await pages(`https://example.com${older}`)).body).toContain('Post 0</a>')
})

it('show a post with what search engines and Postrider look for, and nothing of it as markup but its text', async () => {
  const meta = {
    description: NASTY,
    og_image: 'https://a.example/x.png?a=1&b=2',
    canonical_url: 'https://b.example/"x',
  }
  const pages = await pagesOf([{ title: NASTY, excerpt: NASTY, slug: 'größe', meta }])
  const { status, body } = await pages('/blog/gr%C3%B6%C3%9Fe')
  expect(status).toBe(200)
  expect(body).toContain(`<title>${ESCAPED}</title>`)
  expect(body).toContain(`<meta name="description" content="${ESCAPED}">`)
  expect(body).toContain(`<meta property="og:title" content="${ESCAPED}">`)
  expect(body).toContain('<meta name="postrider-post" content="id-0">')
  expect(body).toContain('<link rel="canonical" href="https://b.example/&quot;x">')
  expect(body).toContain('content="https://a.example/x.png?a=1&amp;b=2"')
  expect(body).toContain('<p>Text 0</p>')
  expect(body).not.toContain('<b ')
  expect((await pages('/blog')).body).toContain(`<a href="/blog/gr%C3%B6%C3%9Fe">${ESCAPED}</a>`)
})

it('lead from a former address to the present one, and say what is not there', async () => {
  const pages = await pagesOf([{ slug: 'new', previous_slugs: ['old'] }])
  expect(await pages('/blog/old')).toMatchObject({ status: 308, headers: { Location: '/blog/new' } })
  expect((await (await pagesOf([]))('/blog')).body).toContain('There are no posts yet.')
  expect(await pages('/')).toMatchObject({ status: 302, headers: { Location: '/blog' } })
  for (const path of ['/blog/none', '/blog/new/more', '/other', '/other/new', '/blog/%E0%A4%A'])
    expect((await pages(path)).status, path).toBe(404)
})

it('may be elsewhere and look otherwise', async () => {
  const layout = ({ title, head, main }: { title: string; head: string; main: string }) => `${title}|${head}|${main}`
  const pages = await pagesOf([{ slug: 'new' }], { path: '/notes', title: 'Notes', layout })
  expect((await pages('/notes')).body).toMatch(/^Notes\|\|<h1>Notes<.*href="\/notes\/new"/)
  expect(await pages('/notes/new')).toMatchObject({ status: 200, body: expect.stringMatching(/^Bread\|<meta/) })
})

it.each([
  ['/', '/', '/new'],
  ['', '/', '/new'],
  ['notes/', '/notes', '/notes/new'],
  ['/nötes', '/n%C3%B6tes', '/n%C3%B6tes/new'],
])('may be at %j', async (path, list, address) => {
  const pages = await pagesOf([{ slug: 'new', previous_slugs: ['old'] }], { path })
  expect((await pages(list)).body).toContain(`<a href="${address}">`)
  expect(await pages(address)).toMatchObject({ status: 200, body: expect.stringContaining(`<a href="${list}">`) })
  expect(await pages(address.replace('new', 'old'))).toMatchObject({ status: 308, headers: { Location: address } })
  expect(await pages('//')).toMatchObject({ status: 404 })
})

it('of a blog that cannot be read say so, and Postrider’s webhooks are refused with the reason', async () => {
  const said: string[] = []
  const blog = createBlog({ connection: 'none', log: (sentence) => void said.push(sentence) })
  const visited = await blog.handle(new Request('https://example.com/blog'))
  expect([visited.status, visited.headers.get('retry-after')]).toEqual([503, '60'])
  expect(said).toEqual([expect.stringMatching(/^Postrider: https:.*\/blog cannot be shown: .*connection code/)])
  const sent = await blog.handle(new Request('https://example.com/webhooks/postrider', { method: 'POST', body: '{}' }))
  expect([sent.status, await sent.json()]).toEqual([503, { ok: false, message: expect.stringContaining('connection') }])
})
