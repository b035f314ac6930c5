import { expect, it } from 'vitest'
import { showsPost } from './recognise.ts'

const post = { id: '01a19b45-1c2d-7e3f-8a4b-5c6d7e8f9a0b', version: 3, title: "It's rye – “bread” time...", meta: {} }
const address = new URL('https://copy.example/blog/rye')
const canonical = { ...post, meta: { canonical_url: 'https://example.com/rye/' } }
const page = (head: string, body = '<h1>Hello</h1>') => `<!doctype html><head>${head}</head><body>${body}</body>`

it.each([
  ['the id in a meta tag', page(`<meta name="postrider-post" content="${post.id}">`)],
  ['that in capitals', page(`<META NAME="postrider-post" CONTENT="${post.id.toUpperCase()}"/>`)],
  ['the title of the page', page('<title>IT’S RYE — "bread" time… | Ada&#39;s kitchen</title>')],
  ['the title in its text', page('', '<h1>It’s <em>rye</em>&nbsp;–<br>&ldquo;bread&rdquo; time...</h1>')],
  ['what chats call it', page(`<meta property="og:title" content="It's rye - &quot;bread&quot; time">`)],
  ['all of that in a page that is cut off', `<meta name="postrider-post" content="${post.id}"><p>and then`],
])('a page that has %s shows the post', (_what, html) => {
  expect(showsPost(html, address, post)).toBe(true)
})

it.each([
  ['nothing', ''],
  ['an empty shell', page('<title>Blog</title>', '<div id="app"></div>')],
  ["another post's id", page('<meta name="postrider-post" content="01a19b45-0000-7000-8000-000000000000">')],
  ['the id elsewhere', page(`<meta name="description" content="${post.id}">`, `<p>${post.id}</p>`)],
  ['the title in a script', page('', `<script>const title = "It's rye – “bread” time..."</script>`)],
  ['the title in a comment', page('', `<!-- It's rye – “bread” time... -->`)],
  ['other words around its own', page('', "<p>It's rye – “bread” timetable</p>")],
  ['a canonical address that nobody gave it', page('<link rel="canonical" href="https://example.com/rye">')],
])('a page that has %s does not', (_what, html) => {
  expect(showsPost(html, address, post)).toBe(false)
})

it('a page is recognised by the canonical address that its site was sent', () => {
  const linked = (href: string) => showsPost(page(`<link rel="canonical" href="${href}">`), address, canonical)
  expect(linked('https://example.com/rye')).toBe(true)
  expect(linked('https://EXAMPLE.com/rye/')).toBe(true)
  expect(linked('https://example.com/wheat')).toBe(false)
  expect(linked('/rye')).toBe(false)
  // That is in every page of many sites.
  const own = { ...post, meta: { canonical_url: address.href } }
  expect(showsPost(page(`<link rel="canonical" href="${address.href}">`), address, own)).toBe(false)
})

it.each([
  ['2', 'earlier'],
  ['3', true],
  // The site has been sent the next one meanwhile.
  ['4', true],
  ['new', true],
])('a page that says it shows version %s is seen as %s', (version, seen) => {
  const stated = `<meta name="postrider-version" content="${version}">`
  expect(showsPost(page(`<meta name="postrider-post" content="${post.id}">${stated}`), address, post)).toBe(seen)
  expect(showsPost(page(stated), address, post)).toBe(false)
})

it('a title without words is in no page', () => {
  expect(showsPost(page('<title>…</title>', '…'), address, { ...post, title: '…' })).toBe(false)
})
