/** The first half hour of somebody new, as one story. */
import { createClient } from '@postrider/sdk'
import { expect, it } from 'vitest'
import { describeInBrowser, expectAccessible, THEMES } from './support/browser.ts'
import { connect, seesLive } from './support/sites.ts'

const PASSWORD = 'correct horse'

describeInBrowser('somebody new', (scene) => {
  it.each(THEMES)('signs up, connects a site, writes, publishes and sees it arrive: %s', async (theme) => {
    const { page } = await scene.visit({ theme })
    const email = `new-${theme}@example.com`
    await page.goto('/')
    await page.getByRole('link', { name: 'Create one' }).click()
    await page.getByLabel('Name').fill('Grace Hopper')
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('heading', { name: 'Hello, Grace' }).waitFor()

    const client = createClient({ baseUrl: scene.service().url })
    await client.auth.login({ email, password: PASSWORD })
    const journal = await connect(client, 'Journal')
    await seesLive(scene, page.getByText('Journal').first())

    await page.goto('/posts/new')
    await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Hello, world')
    await page.getByRole('textbox', { name: 'Text', exact: true }).click()
    await page.keyboard.type('This is where it begins.')
    await page.getByText(/^Saved /).waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Publish to 1 site' }).click()
    await dialog.getByText('Queued').waitFor()
    await scene.service().drain()
    await seesLive(scene, dialog.getByRole('heading', { name: 'It has arrived' }))
    await expectAccessible(page)

    expect(journal.received.map(({ json }) => [json.event, json.post])).toMatchObject([
      [
        'post.published',
        { title: 'Hello, world', slug: 'hello-world', body: { html: '<p>This is where it begins.</p>' } },
      ],
    ])
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('link', { name: 'Overview' }).first().click()
    await page.getByRole('heading', { name: 'Hello, Grace' }).waitFor()
    await expectAccessible(page)
  })
})
