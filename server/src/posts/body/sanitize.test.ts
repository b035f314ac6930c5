import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../../../../scripts/test/cases.ts'
import { convertBody } from './convert.ts'
import { parseHtml } from './html.ts'
import { refusal } from './test-documents.ts'

const html = (source: string) => convertBody({ html: source }).html

/** Known attacks, and what sanitising may leave of them. */
const vectors: [attack: string, left: string][] = [
  ['<script>alert(1)</script>', ''],
  ['<SCRIPT SRC=//evil.example/x.js></SCRIPT>', ''],
  ['<scr<script>ipt>alert(1)</scr</script>ipt>', 'ipt>alert(1)ipt>'],
  ['<p>a<script>x</script>b</p>', '<p>ab</p>'],
  ['<img src=x onerror=alert(1)>', '<img src="x">'],
  ['<img src="javascript:alert(1)">', ''],
  ['<img src="data:image/svg+xml;base64,PHN2Zz4=">', ''],
  ['<img src=/a srcset="javascript:alert(1) 2x" style="width:1px">', '<img src="/a">'],
  ['<img """><script>alert(1)</script>">', '">'],
  ['<img src=`javascript:alert(1)`>', ''],
  ['<a href="javascript:alert(1)">x</a>', 'x'],
  ['<a href="JaVaScRiPt:alert(1)">x</a>', 'x'],
  ['<a href=" &#14; javascript:alert(1)">x</a>', 'x'],
  ['<a href="jav&#x09;ascript:alert(1)">x</a>', 'x'],
  ['<a href="jav&#x0A;ascript:alert(1)">x</a>', 'x'],
  ['<a href="javascript&colon;alert(1)">x</a>', 'x'],
  ['<a href="&#0000106avascript:alert(1)">x</a>', 'x'],
  ['<a href="\u0001javascript:alert(1)">x</a>', 'x'],
  ['<a href="vbscript:msgbox(1)">x</a>', 'x'],
  ['<a href="data:text/html,<script>alert(1)</script>">x</a>', 'x'],
  ['<a href="blob:https://a.b/c">x</a>', 'x'],
  ['<a href="https://a.b" target="_blank" ping="//evil.example" onclick="x">x</a>', '<a href="https://a.b">x</a>'],
  ['<svg onload=alert(1)><p>x</p></svg>y', '<p>x</p>y'],
  ['<svg><script>alert(1)</script><a xlink:href="javascript:1"><text>x</text></a></svg>y', 'y'],
  ['<math><mi xlink:href="data:x,<script>alert(1)</script>">x</mi></math>y', 'y'],
  [
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
    '&lt;math><table></table>',
  ],
  ['<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>', '<div></div>'],
  [
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
    '<p title="&lt;/noscript&gt;&lt;img src=x onerror=alert(1)&gt;"></p>',
  ],
  ['<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">', '&lt;svg><img src="1">">'],
  ['<iframe src="https://evil.example"></iframe>x', ' <a href="https://evil.example">https://evil.example</a> x'],
  ['<iframe srcdoc="<script>alert(1)</script>"></iframe>x', 'x'],
  [
    '<iframe src="//www.youtube.com.evil.example/embed/dQw4w9WgXcQ" title="A clip"></iframe>x',
    ' <a href="https://www.youtube.com.evil.example/embed/dQw4w9WgXcQ">A clip</a> x',
  ],
  [
    '<iframe src="https://user@codepen.io/x"></iframe>x',
    ' <a href="https://user@codepen.io/x">https://user@codepen.io/x</a> x',
  ],
  ['<iframe src="data:text/html,<script>1</script>" srcdoc="<script>"></iframe>x', 'x'],
  ['<video src="javascript:alert(1)" poster="data:image/png,x" onplay=alert(1)></video>x', 'x'],
  [
    '<video src=/a.mp4 poster=javascript:x autoplay onerror=alert(1)><source src=x onerror=alert(1)><p>y</video>',
    '<video src="/a.mp4" controls preload="metadata"></video>',
  ],
  ['<audio><source src="data:audio/mp3,x" onerror=alert(1)></audio>x', 'x'],
  ['<map><area href="javascript:alert(1)" alt=a></map>x', 'x'],
  ['<iframe src="javascript:alert(1)//www.youtube.com/embed/dQw4w9WgXcQ"></iframe>x', 'x'],
  ['<object data="x"><embed src="x"></object>x', 'x'],
  ['<style>*{color:red}</style><p style="x" class="y">x', '<p>x</p>'],
  ['<link rel=stylesheet href=x><meta http-equiv=refresh content="0;url=x"><base href="//evil.example">x', 'x'],
  [
    '<form action="//evil.example"><input name=q><input type=image src=x><button formaction="javascript:1">x</button></form>',
    '<div>x</div>',
  ],
  ['<template><script>alert(1)</script></template><textarea><img onerror=x></textarea>x', 'x'],
  ['<p id="location" name="cookie"><a name="x">y</a></p>', '<p>y</p>'],
  ['<img name=body src=x id=head>', '<img src="x">'],
  ['<!--[if gte IE 4]><script>alert(1)</script><![endif]-->x<?php x ?>', 'x'],
  ['<plaintext><script>alert(1)', '&lt;plaintext>&lt;script>alert(1)'],
  ['<p title="<script>">x</p>', '<p title="&lt;script&gt;">x</p>'],
  ['<div onclick="x" onmouseover=y>a</div>', '<div>a</div>'],
  ['<details ontoggle=alert(1) open>x</details>', '<details open>x</details>'],
  ['<body onload=alert(1)><marquee onstart=alert(1)>x', 'x'],
  ['<p>a<p>b', '<p>a</p><p>b</p>'],
  ['<object><p>a<object><p>b', '<div>a<p>b</p></div>'],
  ['<tt><p>a<marquee><p>b', '<tt><div>a<p>b</p></div></tt>'],
]

describe('attacks', () => {
  it.each(vectors)('%s', (attack, left) => {
    expect(html(attack)).toBe(left)
    expect(html(left)).toBe(left)
  })

  it.each(vectors)('%s in Markdown', (attack) => {
    expectHarmless(convertBody({ markdown: attack }).html)
    expectHarmless(convertBody({ markdown: `- a ${attack}\n\n${attack}` }).html)
  })

  it('in Markdown links and images', () => {
    const markdown =
      '[a](javascript:x) [b](<java\nscript:x>) ![c](data:image/png;base64,AA) <javascript:x> [d]\n\n[d]: vbscript:x'
    const body = convertBody({ markdown })
    expect(body.html).toBe('<p>a [b]() javascript:x d</p>')
  })
})

const tags =
  'a b p div h1 ul li table tr td th caption blockquote pre code img figure figcaption iframe input svg math mi style script ' +
  'template noscript object form button select option textarea title plaintext nobr dl dt details marquee foreignObject'
const attributes = [
  ...[
    'href="javascript:alert(1)"',
    'src=javascript:1',
    'href="https://a.b"',
    'src=/x',
    'onclick=alert(1)',
    'style="x"',
  ],
  ...['id=x', 'name=y', 'type=checkbox', 'title="<b>\'&quot;>"', 'colspan=2', 'xlink:href=data:x', 'srcdoc="<script>"'],
]
const soup = fc
  .array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc
          .tuple(fc.constantFrom(...tags.split(' ')), fc.subarray(attributes))
          .map((parts) => `<${parts.flat().join(' ')}>`),
      },
      { weight: 2, arbitrary: fc.constantFrom(...tags.split(' ')).map((tag) => `</${tag}>`) },
      {
        weight: 1,
        arbitrary: fc.constantFrom('x', ' ', '\n', '<', '&', '&lt;', '-->', '<!--', '<![CDATA[', ']]>', '"'),
      },
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''))

describe('any soup of tags', () => {
  it('becomes harmless HTML that reads as it is written', () => {
    fc.assert(
      fc.property(soup, (source) => {
        const body = convertBody({ html: source })
        expectHarmless(body.html)
        const again = convertBody({ html: body.html })
        expect(again.html).toBe(body.html)
        expect(again.json).toEqual(body.json)
        expectHarmless(convertBody({ json: body.json }).html)
      }),
      { numRuns: cases(300) },
    )
  })
})

describe('addresses', () => {
  const hrefOf = (href: string) => /href="([^"]*)"/.exec(html(`<a href="${href}">x</a>`))?.[1]

  it.each([
    ['https://a.b/c?d=e#f', 'https://a.b/c?d=e#f'],
    [' HTTPS://a.b ', 'https://a.b'],
    ['mailto:a@b.c', 'mailto:a@b.c'],
    ['tel:+49-30', 'tel:+49-30'],
    ['/a', '/a'],
    ['//a.b/c', '//a.b/c'],
    ['../a b/ü', '../a%20b/%C3%BC'],
    ['#a', '#a'],
    ['?a:b', '?a:b'],
    ['100%', '100%25'],
    ['%41', '%41'],
    ['ftp://a.b', undefined],
    ['a:b', undefined],
    ['', undefined],
  ])('%s', (given, kept) => {
    expect(hrefOf(given)).toBe(kept)
  })

  it.each([
    [
      'https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=42s&autoplay=1',
      'https://www.youtube.com/embed/dQw4w9WgXcQ?start=42',
    ],
    ['http://youtu.be/dQw4w9WgXcQ', 'https://www.youtube.com/embed/dQw4w9WgXcQ'],
    ['//www.youtube-nocookie.com/embed/dQw4w9WgXcQ', 'https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ'],
    ['https://m.youtube.com/shorts/dQw4w9WgXcQ', 'https://www.youtube.com/embed/dQw4w9WgXcQ'],
    ['https://vimeo.com/123456/abcdef', 'https://player.vimeo.com/video/123456?h=abcdef'],
    ['https://player.vimeo.com/video/123456?badge=0', 'https://player.vimeo.com/video/123456'],
  ])('embeds %s', (given, src) => {
    expect(html(`<iframe src="${given}" onload="x" style="y"></iframe>`)).toBe(
      `<iframe src="${src}" width="560" height="315" loading="lazy" allowfullscreen></iframe>`,
    )
  })
})

describe('heading ids', () => {
  it('are slugs of the text, never the author’s, and unique', () => {
    const headings = '<h1 id="x">Ünï <em>code</em>: 1.5!</h1><h2>a</h2><h2>A</h2><h2>a-1</h2><h2>a</h2><h2>🎉</h2>'
    const ids = [...html(headings).matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
    expect(ids).toEqual(['ünï-code-15', 'a', 'a-1', 'a-1-1', 'a-2', 'section'])
  })
})

it('refuses HTML deeper than the parser’s bound', () => {
  expect(refusal({ html: '<div>'.repeat(300) })).toMatchObject({
    path: 'html',
    message: expect.stringContaining('deeper'),
  })
})

/** Checks the parsed tree, independently of the rules under test. */
function expectHarmless(source: string): void {
  const visit = (node: ReturnType<typeof parseHtml> | ReturnType<typeof parseHtml>['children'][number]): void => {
    if (node.type === 'element') {
      expect(
        'script style svg math object embed form button select template textarea title meta link base'.split(' '),
      ).not.toContain(node.tagName)
      const names = Object.keys(node.properties)
      expect(
        names.filter((name) => /^(?:on|style|name|srcDoc|srcSet|formAction|action|xLink|target)/.test(name)),
      ).toEqual([])
      for (const address of [node.properties.href, node.properties.src]) {
        expect(String(address ?? '')).toMatch(/^(?:(?:https?|mailto|tel):|[^:]*$|[^:]*[/?#])/)
      }
    }
    if ('children' in node) node.children.forEach(visit)
  }
  visit(parseHtml(source, 'html'))
}
