import { afterEach, beforeEach, expect, it } from 'vitest'
import { type SampleSite, startSampleSite } from './sample-site.ts'
import { event, KEY, SECRET, send } from './support.fixture.ts'

let site: SampleSite
beforeEach(async () => {
  site = await startSampleSite()
  site.setSecret(SECRET)
})
afterEach(() => site.close())

const receive = (content: object, id?: string) => send(site.webhookUrl, content, KEY, id)
const visit = async (path: string) => {
  const answer = await fetch(site.url + path, { redirect: 'manual' })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

it('has the name of the site, and shows each post with its date', async () => {
  expect((await visit('/')).text).toContain('No posts have arrived yet')
  await receive(event('site.test'))
  const empty = await visit('/')
  expect(empty.text).toContain('<h1 dir="auto">Kitchen &amp; garden</h1>')
  expect(empty.text).toContain('No posts have arrived yet')
  await receive(event('post.published'))
  const { text } = await visit('/')
  expect(text).toContain('<a href="/posts/hello-world">Hello &lt;world></a>')
  expect(text).toContain('<p dir="auto">First &quot;words&quot;.</p>')
  expect(text).toContain('>27 November 2026</time>')
  const page = await visit('/posts/hello-world')
  expect(page.text).toContain('<div class="prose" dir="auto"><p>First words.</p></div>')
  expect(page.text).toContain(`<meta name="postrider-post" content="${event('post.published').post.id}">`)
  expect(page.text).toContain('<title>Hello &lt;world> · Kitchen &amp; garden</title>')
})

it('names the address of the original, also once that is all that has changed', async () => {
  await receive(event('post.published'))
  expect((await visit('/posts/hello-world')).text).not.toContain('canonical')
  await receive(event('post.updated', { meta: { canonical_url: 'https://original.example.com/?p=1&q="2"' } }))
  expect((await visit('/posts/hello-world')).text).toContain(
    '<link rel="canonical" href="https://original.example.com/?p=1&amp;q=&quot;2&quot;">',
  )
})

it('allows nothing but its style sheet, images and embeds', async () => {
  await receive(event('post.published'))
  for (const path of ['/', '/posts/hello-world', '/style.css', '/nothing']) {
    const { headers } = await visit(path)
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; style-src 'self'; img-src")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  }
  expect((await visit('/style.css')).headers.get('content-type')).toContain('text/css')
  expect((await visit('/nothing')).status).toBe(404)
})

it('keeps the newest version, ignores repeats, redirects from earlier addresses, and withdraws', async () => {
  await receive(event('post.published', { version: 2, title: 'Second' }), 'one')
  await receive(event('post.updated', { version: 1, title: 'First' }))
  expect((await visit('/posts/hello-world')).text).toContain('Second')
  await receive(event('post.updated', { version: 3, slug: 'moved', previous_slugs: ['hello-world'] }))
  expect((await visit('/posts/hello-world')).headers.get('location')).toBe('/posts/moved')
  expect((await visit('/posts/moved')).text).toContain('Version 3 of this post')
  await receive(event('post.deleted'))
  expect((await visit('/posts/moved')).status).toBe(404)
  await receive(event('post.published', { version: 2, title: 'Second' }), 'one')
  expect((await visit('/posts/hello-world')).status).toBe(404)
})
