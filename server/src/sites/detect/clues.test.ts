import { describe, expect, it } from 'vitest'
import { readMarkup } from '../markup.ts'
import { suggestPlatforms } from './clues.ts'

const HERE = 'https://example.com/'

/** `platform probe` for each suggestion. */
function suggested(html: string, headers: Record<string, string> = {}, url = HERE): string[] {
  const page = { url: new URL(url), headers, markup: readMarkup(html) }
  return suggestPlatforms(page).map(({ platform, probe }) => `${platform} ${probe.href}`)
}

describe('Next.js', () => {
  const probe = 'nextjs https://example.com/_next/static/chunks/a.js'
  const script = '<script src="/_next/static/chunks/a.js"></script>'

  it('is suggested by its files, and confirmed by a script or a style', () => {
    expect(suggested(`<link rel="preload" href="/_next/static/media/a.woff2">${script}`)).toEqual([probe])
    expect(suggested('<link href="/b/_next/static/css/a.css?dpl=x&amp;y=1">')).toEqual([
      'nextjs https://example.com/b/_next/static/css/a.css?dpl=x&y=1',
    ])
  })

  it.each([
    ['its header', '', { 'x-powered-by': 'Next.js' }],
    ['its cache header', '', { 'x-nextjs-cache': 'HIT' }],
    ['what it varies by', '', { vary: 'RSC, Next-Router-State-Tree' }],
    ['its data', '<script id="__NEXT_DATA__" type="application/json">{}</script>', {}],
    ['its stream', '<script>(self.__next_f=self.__next_f||[]).push([0])</script>', {}],
  ])('is suggested by %s, with the files elsewhere', (_, html, headers) => {
    const elsewhere = script.replace('/_next', 'https://cdn.example.net/v1/_next')
    expect(suggested(html + elsewhere, headers)).toEqual([probe])
    expect(suggested(elsewhere)).toEqual([])
  })

  it('cannot be confirmed without a file', () => {
    expect(suggested('', { 'x-powered-by': 'Next.js' })).toEqual([])
  })
})

describe('SvelteKit', () => {
  it.each([
    ['its header', '', { 'x-sveltekit-page': 'true' }, ''],
    ['its attributes', '<body data-sveltekit-preload-data="hover">', {}, ''],
    ['its start', '<script>\n{ __sveltekit_1abc = { base: "" } }</script>', {}, ''],
    ['its files', '<link rel="modulepreload" href="./_app/immutable/entry/start.x.js">', {}, ''],
    ['its imports', '<script>Promise.all([import("/b/_app/immutable/entry/start.x.js")])</script>', {}, '/b'],
    ['its files below a base', '<link rel="modulepreload" href="/b/_app/immutable/entry/start.x.js">', {}, '/b'],
  ])('is suggested by %s', (_, html, headers, base) => {
    expect(suggested(html, headers)).toEqual([`sveltekit https://example.com${base}/_app/version.json`])
  })

  it('resolves its files from where the page was found', () => {
    const html = '<link rel="modulepreload" href="../_app/immutable/entry/start.x.js">'
    expect(suggested(html, {}, 'https://example.com/b/en/')).toEqual([
      'sveltekit https://example.com/b/_app/version.json',
    ])
  })
})

describe('Gatsby', () => {
  it.each([
    ['its root', '<div id="___gatsby"></div>', ''],
    ['its name', '<meta name="generator" content="Gatsby 5.15.0">', ''],
    ['its data', '<link as="fetch" rel="preload" href="/b/page-data/index/page-data.json">', '/b'],
  ])('is suggested by %s', (_, html, base) => {
    expect(suggested(html)).toEqual([`gatsby https://example.com${base}/page-data/app-data.json`])
  })
})

describe('WordPress', () => {
  const probe = 'wordpress https://example.com/wp-json/?_fields=namespaces'

  it.each([
    ['its name', '<META NAME=Generator CONTENT="WordPress 6.9">', {}, probe],
    ['its files', '<script src="/wp-includes/js/a.js"></script>', {}, probe],
    ['its files on www', '<img src="http://www.example.com/wp-content/a.png">', {}, probe],
    ['its files below a path', '<img src="/b/wp-content/a.png">', {}, probe.replace('/wp-json', '/b/wp-json')],
    ['its header', '', { link: '</x>; rel=preload, <http://example.com/wp-json/>; rel="https://api.w.org/"' }, probe],
    ['its link', '<link rel="https://api.w.org/" href="/api/">', {}, probe.replace('/wp-json', '/api')],
    [
      'its link without permalinks',
      '<link rel="https://api.w.org/" href="/?rest_route=/">',
      {},
      'wordpress https://example.com/?rest_route=%2F&_fields=namespaces',
    ],
  ])('is suggested by %s', (_, html, headers, expected) => {
    expect(suggested(html, headers)).toEqual([expected])
  })
})

describe('nothing', () => {
  it.each([
    ['text', '<p>/wp-content/ __NEXT_DATA__ ___gatsby data-sveltekit- self.__next_f</p>'],
    ['escaped tags', '<pre>&lt;meta name="generator" content="WordPress"&gt;</pre>'],
    ['comments', '<!-- <img src="/wp-content/a.png"> <div id="___gatsby"></div> -->'],
    ['what stands in scripts', '<script>html = \'<div id="___gatsby"></div> self.__next_f\'</script>'],
    ['what stands in data', '<script type="application/json">(self.__next_f=1)</script>'],
    ['what stands in a title', '<title><img src="/wp-content/a.png"></title>'],
    ['what stands in a field', '<textarea><div id="___gatsby"></div></textarea>'],
    ['links', '<a href="/wp-content/a.pdf">a</a><a href="/page-data/a.json">b</a>'],
    [
      'files of others',
      '<img src="https://other.example/wp-content/a.png"><img src="//example.com:8443/wp-content/a.png">',
    ],
    ['files of others by base', '<base href="https://other.example/"><img src="wp-content/a.png">'],
    ['an API of others', '<link rel="https://api.w.org/" href="https://cms.example.com/wp-json/">'],
    [
      'a word in a name',
      '<meta name="generator" content="Not WordPress"><meta name="description" content="WordPress">',
    ],
    ['an address that is none', '<img src="https://[/wp-content/"><img src="">'],
    ['an endless address', `<img src="/wp-content/${'x'.repeat(5_000)}">`],
    ['a tag cut off', '<img src="/wp-content/a.png"'],
    ['bytes', '\u0000\ufffd<\u0000>'],
  ])('is suggested by %s', (_, html) => {
    expect(suggested(html)).toEqual([])
  })
})

it('lists several platforms with the front end first', () => {
  const html = '<img src="/wp-content/a.png"><div id="___gatsby"></div><script src="/_next/static/a.js"></script>'
  expect(suggested(html).map((text) => text.split(' ')[0])).toEqual(['nextjs', 'gatsby', 'wordpress'])
})

describe('a page made to be slow', () => {
  const withBase = (folder: string) =>
    `<base href="${HERE}${folder.repeat(1_900 / folder.length)}/">${'<img src=a>'.repeat(1_000)}`
  const withScript = (text: string) => `<script>${text.slice(0, 4_096)}</script>`.repeat(60)
  const pages = [
    withBase('_next/static/'),
    withBase('page-data/'),
    withScript(' '.repeat(4_096)),
    withScript(`import("${'/_app/immutable'.repeat(300)}`),
  ]

  it('takes hardly longer than its tags take to be read', () => {
    let [reading, judging] = [0, 0]
    for (const html of pages) {
      const begun = performance.now()
      const markup = readMarkup(html)
      const read = performance.now()
      suggestPlatforms({ url: new URL(HERE), headers: { 'x-powered-by': 'Next.js' }, markup })
      reading += read - begun
      judging += performance.now() - read
    }
    expect(judging / reading).toBeLessThan(8) // 1 on the machine where patterns with two open parts took 65
  })

  it('cannot make addresses long with its base', () => {
    const long = `<base href="${HERE}${'a/'.repeat(1_010)}"><script src="${'b/'.repeat(100)}_next/static/a.js"></script>`
    expect(suggested(long)).toEqual([])
  })
})
