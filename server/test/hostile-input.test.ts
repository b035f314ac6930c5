/** Input that means harm, or is merely absurd: a clear 4xx, nothing stored, never a 500. */
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { request } from './support/http.ts'
import { startService, type TestService } from './support/service.ts'

let service: TestService
let token: string

beforeAll(async () => {
  service = await startService()
  const person = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }
  token = String((await request(`${service.url}/api/auth/register`, { method: 'POST', body: person })).json.token)
})
afterAll(() => service.stop())
afterEach(async () => {
  await service.caughtUp()
  expect(service.logged.splice(0).filter(({ level }) => level === 'error')).toEqual([])
})

async function stored(): Promise<number> {
  return (
    await service.ctx.db.root
      .selectFrom('posts')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
  ).count
}

const post = (raw: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  request(`${service.url}/api/posts`, { method: 'POST', token, raw, headers })

describe('malformed bodies', () => {
  it.each<[name: string, raw: string | Uint8Array<ArrayBuffer>, field: string]>([
    ['nothing', '', 'body'],
    ['half of an object', '{"title": "x"', 'body'],
    ['a comment', '{"title": "x"} // hello', 'body'],
    ['NaN', '{"title": NaN}', 'body'],
    ['an array', '[]', 'body'],
    ['a string', '"x"', 'body'],
    ['null', 'null', 'body'],
    ['a number', '5', 'body'],
    ['bytes that are not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), 'body'],
    ['U+0000 in a title', '{"title": "a\\u0000b"}', 'title'],
    ['U+0000 in a tag', '{"title": "x", "tags": ["ok", "a\\u0000b"]}', 'tags.1'],
    [
      'U+0000 in a rich text',
      '{"title": "x", "body": {"json": {"type": "doc", "content": [{"type": "paragraph", "content": [{"type": "text", "text": "\\u0000"}]}]}}}',
      'body.json.content.0.content.0.text',
    ],
    ['half a surrogate pair', '{"title": "\\ud800"}', 'title'],
    ['half a surrogate pair, in a key', '{"title": "x", "meta": {"\\udc00": "x"}}', 'meta'],
    ['100,000 nested arrays', `{"title": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'body'],
    ['100,000 nested objects, never closed', '{"a":'.repeat(100_000), 'body'],
    ['prototype pollution', '{"title": "x", "__proto__": {"status": "published"}}', '__proto__'],
    ['a constructor', '{"title": "x", "constructor": {"prototype": {}}}', 'constructor'],
  ])('%s', async (_name, raw, field) => {
    const before = await stored()
    const { status, json } = await post(raw)
    expect({ status, ...json }).toMatchObject({
      status: 400,
      error: 'validation_error',
      field,
      message: expect.any(String),
    })
    expect(await stored()).toBe(before)
  })

  it('larger than allowed, announced or not', async () => {
    const before = await stored()
    const huge = `{"title": "x", "excerpt": "${'x'.repeat(3_000_000)}"}`
    expect((await post(huge)).status).toBe(413)
    const stream = new ReadableStream({
      start(controller) {
        for (let sent = 0; sent < 48; sent += 1) controller.enqueue(new TextEncoder().encode('x'.repeat(65_536)))
        controller.close()
      },
    })
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const init: RequestInit = { method: 'POST', headers, body: stream, duplex: 'half' }
    const outcome = await fetch(`${service.url}/api/posts`, init).then(
      (response) => response.status,
      () => 'connection closed',
    )
    expect([413, 'connection closed']).toContain(outcome)
    expect(await stored()).toBe(before)
    expect((await post('{"title": "still works"}')).status).toBe(201)
  })

  it('forms of a body over 1 MiB are named', async () => {
    const { status, json } = await post(JSON.stringify({ title: 'x', body: { markdown: 'x'.repeat(1_048_577) } }))
    expect({ status, field: json.field }).toEqual({ status: 400, field: 'body.markdown' })
  })
})

const HARMLESS = new Set([
  'div',
  'p',
  'a',
  'img',
  'table',
  'tbody',
  'thead',
  'tr',
  'td',
  'th',
  'strong',
  'em',
  'br',
  'h1',
  'h2',
  'blockquote',
  'ul',
  'ol',
  'li',
  'code',
  'pre',
])

type Element = { tagName: string; attrs: Array<{ name: string; value: string }> }

/** Every element a browser would make of the text. */
function elementsOf(html: string): Element[] {
  const found: Element[] = []
  const visit = (node: DefaultTreeAdapterTypes.ChildNode | DefaultTreeAdapterTypes.DocumentFragment): void => {
    if ('tagName' in node) found.push(node)
    if ('childNodes' in node) node.childNodes.forEach(visit)
  }
  visit(parseFragment(html))
  return found
}

describe('hostile HTML', () => {
  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<a href="javascript:alert(1)">x</a>',
    '<a href="jav&#x0A;ascript:alert(1)">x</a>',
    '<svg onload=alert(1)><a xlink:href="javascript:alert(1)">x</a></svg>',
    '<iframe src="https://evil.example"></iframe>',
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
    '<form action="https://evil.example"><input name=password></form>',
    '<style>@import "https://evil.example/x.css"</style>',
    '<base href="https://evil.example/">',
    '<meta http-equiv=refresh content="0;url=https://evil.example">',
    '<p style="background:url(javascript:alert(1))">x</p>',
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  ])('is stored harmless: %s', async (html) => {
    const { status, json } = await post(JSON.stringify({ title: html, excerpt: html, body: { html } }))
    expect(status).toBe(201)
    const { html: clean } = json.body as { html: string }
    const found = elementsOf(clean)
    expect(found.map(({ tagName }) => tagName).filter((name) => !HARMLESS.has(name))).toEqual([])
    const attributes = found.flatMap(({ attrs }) => attrs)
    expect(
      attributes.filter(({ name }) => name.startsWith('on') || ['style', 'srcdoc', 'action'].includes(name)),
    ).toEqual([])
    expect(
      attributes.filter(
        ({ name, value }) => ['href', 'src'].includes(name) && !/^(https?:|mailto:|tel:|[/#?.\w-]+$)/.test(value),
      ),
    ).toEqual([])
    expect(json.title).toBe(html)
  })

  it.each([
    ['deep elements', '<div>'.repeat(100_000)],
    ['deep quotes', '<blockquote>'.repeat(50_000)],
    ['many attributes', `<p ${Array.from({ length: 50_000 }, (_, index) => `a${index}=1`).join(' ')}>x</p>`],
    ['open brackets', '<'.repeat(500_000)],
  ])('is survived: %s', async (_name, html) => {
    const { status } = await post(JSON.stringify({ title: 'x', body: { html } }))
    expect([201, 400]).toContain(status)
  })

  it.each([
    ['nested quotes', '>'.repeat(100_000)],
    ['open brackets', '['.repeat(200_000)],
    ['stars', '*a **a '.repeat(50_000)],
    ['images', '![]('.repeat(100_000)],
    ['backticks', Array.from({ length: 1000 }, (_, index) => '`'.repeat(index)).join(' ')],
    ['table pipes', `${'|x'.repeat(50_000)}\n${'|-'.repeat(50_000)}\n`],
    [
      'deep lists',
      Array.from({ length: 2000 }, (_, index) => `${'  '.repeat(index)}- x`)
        .join('\n')
        .slice(0, 1_000_000),
    ],
  ])('markdown is survived: %s', async (_name, markdown) => {
    const { status } = await post(JSON.stringify({ title: 'x', body: { markdown } }))
    expect([201, 400]).toContain(status)
  })
})

describe('input made to take long', () => {
  it.each([
    [
      'an e-mail address of dots',
      '/api/auth/register',
      { name: 'x', email: `a@${'.'.repeat(15_000)}@`, password: 'quiet harbour' },
    ],
    ['an e-mail address of at signs', '/api/auth/login', { email: '@'.repeat(15_000), password: 'quiet harbour' }],
  ])('%s', async (_name, path, body) => {
    expect([400, 401]).toContain((await request(service.url + path, { method: 'POST', body })).status)
  })

  it.each(['/api/auth/register', '/api/auth/login'])('more than anybody needs to send to %s', async (path) => {
    const body = { name: 'x', email: '@'.repeat(20_000), password: 'quiet harbour' }
    expect((await request(service.url + path, { method: 'POST', body })).status).toBe(413)
  })

  it('a search of thousands of phrases', async () => {
    const search = encodeURIComponent('"a"'.repeat(2_000))
    expect((await request(`${service.url}/api/posts?search=${search}`, { token })).status).toBe(200)
  })

  it('two million bytes of zeros', async () => {
    expect((await post(`{"title": [${'0,'.repeat(1_000_000)}0]}`)).status).toBe(400)
  })
})

describe('odd requests', () => {
  it.each([
    '/api/posts?search=%00',
    '/api/posts?search=%ff%fe',
    '/api/posts?tag=%00',
    '/api/posts?site_id=%00',
    '/api/posts?page=1&page=2',
    '/api/posts?%00=1',
    '/api/posts?__proto__=1',
    '/%',
    '/api/%ff',
    '//',
    '/api/posts//',
  ])('never break the service: %s', async (path) => {
    expect((await request(service.url + path, { token })).status).toBeLessThan(500)
  })

  it('text that PostgreSQL cannot index whole is stored whole', async () => {
    const words = Array.from(
      { length: 60_000 },
      (_, index) => `k${index.toString(36)}q${(index * 7919).toString(36)}${index % 100 === 99 ? '\n\n' : ''}`,
    ).join(' ')
    const { status, json } = await post(JSON.stringify({ title: 'Many words', body: { markdown: words } }))
    expect(status).toBe(201)
    expect((json.body as { markdown: string }).markdown).toBe(words)
  })
})
