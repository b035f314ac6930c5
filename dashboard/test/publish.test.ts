/** Publishing: what is sent where, when, and that it is seen to arrive. */
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser, expectAccessible } from './support/browser.ts'
import { newPerson, signInAgain } from './support/person.ts'
import { connect, seesDone, seesLive } from './support/sites.ts'

const title = (page: Page) => page.getByRole('textbox', { name: 'Title', exact: true })
const text = (page: Page) => page.getByRole('textbox', { name: 'Text', exact: true })
const dialog = (page: Page) => page.getByRole('dialog')
const publication = (page: Page) => page.locator('section', { has: page.getByRole('heading', { name: 'Publication' }) })
const idOf = (page: Page) => new URL(page.url()).pathname.split('/')[2] ?? ''

/** Goes on with Tab until it has the focus. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  for (let presses = 0; presses < 25; presses += 1) {
    if (await wanted.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error('Tab does not lead there')
}

describeInBrowser('publishing', (scene) => {
  it('is done by keyboard alone, to the chosen sites, and is seen to arrive', async () => {
    const { page, client } = await newPerson(scene)
    const journal = await connect(client, 'Journal')
    const kitchen = await connect(client, 'Kitchen')
    const [site] = (await client.sites.list()).sites.filter(({ name }) => name === 'Journal')
    await client.sites.update(site?.id ?? '', { post_url: 'https://journal.example.com/{slug}' })
    await page.goto('/posts/new')
    await title(page).waitFor()
    await page.keyboard.type('Growing peas')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Sow in March.')
    await page.keyboard.press('Control+Shift+P')
    await dialog(page).getByRole('radio', { name: 'All sites' }).waitFor()
    await tabTo(page, dialog(page).getByRole('radio', { name: 'All sites' }))
    await page.keyboard.press('ArrowDown')
    await tabTo(page, dialog(page).getByRole('checkbox', { name: 'Kitchen' }))
    await page.keyboard.press('Space')
    // Enter is how a box is ticked elsewhere; here it sends nothing.
    await page.keyboard.press('Enter')
    await tabTo(page, dialog(page).getByRole('textbox', { name: 'Description' }))
    await page.keyboard.type('When to sow peas.')
    await tabTo(page, dialog(page).getByRole('button', { name: 'Publish to 1 site' }))
    const sent = dialog(page).getByRole('heading', { name: 'On its way' })
    // A key that comes while the description is being stored may do nothing.
    await expect
      .poll(
        async () => {
          if (!(await sent.isVisible())) await page.keyboard.press('Enter')
          return sent.isVisible()
        },
        { interval: 2_000 },
      )
      .toBe(true)
    await dialog(page).getByText('Being sent').waitFor()
    await expectAccessible(page)
    await scene.service().drain()
    await seesLive(scene, dialog(page).getByRole('heading', { name: 'It has arrived' }))
    const link = dialog(page).getByRole('link', { name: 'View on site Journal' })
    expect(await link.getAttribute('href')).toBe('https://journal.example.com/growing-peas')
    expect(kitchen.received).toEqual([])
    expect(journal.received.map(({ json }) => [json.event, json.post])).toMatchObject([
      ['post.published', { title: 'Growing peas', meta: { description: 'When to sow peas.' } }],
    ])
    await page.keyboard.press('Enter')
    await dialog(page).waitFor({ state: 'detached' })
    await publication(page).getByText('Published', { exact: true }).waitFor()
    await publication(page)
      .getByText(/^Delivered/)
      .waitFor()
    expect((await client.posts.get(idOf(page))).status).toBe('published')
    // The pen is where it was.
    await page.keyboard.type(' Soak them first.')
    expect(await text(page).textContent()).toContain('Sow in March. Soak them first.')
  })

  it('shows a site that fails, when it is tried again, and that it arrives', async () => {
    const { page, client } = await newPerson(scene)
    const journal = await connect(client, 'Journal')
    journal.answerNext(503, 500)
    // What counts down here counts by the browser's clock.
    scene.service().clock.advance(Math.max(0, Date.now() - scene.service().clock.now().getTime()))
    const { id } = await client.posts.create({ title: 'Stubborn', body: { markdown: 'Words.' } })
    await page.goto(`/posts/${id}`)
    await page.getByRole('button', { name: 'Publish' }).click()
    await dialog(page).getByRole('button', { name: 'Publish to 1 site' }).click()
    await dialog(page).getByText('Being sent').waitFor()
    await scene.service().drain()
    await seesLive(scene, dialog(page).getByText(/Attempt 1: Answered 503\. Attempt 2 in 0:[0-3]\d/))
    await expectAccessible(page)
    await scene.service().advance(30_000)
    await seesLive(scene, dialog(page).getByText(/Attempt 2: Answered 500\. Attempt 3 in [45]:\d\d/))
    // Not waiting for it.
    await dialog(page).getByRole('button', { name: 'Try now' }).click()
    await seesDone(scene, dialog(page).getByText(/Delivered at attempt 3/))
    await dialog(page).getByRole('heading', { name: 'It has arrived' }).waitFor()
    expect(journal.received).toHaveLength(3)
  })

  it('says so when it has not arrived and is not on its way any more', async () => {
    const { page, client } = await newPerson(scene)
    await connect(client, 'Kitchen')
    const journal = await connect(client, 'Journal')
    journal.answerNext(503, 503, 503, 503)
    const { id } = await client.posts.create({ title: 'Lost', body: { markdown: 'Words.' } })
    await page.goto(`/posts/${id}`)
    await page.getByRole('button', { name: 'Publish' }).click()
    await dialog(page).getByRole('button', { name: 'Publish to 2 sites' }).click()
    await dialog(page).getByText('Being sent').first().waitFor()
    await scene.service().drain()
    for (const delay of [30_000, 300_000, 1_800_000]) await scene.service().advance(delay)
    await seesLive(scene, dialog(page).getByText('Failed after 4 attempts.'))
    await dialog(page).getByRole('heading', { name: 'It has not arrived everywhere' }).waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    // It is not said of a site that it has what it never accepted.
    await publication(page).getByRole('button', { name: 'Send to sites' }).click()
    await dialog(page).getByText('Has it', { exact: true }).waitFor()
    await dialog(page).getByText('Has not accepted it yet').waitFor()
  })

  it('can wait for its time, which is said in a zone and in UTC', async () => {
    const { page, client } = await newPerson(scene)
    const journal = await connect(client, 'Journal')
    const { id } = await client.posts.create({ title: 'Next year', body: { markdown: 'Words.' } })
    await page.goto(`/posts/${id}`)
    await publication(page).getByRole('button', { name: 'Schedule' }).click()
    await dialog(page).getByLabel('Date').fill('2031-03-30')
    await dialog(page).getByLabel('Time', { exact: true }).fill('02:30')
    await dialog(page).getByLabel('Time zone').fill('Europe/Berlin')
    await dialog(page).getByText('This time does not exist in this zone').waitFor()
    expect(await dialog(page).getByLabel('Time', { exact: true }).getAttribute('aria-invalid')).toBe('true')
    expect(await dialog(page).getByLabel('Time zone').getAttribute('aria-invalid')).toBeNull()
    expect(await dialog(page).getByRole('button', { name: 'Schedule' }).isDisabled()).toBe(true)
    await expectAccessible(page)
    await dialog(page).getByLabel('Time', { exact: true }).fill('09:30')
    await dialog(page).getByText('2031-03-30 07:30 UTC').waitFor()
    await dialog(page).getByRole('button', { name: 'Schedule' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    await publication(page).getByText('2031-03-30 07:30 UTC').waitFor()
    await publication(page).getByText('30 March 2031 at 09:30').waitFor()
    expect(await client.posts.get(id)).toMatchObject({
      status: 'scheduled',
      scheduled_at: '2031-03-30T07:30:00.000Z',
    })
    await expectAccessible(page)
    // It is opened again as it was chosen.
    await page.reload()
    await publication(page).getByRole('button', { name: 'Change the time' }).click()
    expect(await dialog(page).getByLabel('Time zone').inputValue()).toBe('Berlin (Europe)')
    expect(await dialog(page).getByLabel('Time', { exact: true }).inputValue()).toBe('09:30')
    await page.keyboard.press('Escape')
    // Confirmed as it is, it stays as it is: with its seconds, and in the second of two hours that are called the same.
    const twice = '2031-10-26T01:30:12.345Z'
    await client.posts.update(id, { status: 'scheduled', scheduled_at: twice })
    await seesLive(scene, publication(page).getByText('2031-10-26 01:30 UTC'))
    await publication(page).getByRole('button', { name: 'Change the time' }).click()
    await dialog(page).getByText('2031-10-26 01:30 UTC').waitFor()
    await dialog(page).getByRole('button', { name: 'Schedule' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    expect((await client.posts.get(id)).scheduled_at).toBe(twice)
    await publication(page).getByRole('button', { name: 'Unschedule' }).click()
    await publication(page).getByText('Draft', { exact: true }).waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main')
    expect((await client.posts.get(id)).scheduled_at).toBeNull()

    // When its time comes while it is open, that is seen here.
    const soon = new Date(scene.service().clock.now().getTime() + 3_600_000).toISOString()
    await client.posts.update(id, { status: 'scheduled', scheduled_at: soon })
    await seesLive(scene, publication(page).getByText('Scheduled', { exact: true }))
    await scene.service().advance(3_600_000)
    await seesLive(scene, publication(page).getByText('Published', { exact: true }))
    await seesLive(scene, publication(page).getByText(/^Delivered/))
    expect(journal.received).toHaveLength(1)
  })

  it('is followed by updates, more sites, and the way back', async () => {
    const { page, client } = await newPerson(scene)
    const journal = await connect(client, 'Journal')
    const { id } = await client.posts.create({ title: 'Out there', body: { markdown: 'First.' }, status: 'published' })
    await scene.service().drain()
    scene.service().clock.advance(60_000)
    const kitchen = await connect(client, 'Kitchen')
    await page.goto(`/posts/${id}`)
    await text(page).click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' Second.')
    await page.getByRole('button', { name: 'Update' }).click()
    await dialog(page).getByText('Being sent').waitFor()
    await scene.service().drain()
    await seesLive(scene, dialog(page).getByRole('heading', { name: 'It has arrived' }))
    await dialog(page).getByRole('button', { name: 'Done' }).click()
    expect(journal.received.at(-1)?.json).toMatchObject({
      event: 'post.updated',
      post: { body: { markdown: 'First. Second.\n' } },
    })
    expect(kitchen.received).toEqual([])

    await page.keyboard.press('Control+Shift+P')
    const send = dialog(page).getByRole('button', { name: /^Send/ })
    await send.waitFor()
    expect(await send.isDisabled()).toBe(true)
    await dialog(page).getByRole('checkbox', { name: 'Kitchen' }).check()
    await expectAccessible(page)
    await dialog(page).getByRole('button', { name: 'Send to 1 site' }).click()
    await dialog(page).getByText('Being sent').waitFor()
    await scene.service().drain()
    await seesLive(scene, dialog(page).getByRole('heading', { name: 'It has arrived' }))
    await page.keyboard.press('Escape')
    expect(kitchen.received.map(({ json }) => json.event)).toEqual(['post.published'])
    expect(journal.received).toHaveLength(2)

    // What is written meanwhile stays here and goes to no site.
    await text(page).click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' Third.')
    await publication(page).getByRole('button', { name: 'Unpublish' }).click()
    await expectAccessible(page)
    await dialog(page).getByRole('button', { name: 'Unpublish' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    await publication(page).getByText('Draft', { exact: true }).waitFor()
    await publication(page).getByText('2 sites may still show it. Its removal is under way.').waitFor()
    await scene.service().drain()
    await seesLive(scene, publication(page).getByText('Only you can see it.'))
    // The button that was pressed is gone; Tab goes on in the page.
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
    expect(await client.posts.get(id)).toMatchObject({
      status: 'draft',
      body: { markdown: 'First. Second. Third.\n' },
    })
    expect([journal, kitchen].map(({ received }) => received.at(-1)?.json.event)).toEqual([
      'post.deleted',
      'post.deleted',
    ])
    expect(JSON.stringify([...journal.received, ...kitchen.received].map(({ json }) => json))).not.toContain('Third')
  })

  it('does not go over what somebody else has written', async () => {
    const { page, client } = await newPerson(scene)
    const journal = await connect(client, 'Journal')
    const { id } = await client.posts.create({ title: 'Two pens', body: { markdown: 'Words.' } })
    await page.goto(`/posts/${id}`)
    await text(page).waitFor()
    await page.keyboard.press('Control+Shift+P')
    const field = dialog(page).getByRole('textbox', { name: 'Description' })
    await field.waitFor()
    // Nothing tells this page of it before it publishes.
    await page.route('**/api/events', (route) => route.abort())
    await page.route(`**/api/posts/${id}`, (route) =>
      route.request().method() === 'GET' ? route.abort() : route.continue(),
    )
    await client.posts.update(id, { meta: { description: 'Theirs.' } })
    await field.fill('Mine.')
    await page.unroute(`**/api/posts/${id}`)
    await dialog(page).getByRole('button', { name: 'Publish to 1 site' }).click()
    await page.getByRole('heading', { name: 'This post was changed elsewhere' }).waitFor()
    await page.getByRole('region', { name: 'Differences in description' }).waitFor()
    await scene.service().drain()
    expect(journal.received).toEqual([])
    expect((await client.posts.get(id)).status).toBe('draft')
  })

  it('goes on after the session has ended', async () => {
    const { page, client } = await newPerson(scene)
    const journal = await connect(client, 'Journal')
    const { id } = await client.posts.create({ title: 'Late', body: { markdown: 'Words.' } })
    await page.goto(`/posts/${id}`)
    await page.getByRole('button', { name: 'Publish' }).click()
    const go = dialog(page).getByRole('button', { name: 'Publish to 1 site' })
    await go.waitFor()
    await page.context().clearCookies()
    await go.click()
    await signInAgain(page)
    await go.click()
    await dialog(page).getByText('Being sent').waitFor()
    await scene.service().drain()
    await expect.poll(() => journal.received.length).toBe(1)
  })

  it('says what is missing first', async () => {
    const { page, client } = await newPerson(scene)
    const note = [{ type: 'text', text: 'About 120 words.', marks: [{ type: 'italic' }] }]
    const body = { json: { type: 'doc', content: [{ type: 'paragraph', content: note }] } }
    const { id } = await client.posts.create({ title: 'Half done', body })
    await page.goto(`/posts/${id}`)
    await text(page).waitFor()
    await title(page).fill('')
    await page.keyboard.press('Control+Shift+P')
    await dialog(page).getByText('It has no title').waitFor()
    await dialog(page).getByText('1 note of the outline is left in the text').waitFor()
    await dialog(page).getByText('It has no description').waitFor()
    await dialog(page).getByText('No site is connected yet').waitFor()
    expect(await dialog(page).getByRole('button', { name: 'Publish' }).isDisabled()).toBe(true)
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await title(page).fill('Done')
    await page.keyboard.press('Control+Shift+P')
    await dialog(page).getByRole('button', { name: 'Publish' }).click()
    await dialog(page).getByText('There was no site to send it to').waitFor()
    expect((await client.posts.get(id)).status).toBe('published')

    // Nor does a paused site get it.
    const url = 'http://127.0.0.1:9/'
    const site = await client.sites.create({ name: 'Club', url, webhook_url: url })
    await client.sites.update(site.id, { status: 'inactive' })
    const another = await client.posts.create({ title: 'While it is paused', body: { markdown: 'Text' } })
    await page.goto(`/posts/${another.id}`)
    await text(page).waitFor()
    await page.keyboard.press('Control+Shift+P')
    await dialog(page).getByText('Club is paused and does not get it now').waitFor()
    await dialog(page).getByRole('button', { name: 'Publish' }).click()
    await dialog(page).getByText('Nothing was sent: its sites are paused.').waitFor()
  })
})
