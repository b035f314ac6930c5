/** What an author wrote stays: texts that other converters swallow, flatten or mangle. */
import { describe, expect, it } from 'vitest'
import { type BodyInput, convertBody } from './convert.ts'

const video = 'https://www.youtube.com/embed/dQw4w9WgXcQ'
const frame = `<iframe src="${video}" width="560" height="315" loading="lazy" allowfullscreen></iframe>`
const googleDocs =
  '<b style="font-weight:normal" id="docs-internal-guid-1"><p>Plain <span style="font-weight:700">bold</span> ' +
  '<span style="font-style:italic">slanted</span></p></b>'

describe('a tag that is never closed takes nothing with it', () => {
  const tags = 'title textarea style xmp noembed noframes script plaintext select template svg math datalist'.split(' ')

  it.each(tags)('<%s>', (tag) => {
    const markdown = `Use the <${tag}> tag.\n\nThe rest.`
    expect(convertBody({ markdown }).html).toBe(`<p>Use the &lt;${tag}> tag.</p><p>The rest.</p>`)
    const html = `<p>Use the <${tag}> tag.</p><p>The rest.</p>`
    expect(convertBody({ html }).html).toBe(`<p>Use the &lt;${tag}> tag.</p><p>The rest.</p>`)
  })

  it('even if another one of that name is closed', () => {
    expect(convertBody({ html: 'a <title> b <title>c</title> <svg><path></svg> <svg> d' }).text).toBe(
      'a <title> b <svg> d',
    )
  })

  it.each(['iframe', 'video', 'audio', 'object', 'canvas'])('<%s />, as MDX closes it', (tag) => {
    for (const form of ['html', 'markdown'])
      expect(
        convertBody({ [form]: `<${tag} src="${video}" />\n\nThe rest.\n\n<${tag} src="${video}"></${tag}>\n` }).text,
      ).toBe('The rest.')
    const { html } = convertBody({ markdown: `<iframe src="${video}" />\n\nThe rest.` })
    expect(html).toBe(`${frame}<p>The rest.</p>`)
  })

  it('and a closed one in Markdown is text if no post has a use for it', () => {
    expect(convertBody({ markdown: 'a <title>b</title> <xmp>c</xmp>' }).text).toBe('a <title>b</title> <xmp>c</xmp>')
  })
})

const forms: [what: string, input: BodyInput, derived: Partial<ReturnType<typeof convertBody>>][] = [
  ['lines of a pre', { html: '<pre>one<br>two<br>three</pre>' }, { markdown: '```\none\ntwo\nthree\n```\n' }],
  [
    'lines of highlighted code',
    { html: '<pre><code><div class="line">a</div><div class="line">b</div></code></pre>' },
    { markdown: '```\na\nb\n```\n' },
  ],
  [
    "WordPress's verse",
    { html: '<pre class="wp-block-verse">Roses<br><em>are</em> red\nand so on</pre>' },
    { text: 'Roses\nare red\nand so on' },
  ],
  [
    'blocks without a node',
    { html: '<header>Title</header><main>Text here</main><footer>End</footer>' },
    { html: '<div>Title</div><div>Text here</div><div>End</div>', markdown: 'Title\n\nText here\n\nEnd\n' },
  ],
  [
    'blocks between words',
    { html: '<p>one</p>two<aside>three</aside>four' },
    { markdown: 'one\n\ntwo\n\nthree\n\nfour\n' },
  ],
  [
    'bold beside Korean',
    { markdown: '그는 **"안녕"**이라고 말했다. ~~「그」~~는' },
    { html: '<p>그는 <strong>"안녕"</strong>이라고 말했다. <del>「그」</del>는</p>' },
  ],
  ['what Google Docs copies', { html: googleDocs }, { markdown: 'Plain **bold** *slanted*\n' }],
  [
    'links to headings and anchors',
    {
      html: '<h2 id="setup">How to set it up</h2><p><a href="#setup">Setup</a> <a href="#b">B</a></p><p>x <a name="b"></a>y</p>',
    },
    {
      html: '<h2 id="setup">How to set it up</h2><p><a href="#setup">Setup</a> <a href="#b">B</a></p><p>x <a id="b"></a>y</p>',
    },
  ],
  [
    'no empty paragraph',
    { html: '<p>a</p><p><img src="data:x"></p><p><script>x</script> </p><p>b</p>' },
    { html: '<p>a</p><p>b</p>' },
  ],
  [
    'a picture that loads late',
    { html: '<img src="data:image/gif;base64,R0" data-src="https://a.b/c.png" alt="C">' },
    { html: '<img src="https://a.b/c.png" alt="C">' },
  ],
]

const sameInAllForms: [what: string, html: string][] = [
  ['details', '<details open><summary>What <em>it</em> is</summary><p>Text</p><ul><li>a</li></ul></details>'],
  ['a list of definitions', '<dl><dt>Term</dt><dd>What it <strong>means</strong></dd><dd><p>a</p><p>b</p></dd></dl>'],
  ['keys and sizes of pictures', '<p>Press <kbd>Ctrl</kbd> <img src="/a.png" alt="" width="20" height="10"></p>'],
  ['directions', '<p dir="rtl">a</p><ul dir="rtl"><li>b</li></ul><blockquote dir="rtl"><p>c</p></blockquote>'],
  ['numbers of lists', '<ol start="3" type="a" reversed><li>a</li><li value="9">b</li></ol>'],
  ['what a link says', '<p><a href="https://a.b" rel="nofollow sponsored ugc">a</a></p>'],
  ['places', '<h2 id="setup">How to set it up</h2><p><a href="#setup">a</a> <a href="#x">b</a> <a id="x"></a>c</p>'],
  [
    'video',
    '<video src="https://a.b/c.mp4" poster="/p.png" width="640" height="360" controls preload="metadata"></video>',
  ],
  ['audio', '<audio src="https://a.b/c.mp3" controls preload="metadata"></audio>'],
  [
    'frames',
    '<iframe src="https://open.spotify.com/embed/track/1?a=b&amp;c=d" width="560" height="152" loading="lazy" allowfullscreen></iframe>',
  ],
  [
    'footnotes',
    '<p>Text<sup><a href="#fn-1" data-footnote-ref="" id="fnref-1">1</a></sup></p><section class="footnotes" data-footnotes=""><ol>' +
      '<li id="fn-1"><p>Note <a href="#fnref-1" data-footnote-backref="">↩</a></p></li></ol></section>',
  ],
]

describe('is the same in all three forms, and reported by none', () => {
  it.each(sameInAllForms)('%s', (_what, html) => {
    const body = convertBody({ html })
    expect(body).toMatchObject({ html, losses: [] })
    expect(convertBody({ json: body.json })).toEqual(body)
    expect(convertBody({ markdown: body.markdown })).toEqual(body)
  })
})

describe('footnotes', () => {
  const markdown = 'Text.[^b][^a] Again.[^b]\n\n[^a]: one\n[^b]: two\n\n    more\n[^c]: never referred to\n'

  it('lead to their notes and back, in the order of the text, without a heading', () => {
    const { html, text } = convertBody({ markdown })
    const hrefs = [...html.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id)
    expect(hrefs).toEqual(['fn-1', 'fn-2', 'fn-1', 'fnref-1', 'fnref-1-2', 'fnref-2'])
    for (const id of hrefs) expect(html).toContain(`id="${id}"`)
    expect(html).not.toContain('<h')
    expect(text.split('\n')).toEqual(['Text. Again.', 'two', 'more', 'one', 'never referred to'])
  })

  it('of GitHub are read', () => {
    const html =
      '<p>a<sup><a href="#user-content-fn-x" id="user-content-fnref-x" data-footnote-ref>1</a></sup></p><section data-footnotes><h2 class="sr-only" id="footnote-label">Footnotes</h2><ol><li id="user-content-fn-x"><p>note <a href="#user-content-fnref-x" data-footnote-backref>↩</a></p></li></ol></section>'
    expect(convertBody({ html }).markdown).toBe('a[^1]\n\n[^1]: note\n')
  })

  it('that do not exist stay text', () => {
    const json = {
      type: 'doc',
      content: [{ type: 'paragraph', content: [{ type: 'footnoteReference', attrs: { label: 'x' } }] }],
    }
    expect(convertBody({ json }).text).toBe('[^x]')
  })
})

const player = (rest: string) => `<video src="https://a.b/c.mp4"${rest} controls preload="metadata"></video>`
const losses: [what: string, html: string, left: string, codes: string[]][] = [
  ['a script', '<p>a</p><script>x</script>', '<p>a</p>', ['element_removed']],
  ['form fields', '<input name="a"><textarea>x</textarea><select><option>y</select>z', 'z', ['element_removed']],
  ['a link that runs code', '<a href="javascript:x">a</a>', 'a', ['link_removed']],
  ['a picture in its address', '<p><img src="data:image/png;base64,AA"></p>', '', ['media_removed']],
  [
    'a frame of another host',
    '<iframe src="https://a.b/c" title="C"></iframe>',
    ' <a href="https://a.b/c">C</a> ',
    ['media_removed'],
  ],
  [
    'a player without TLS',
    '<video src="http://a.b/c.mp4">x</video>',
    ' <a href="http://a.b/c.mp4">http://a.b/c.mp4</a> x',
    ['media_removed'],
  ],
  ['subtitles', '<video><source src="https://a.b/c.mp4"><track src="x"></video>', player(''), ['media_removed']],
  ['a drawing', 'a<svg><path/></svg>', 'a', ['media_removed']],
  ['a download', '<a href="/a.pdf" download>a</a>', '<a href="/a.pdf">a</a>', ['attribute_removed']],
  ['links in code', '<pre>a <a href="/b">b</a></pre>', '<pre>a <a href="/b">b</a></pre>', ['form_cannot_hold']],
  [
    'nothing that readers see',
    '<p class="a" style="color:red" onclick="x" data-a="b">a</p><style>x</style><!-- y --><title>z</title>',
    '<p>a</p>',
    [],
  ],
]

describe('losses are reported, alike for HTML and Markdown', () => {
  it.each(losses)('%s', (_what, html, left, codes) => {
    const body = convertBody({ html })
    expect(body.html).toBe(left)
    expect([...new Set(body.losses.map(({ code }) => code))]).toEqual(codes)
    if (!html.includes('<title>'))
      expect(convertBody({ markdown: html }).losses.map(({ code }) => code)).toEqual(
        body.losses.map(({ code }) => code),
      )
  })

  it('counted by kind', () => {
    const { losses } = convertBody({ html: `${'<svg></svg>'.repeat(3)}<script></script>` })
    expect(losses.map(({ code, field, count }) => ({ code, field, count }))).toEqual([
      { code: 'media_removed', field: 'html', count: 3 },
      { code: 'element_removed', field: 'html', count: 1 },
    ])
  })
})

describe('frames of hosts that the operator allows', () => {
  const html = '<iframe src="http://play.example.com/embed/1#a"></iframe>'
  const frame =
    '<iframe src="https://play.example.com/embed/1" width="560" height="315" loading="lazy" allowfullscreen></iframe>'

  it.each([[['play.example.com/embed']], [['default', 'play.example.com']]])('%j', (embedHosts) => {
    const body = convertBody({ html }, { embedHosts })
    expect(body.html).toBe(frame)
    expect(convertBody({ json: body.json }, { embedHosts }).html).toBe(frame)
  })

  it.each([undefined, ['play.example.com/embedded'], ['example.com'], ['play.example.co']])(
    'but not %j',
    (embedHosts) => {
      expect(convertBody({ html }, { embedHosts }).html).not.toContain('<iframe')
    },
  )

  it('replace the usual ones unless those are named too', () => {
    const youtube = `<iframe src="${video}"></iframe>`
    expect(convertBody({ html: youtube }, { embedHosts: ['play.example.com'] }).html).not.toContain('<iframe')
    expect(convertBody({ html: youtube }, { embedHosts: ['default', 'play.example.com'] }).html).toContain('<iframe')
  })
})

it.each(forms)('%s', (_what, input, derived) => {
  expect(convertBody(input)).toMatchObject(derived)
})
