/** WordPress's block editor in a browser: it takes the text for its own, and saving a post there is no edit of its text. */
import assert from 'node:assert/strict'
import { chromium, type Page } from 'playwright-core'
import { CHROMIUM } from '../../../../dashboard/test/support/chromium.ts'
import { type Bench, publish, update, visit } from './bench.ts'
import { ADMIN } from './site.ts'

const HTML = [
  '<h2 id="why">Why</h2><p>Rye, <em>salt</em> &amp; time:<br>1 &lt; 2 [gallery]</p>',
  '<ul><li>flour</li><li>water<ol start="3"><li>warm</li></ol></li></ul>',
  '<blockquote><p>Wait.</p><pre><code class="language-js">a &amp;&amp; b</code></pre></blockquote><hr>',
  '<p>Beside <img src="PICTURE" alt="a small one"> words</p><p><img src="PICTURE" alt="A &quot;loaf&quot;" title="Rye"></p>',
  '<figure><img src="PICTURE" alt="A loaf"><figcaption>Of <strong>rye</strong></figcaption></figure>',
  '<ul><li><input type="checkbox" checked disabled> done</li></ul><table><tbody><tr><td>1</td></tr></tbody></table>',
]

/** What has no block of its own, or is more than one can hold, and stands together. */
const AS_HTML = 1

export async function opensInEditor(bench: Bench): Promise<void> {
  const { site, pictures, seen } = bench
  const html = HTML.join('').replaceAll('PICTURE', `${pictures.url}/40.png`)
  const { post, there } = await publish(bench, { title: 'In the editor', html })
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const page = await browser.newPage()
    await page.goto(`${site.url}/wp-login.php`)
    await page.fill('#user_login', ADMIN.user)
    await page.fill('#user_pass', ADMIN.password)
    await page.click('#wp-submit')
    await page.goto(`${site.url}/wp-admin/edit.php`)
    assert.match((await page.textContent(`#post-${there.id} .post-state`)) ?? '', /Postrider/)
    await page.goto(`${site.url}/wp-admin/post.php?post=${there.id}&action=edit`)
    await page.getByText('This post comes from Postrider').first().waitFor()
    const blocks = await blocksIn(page)
    assert.deepEqual(
      blocks.filter(({ isValid }) => !isValid),
      [],
    )
    assert.equal(blocks.filter(({ name }) => name === 'core/html').length, AS_HTML, JSON.stringify(blocks))
    seen(
      'the editor takes the text for blocks of its own, and says where the post comes from',
      `${blocks.length} blocks`,
    )

    await saveWith(page, '() => wp.data.dispatch("core/editor").editPost({ sticky: true })')
    await update(bench, post.id, { title: 'Saved in the editor' })
    assert.match((await visit(there.link)).body, /<title>Saved in the editor/)
    await page.reload()
    await blocksIn(page)
    await saveWith(page, FIRST_PARAGRAPH)
    await update(bench, post.id, { body: { html: '<p>Something newer</p>' } })
    assert.match((await visit(there.link)).body, /My own words/)
    seen(
      'a post that was saved there with its text unchanged gets the next version; one whose text was changed keeps it',
    )
  } finally {
    await browser.close()
  }
}

/** Changes the first paragraph as somebody who types. */
const FIRST_PARAGRAPH = `() => {
  const { clientId } = wp.data.select('core/block-editor').getBlocks().find(({ name }) => name === 'core/paragraph')
  wp.data.dispatch('core/block-editor').updateBlockAttributes(clientId, { content: 'My own words' })
}`

/** The blocks that the editor shows, those within others too. */
async function blocksIn(page: Page): Promise<Array<{ name: string; isValid: boolean }>> {
  await page.waitForFunction("window.wp?.data?.select('core/block-editor')?.getBlocks().length > 0")
  return page.evaluate(`(() => {
    const flat = (blocks) => blocks.flatMap(({ name, isValid, innerBlocks }) => [{ name, isValid }, ...flat(innerBlocks)])
    return flat(wp.data.select('core/block-editor').getBlocks())
  })()`)
}

/** Changes something and presses “Update”, as the editor does it: with the whole text. */
async function saveWith(page: Page, change: string): Promise<void> {
  await page.evaluate(`(${change})()`)
  await page.evaluate("wp.data.dispatch('core/editor').savePost()")
  await page.waitForFunction("wp.data.select('core/editor').didPostSaveRequestSucceed()")
}
