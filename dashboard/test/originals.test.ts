/** Which site has the original of a post: proposed, chosen, changed, explained. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser, expectAccessible } from './support/browser.ts'
import { newPerson } from './support/person.ts'
import { connect } from './support/sites.ts'

const dialog = (page: Page) => page.getByRole('dialog')
const publication = (page: Page) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: 'Publication' }) })

describeInBrowser('the original of a post', (scene) => {
  it('is proposed when a post goes to two sites, with one click, and remembered for the next', async () => {
    const { page, client } = await newPerson(scene)
    const journal = await connect(client, 'Journal')
    const kitchen = await connect(client, 'Kitchen')
    await client.sites.update(kitchen.siteId, { post_url: 'https://kitchen.example.com/{slug}' })
    const { id } = await client.posts.create({ title: 'Rye bread', body: { markdown: 'Words.' } })
    await page.goto(`/posts/${id}`)
    await publication(page).getByText('No original').waitFor()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await dialog(page).getByText('2 sites get the same text').waitFor()
    await expectAccessible(page)
    await dialog(page).getByRole('radio', { name: 'Chosen sites' }).check()
    await dialog(page).getByRole('checkbox', { name: 'Journal' }).uncheck()
    await dialog(page).getByText('2 sites get the same text').waitFor({ state: 'detached' })
    await dialog(page).getByRole('radio', { name: 'All sites' }).check()
    await dialog(page).getByRole('button', { name: 'Make Kitchen the original' }).click()
    expect(await dialog(page).getByRole('checkbox', { name: 'Also for new posts' }).isChecked()).toBe(true)
    await expectAccessible(page)
    await dialog(page).getByRole('button', { name: 'Publish to 2 sites' }).click()
    await expect.poll(async () => (await client.account()).primary_site_id).toBe(kitchen.siteId)
    await scene.service().drain()
    expect(journal.received.at(-1)?.json).toMatchObject({
      event: 'post.published',
      post: { meta: { canonical_url: 'https://kitchen.example.com/rye-bread' } },
    })
    await dialog(page).getByRole('button', { name: 'Done' }).click()
    await publication(page).getByText('Original on Kitchen').waitFor()
    await publication(page).getByRole('listitem').filter({ hasText: 'Kitchen' }).getByText('Original').waitFor()

    await page.goto('/posts/new')
    await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Soup')
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    expect(await dialog(page).getByLabel('Original', { exact: true }).inputValue()).toBe(kitchen.siteId)
    expect(await dialog(page).getByText('It has no original').count()).toBe(0)
  })

  it('can be another one later, and is explained site by site', async () => {
    const { page, client } = await newPerson(scene)
    const journal = await connect(client, 'Journal')
    const kitchen = await connect(client, 'Kitchen')
    await client.sites.update(kitchen.siteId, { post_url: 'https://kitchen.example.com/{slug}', canonical: 'own' })
    const { id } = await client.posts.create({
      title: 'Soup',
      status: 'published',
      primary_site_id: journal.siteId,
    })
    await scene.service().drain()
    await page.goto(`/posts/${id}`)
    await publication(page).getByRole('button', { name: 'Change its original' }).click()
    const told = dialog(page).getByRole('region', { name: 'What each site is told' })
    await told.getByText('https://kitchen.example.com/soup').waitFor()
    await told.getByText('The site that has the original has not said where it shows the post').waitFor()
    await expectAccessible(page)
    await client.sites.update(kitchen.siteId, { canonical: 'primary' })
    await dialog(page).getByLabel('Original', { exact: true }).selectOption('Kitchen')
    await dialog(page).getByText('Sites that were told of another address get an update.').waitFor()
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await publication(page).getByText('Original on Kitchen').waitFor()
    await scene.service().drain()
    expect(journal.received.at(-1)?.json).toMatchObject({
      event: 'post.updated',
      post: { version: 1, meta: { canonical_url: 'https://kitchen.example.com/soup' } },
    })
    expect((await client.account()).primary_site_id).toBeNull()
  })

  it('of new posts is chosen in the account, and whether a site points to originals in its settings', async () => {
    const { page, client } = await newPerson(scene)
    const { siteId } = await connect(client, 'Journal')
    await page.goto('/account')
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    expect(await page.getByLabel('Original', { exact: true }).count()).toBe(0)
    await connect(client, 'Kitchen')
    await page.reload()
    await page.getByLabel('Original', { exact: true }).selectOption('Journal')
    await page.getByText('Saved for new posts.').first().waitFor()
    await expectAccessible(page)
    expect((await client.account()).primary_site_id).toBe(siteId)
    await page.goto(`/sites/${siteId}`)
    await page
      .getByLabel('Posts that have their original elsewhere')
      .selectOption({ label: 'Stand for themselves, with their own address' })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect.poll(async () => (await client.sites.get(siteId)).canonical).toBe('own')
  })

  it('is named for several posts at once', async () => {
    const { page, client } = await newPerson(scene)
    await connect(client, 'Journal')
    const kitchen = await connect(client, 'Kitchen')
    await client.sites.update(kitchen.siteId, { post_url: 'https://kitchen.example.com/{slug}' })
    for (const title of ['Rye bread', 'Soup']) await client.posts.create({ title })
    await page.goto('/posts')
    await page.getByRole('checkbox', { name: 'Select all posts on this page' }).check()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await dialog(page).getByText('2 posts without an original').waitFor()
    await expectAccessible(page)
    await dialog(page).getByRole('button', { name: 'Make Kitchen the original' }).click()
    await dialog(page).getByRole('button', { name: 'Publish 2 posts' }).click()
    await expect
      .poll(async () => (await client.posts.list()).data.map((post) => [post.status, post.primary_site_id]))
      .toEqual([1, 2].map(() => ['published', kitchen.siteId]))
  })
})
