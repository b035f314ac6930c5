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

it.each(forms)('%s', (_what, input, derived) => {
  expect(convertBody(input)).toMatchObject(derived)
})
