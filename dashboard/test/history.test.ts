/** The history of a post: what it was, what has changed since, and the way back. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser, expectAccessible } from './support/browser.ts'
import { newPerson } from './support/person.ts'
import { connect } from './support/sites.ts'

const text = (page: Page) => page.getByRole('textbox', { name: 'Text', exact: true })
const dialog = (page: Page) => page.getByRole('dialog')
const version = (page: Page, number: number) =>
  dialog(page)
    .getByRole('list', { name: 'Versions' })
    .getByRole('button', { name: `Version ${number}` })

describeInBrowser('the history of a post', (scene) => {
  it('shows what has changed since a version, and goes back to it', async () => {
    const { page, client } = await newPerson(scene)
    const site = await connect(client, 'Journal')
    const { id } = await client.posts.create({
      title: 'Bread',
      body: { markdown: 'Mix flour well.' },
      status: 'published',
    })
    await client.posts.update(id, { title: 'Bread again', body: { markdown: 'Mix flour and water well.' } })
    await page.goto(`/posts/${id}`)
    await page.getByRole('button', { name: 'History' }).click()
    await version(page, 1).waitFor()
    const changes = dialog(page).getByRole('region', { name: 'What has changed since version 1' })
    await changes.getByText('and water').waitFor()
    expect(await changes.locator('ins').allTextContents()).toEqual(['Bread again', 'and water '])
    expect(await changes.locator('del').allTextContents()).toEqual(['Bread'])
    await expectAccessible(page)
    await dialog(page).getByRole('button', { name: 'Go back to version 1' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    await expect.poll(() => text(page).textContent()).toBe('Mix flour well.')
    expect(await client.posts.get(id)).toMatchObject({ version: 3, title: 'Bread', status: 'published' })
    await scene.service().drain()
    expect(site.received.at(-1)?.json).toMatchObject({ post: { version: 3, title: 'Bread' } })
    // What was left is a version too.
    await page.getByRole('button', { name: 'History' }).click()
    await version(page, 2).waitFor()
  })

  it('waits with going back until what is not sent yet is sent or discarded', async () => {
    const { page, client } = await newPerson(scene)
    await connect(client, 'Journal')
    const { id } = await client.posts.create({ title: 'Bread', body: { markdown: 'One.' }, status: 'published' })
    await client.posts.update(id, { body: { markdown: 'One two.' } })
    await page.goto(`/posts/${id}`)
    await text(page).click()
    await page.keyboard.type('More. ')
    await page.getByRole('button', { name: 'History' }).click()
    await dialog(page).getByText('You have changes that your sites do not have yet.').waitFor()
    expect(await dialog(page).getByRole('button', { name: 'Go back to version 1' }).isDisabled()).toBe(true)
  })
})

describeInBrowser('a copy of a post', (scene) => {
  it('is made from the list, and opened', async () => {
    const { page, client } = await newPerson(scene)
    const { id } = await client.posts.create({ title: 'Bread', body: { markdown: 'Mix.' }, status: 'published' })
    await page.goto('/posts')
    await page.getByRole('checkbox', { name: /Bread/ }).click()
    await page.getByRole('button', { name: 'Duplicate' }).click()
    await page.getByRole('heading', { name: 'Edit “Bread (Copy)”' }).waitFor()
    expect(await text(page).textContent()).toBe('Mix.')
    expect(await client.posts.get(id)).toMatchObject({ title: 'Bread', status: 'published' })
  })
})
