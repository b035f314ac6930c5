/** The first half hour of somebody new, as one story. */
import { expect, it, onTestFinished } from 'vitest'
import { startReceiver } from '../../server/test/support/receiver.ts'
import { startWebsite, sveltekit } from '../../server/test/support/websites.ts'
import { describeInBrowser } from './support/browser.ts'
import { seesLive } from './support/sites.ts'

const PASSWORD = 'correct horse'

describeInBrowser('somebody new', (scene) => {
  it('signs up, connects a site, writes, publishes and sees it arrive', async () => {
    const { page } = await scene.visit()
    await page.goto('/')
    await page.getByRole('link', { name: 'Create one' }).click()
    await page.getByLabel('Name').fill('Grace Hopper')
    await page.getByLabel('E-mail').fill('grace@example.com')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('heading', { name: 'Hello, Grace' }).waitFor()

    const website = await startWebsite(sveltekit)
    onTestFinished(website.close)
    const journal = await startReceiver()
    onTestFinished(journal.close)
    await page.getByRole('link', { name: 'Connect a site' }).first().click()
    await page.getByLabel('Address', { exact: true }).fill(website.url)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('It is made with SvelteKit.').waitFor()
    await page.getByLabel('Webhook address').fill(journal.url)
    await page.getByLabel('Name').fill('Journal')
    journal.answerNext((_, response) => response.end('{"ok":true,"store":"files"}'))
    await page.getByRole('button', { name: 'Connect the site' }).click()
    await page.getByText('It works.', { exact: true }).waitFor()
    expect(journal.received.splice(0).map(({ json }) => json.event)).toEqual(['site.test'])

    await page.goto('/posts/new')
    await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Hello, world')
    await page.getByRole('textbox', { name: 'Text', exact: true }).click()
    await page.keyboard.type('This is where it begins.')
    await page.getByText(/^Saved /).waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Publish to 1 site' }).click()
    await dialog.getByText('Being sent').waitFor()
    await scene.service().drain()
    await seesLive(scene, dialog.getByRole('heading', { name: 'It has arrived' }))

    expect(journal.received.map(({ json }) => [json.event, json.post])).toMatchObject([
      [
        'post.published',
        { title: 'Hello, world', slug: 'hello-world', body: { html: '<p>This is where it begins.</p>' } },
      ],
    ])
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('link', { name: 'Overview' }).first().click()
    await page.getByRole('heading', { name: 'Hello, Grace' }).waitFor()
  })
})
