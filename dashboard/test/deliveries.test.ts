/** The log of deliveries and one of them: what was sent, what came back, and sending again. */
import type { PostriderClient } from '@postrider/sdk'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser, expectAccessible, type Scene } from './support/browser.ts'
import { newPerson } from './support/person.ts'
import { connect, seesLive } from './support/sites.ts'

const rows = (page: Page) => page.locator('[data-row]')
const row = (page: Page, text: string) => rows(page).filter({ hasText: text })
const titles = (page: Page) => page.locator('[data-row] [data-open]').allInnerTexts()
const queryOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)

/** Publishes a post; ids of deliveries sort by the millisecond. */
async function publish({ service }: Scene, client: PostriderClient, title: string): Promise<string> {
  service().clock.advance(1)
  const { id } = await client.posts.create({ title, body: { markdown: 'Words.' }, status: 'published' })
  await service().drain()
  return id
}

/** Presses the button of a delivery, and has it sent. */
async function sendAgain({ service }: Scene, page: Page, name: string): Promise<void> {
  const answered = page.waitForResponse(/\/retry$/)
  await page.getByRole('button', { name }).click()
  await answered
  await service().drain()
}

/** All attempts that the schedule has. */
async function giveUp({ service }: Scene): Promise<void> {
  for (const delay of [30_000, 300_000, 1_800_000]) await service().advance(delay)
}

describeInBrowser('a delivery', (scene) => {
  it('is seen to fail, to be tried again and to arrive, with what the site answered', async () => {
    const { page, client } = await newPerson(scene)
    const journal = await connect(client, 'Journal')
    journal.answerNext(
      (_request, response) => response.writeHead(500).end('no such table: posts'),
      (_request, response) => response.destroy(),
    )
    await publish(scene, client, 'Stubborn')
    await page.goto('/deliveries')
    await row(page, 'Stubborn')
      .getByText(/^Answered 500, again in 0:[0-3]\d$/)
      .waitFor()
    await row(page, 'Stubborn').getByRole('link', { name: 'Stubborn' }).click()
    await page.getByRole('heading', { name: 'Stubborn', level: 1 }).waitFor()
    await page.getByText('Attempt 1: Answered 500').waitFor()
    await page.getByText('no such table: posts').waitFor()
    await page.getByText('it failed while handling the webhook. Look at its log.').waitFor()
    await page.getByText(/^Attempt 2 in 0:[0-3]\d$/).waitFor()
    await expectAccessible(page)
    await sendAgain(scene, page, 'Try now')
    await seesLive(scene, page.getByText('Attempt 2: Connection closed without an answer'))
    await page.getByText(/^Attempt 3 in [45]:\d\d$/).waitFor()
    await scene.service().advance(300_000)
    await seesLive(scene, page.getByText('Attempt 3: Answered 200'))
    await page.getByText('Delivered after retry').first().waitFor()
    expect(await page.getByRole('button', { name: /Try now|Send again/ }).count()).toBe(0)
    expect(journal.received).toHaveLength(3)
  })

  it('that was given up is sent again, and its request can be copied', async () => {
    const { page, client, context } = await newPerson(scene)
    const journal = await connect(client, "Journal of d'Artagnan")
    journal.answerNext(503, 503, 503, 503)
    await publish(scene, client, 'Lost')
    await giveUp(scene)
    const [lost] = (await client.deliveries.list()).data
    await page.goto(`/deliveries/${lost?.id}`)
    await page.getByText('Gave up after 4 attempts').waitFor()
    await page.getByText('X-Service-Signature', { exact: false }).first().waitFor()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const command = await page.evaluate(() => navigator.clipboard.readText())
    expect(command).toContain(`curl -i -X POST '${journal.url}'`)
    expect(command).toContain("Journal of d'\\''Artagnan")
    await sendAgain(scene, page, 'Send again')
    await seesLive(scene, page.getByText('Attempt 5: Answered 200'))
    // Another account has no such delivery.
    const other = await newPerson(scene)
    await other.page.goto(`/deliveries/${lost?.id}`)
    await other.page.getByRole('heading', { name: 'There is nothing here' }).waitFor()
  })

  it('that nobody answered has no time of an answer', async () => {
    const { page, client } = await newPerson(scene)
    // Nothing listens there.
    await client.sites.create({ name: 'Journal', url: 'http://localhost:9', webhook_url: 'http://localhost:9/in' })
    await publish(scene, client, 'Lost')
    const [lost] = (await client.deliveries.list()).data
    await page.goto(`/deliveries/${lost?.id}`)
    await page.getByText('Attempt 1: Connection refused').waitFor()
    expect(await page.getByRole('definition').allTextContents()).toEqual(expect.arrayContaining(['1', '—', '—']))
    await page.getByText('Answered in').locator('xpath=..').getByText('—').waitFor()
  })

  it('leads to its post and its site as long as they are there', async () => {
    const { page, client } = await newPerson(scene)
    await connect(client, 'Old home')
    const postId = await publish(scene, client, 'Short-lived')
    const [{ id = '', site_id: siteId = '' } = {}] = (await client.deliveries.list()).data
    const post = page.getByRole('link', { name: 'Open the post' })
    const site = page.getByRole('link', { name: 'Old home', exact: true })
    await page.goto(`/deliveries/${id}`)
    await post.waitFor()
    await site.waitFor()
    await client.posts.delete(postId)
    await scene.service().drain()
    await client.sites.delete(siteId)
    await page.reload()
    await page.getByText('Old home, which is deleted').waitFor()
    expect([await post.count(), await site.count()]).toEqual([0, 0])
    await expectAccessible(page)
  })
})

describeInBrowser('the log of deliveries', (scene) => {
  it('is narrowed by its address and read on by a cursor', async () => {
    const { page, client } = await newPerson(scene)
    await page.goto('/deliveries')
    await page.getByRole('heading', { name: 'Nothing has been sent yet' }).waitFor()
    await connect(client, 'Journal')
    const press = await connect(client, 'Press')
    const first = await publish(scene, client, 'First')
    press.answerNext(500)
    await publish(scene, client, 'Second')
    await page.goto('/deliveries')
    await expect.poll(() => titles(page)).toEqual(['Second', 'Second', 'First', 'First'])
    await page.getByRole('link', { name: 'On their way' }).click()
    await expect.poll(() => titles(page)).toEqual(['Second'])
    await page.getByRole('link', { name: 'All', exact: true }).click()
    await page.getByRole('combobox', { name: 'Site' }).selectOption('Journal')
    await expect.poll(() => titles(page)).toEqual(['Second', 'First'])
    await page.getByRole('combobox', { name: 'Time' }).selectOption('Last 24 hours')
    expect(queryOf(page)).toMatchObject({ site: expect.any(String), period: '24h' })
    await expect.poll(() => titles(page)).toEqual(['Second', 'First'])
    await page.getByRole('combobox', { name: 'Time' }).selectOption('Custom dates')
    await page.getByLabel('To', { exact: true }).fill('2020-01-01')
    await page.getByRole('heading', { name: 'No delivery matches' }).waitFor()
    expect(queryOf(page)).toMatchObject({ period: 'dates', to: '2020-01-01' })
    await page.getByRole('link', { name: 'Show all deliveries' }).click()
    await expect.poll(() => titles(page)).toHaveLength(4)
    await page.goto(`/deliveries?post=${first}`)
    await expect.poll(() => titles(page)).toEqual(['First', 'First'])
    await page.getByRole('button', { name: 'Remove the filter by post' }).click()
    await expect.poll(() => titles(page)).toHaveLength(4)

    scene.service().clock.advance(1)
    const ids = []
    for (let index = 0; index < 25; index += 1) ids.push((await client.posts.create({ title: `More ${index}` })).id)
    await client.posts.bulk({ action: 'publish', ids })
    await scene.service().drain()
    await page.goto('/deliveries')
    await expect.poll(() => rows(page).count()).toBe(50)
    await page.getByRole('link', { name: 'Older' }).click()
    await expect.poll(() => titles(page)).toEqual(['Second', 'Second', 'First', 'First'])
    await page.reload()
    await expect.poll(() => titles(page)).toEqual(['Second', 'Second', 'First', 'First'])
    await page.getByRole('link', { name: 'Show the newest' }).click()
    await expect.poll(() => rows(page).count()).toBe(50)
  })

  it('sends failures again: those that were chosen, or all', async () => {
    const { page, client } = await newPerson(scene)
    const journal = await connect(client, 'Journal')
    for (const title of ['One', 'Two', 'Three']) {
      journal.answerNext(500, 500, 500, 500)
      await publish(scene, client, title)
      await giveUp(scene)
    }
    await publish(scene, client, 'Fine')
    await page.goto('/deliveries')
    await row(page, 'Fine').waitFor()
    expect(await row(page, 'Fine').getByRole('checkbox').count()).toBe(0)
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.getByText('1 delivery selected').waitFor()
    await expectAccessible(page)
    await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Send again' }).click()
    await page.getByText('1 delivery on the way again.').first().waitFor()
    await scene.service().drain()
    await seesLive(scene, row(page, 'Three').getByText('Delivered after retry'))
    await page.getByRole('link', { name: 'Needs attention' }).click()
    await expect.poll(() => titles(page)).toEqual(['Two', 'One'])
    await page.getByRole('button', { name: 'Send all again' }).click()
    await expectAccessible(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Send all again' }).click()
    await page.getByText('2 deliveries on the way again.').first().waitFor()
    await scene.service().drain()
    await seesLive(scene, page.getByRole('heading', { name: 'Nothing needs attention' }))
    expect(journal.received.filter(({ json }) => json.event === 'post.published')).toHaveLength(16)
  })
})

/** What would run, or was made of somebody's text. A picture in a text that is being written is one, without what it did. */
const RUNNING =
  'main :is([onerror], [onload], script, a[href^="javascript:"]), main img[src="x"]:not([contenteditable] *)'

describeInBrowser('what strangers wrote', (scene) => {
  it('is shown as text in every list, and runs nowhere', async () => {
    const { page, client } = await newPerson(scene)
    const attack = (where: string) =>
      `<img src=x onerror="window.ran='${where}'"><script>window.ran='${where}'</script>"'><svg/onload=window.ran=1>{{7*7}}\${7*7}`
    const journal = await connect(client, attack('site').slice(0, 100))
    journal.answerNext((_request, response) => response.writeHead(500).end(attack('answer')))
    const { id } = await client.posts.create({
      title: attack('title'),
      excerpt: attack('excerpt'),
      tags: [attack('tag').slice(0, 60), 'javascript:window.ran=1'],
      meta: {
        title: attack('meta'),
        description: attack('description'),
        canonical_url: 'https://example.com/"><script>',
      },
      body: { markdown: `${attack('body')}\n\n[link](javascript:window.ran=1)` },
      status: 'published',
    })
    await scene.service().drain()
    const [{ id: deliveryId = '' } = {}] = (await client.deliveries.list()).data
    for (const address of [
      '/',
      '/posts',
      `/posts?tag=${encodeURIComponent(attack('tag').slice(0, 60))}&search=${encodeURIComponent('ran')}`,
      `/posts/${id}`,
      `/deliveries?site=${encodeURIComponent(attack('address'))}`,
      '/deliveries',
      `/deliveries/${deliveryId}`,
    ]) {
      await page.goto(address)
      const main = page.getByRole('main')
      const shown = main.getByText('window.ran=').or(main.getByRole('alert')).or(main.getByRole('textbox'))
      await shown.filter({ visible: true }).first().waitFor()
      // What would run has had the time of a request for it.
      await page.evaluate(() => fetch('/api/account').then(({ status }) => status))
      expect(await page.evaluate(() => (window as unknown as { ran?: unknown }).ran), address).toBeUndefined()
      expect(await page.locator(RUNNING).count(), address).toBe(0)
    }
    // It stands there as it was written.
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('onerror="window.ran=\'title\'"')
    expect(await page.getByRole('main').textContent()).toContain("<script>window.ran='answer'</script>")
  })
})
