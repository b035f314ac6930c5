/** The list of posts: what it shows, what it is narrowed to, and what is done to many at once. */
import type { PostriderClient } from '@postrider/sdk'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser, expectAccessible, type Scene } from './support/browser.ts'
import { newPerson } from './support/person.ts'
import { connect, seesLive } from './support/sites.ts'

const rows = (page: Page) => page.locator('[data-row]')
const titles = (page: Page) => page.locator('[data-row] [data-open]').allInnerTexts()
const row = (page: Page, title: string) => rows(page).filter({ hasText: title })
const queryOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)

/** Posts with these titles; the last one is the newest. */
async function write({ service }: Scene, client: PostriderClient, ...names: string[]): Promise<string[]> {
  const ids: string[] = []
  for (const title of names) {
    service().clock.advance(1)
    ids.push((await client.posts.create({ title, body: { markdown: 'Words.' } })).id)
  }
  return ids
}

describeInBrowser('the list of posts', (scene) => {
  it('shows how each post arrived at each site, and what changes elsewhere', async () => {
    const { page, client } = await newPerson(scene)
    await connect(client, 'Journal')
    const press = await connect(client, 'Press')
    press.answerNext(500, 500)
    const [sent = ''] = await write(scene, client, 'Sent out', 'Only a draft')
    await client.posts.publish(sent)
    await scene.service().drain()
    await page.goto('/posts')
    const mark = (name: string) => row(page, 'Sent out').getByRole('img', { name })
    await mark('Delivered to 1 of 2 sites. Press: Retrying.').waitFor()
    expect(await row(page, 'Only a draft').getByRole('img').count()).toBe(0)
    await scene.service().advance(30_000)
    await scene.service().advance(300_000)
    await seesLive(scene, mark('Delivered to 2 of 2 sites.'))
    await write(scene, client, 'Written elsewhere')
    await seesLive(scene, row(page, 'Written elsewhere'))
    // Taken off the sites, it is nowhere; while one of them does not hear of it, that is shown.
    press.answerNext(500)
    await client.posts.update(sent, { status: 'draft' })
    await scene.service().drain()
    await seesLive(scene, mark('Press: Removal being retried.'))
    await scene.service().advance(30_000)
    await seesLive(scene, row(page, 'Sent out').getByText('Draft').last())
    await expect.poll(() => row(page, 'Sent out').getByRole('img').count()).toBe(0)
  })

  it('is narrowed and ordered by its address', async () => {
    const { page, client } = await newPerson(scene)
    const [rye = '', spelt = ''] = await write(scene, client, 'Bread with rye', 'Bread with spelt')
    await client.posts.bulk({ action: 'tag', ids: [rye, spelt], tag: 'bread' })
    await client.posts.publish(spelt)
    const [first = ''] = await write(scene, client, 'Tomatoes')
    await client.posts.update(first, { excerpt: 'Red.' })
    await page.goto('/posts')
    await row(page, 'Tomatoes').waitFor()
    await page.getByRole('searchbox', { name: 'Search posts' }).fill('brea')
    await expect.poll(() => titles(page).then((all) => all.toSorted())).toEqual(['Bread with rye', 'Bread with spelt'])
    await page.getByRole('navigation', { name: 'Status' }).getByRole('link', { name: 'Drafts' }).click()
    await expect.poll(() => titles(page)).toEqual(['Bread with rye'])
    expect(queryOf(page)).toEqual({ search: 'brea', status: 'draft' })
    await page.reload()
    await expect.poll(() => titles(page)).toEqual(['Bread with rye'])
    expect(await page.getByRole('searchbox').inputValue()).toBe('brea')
    await row(page, 'Bread with rye').getByRole('link', { name: 'bread', exact: true }).click()
    await page.getByRole('searchbox').fill('nothing like this')
    await page.getByRole('heading', { name: 'No post matches' }).waitFor()
    expect(queryOf(page)).toEqual({ search: 'nothing like this', status: 'draft', tag: 'bread' })
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Show all posts' }).click()
    await expect.poll(() => titles(page)).toEqual(['Tomatoes', 'Bread with spelt', 'Bread with rye'])
    expect(await page.getByRole('searchbox').inputValue()).toBe('')
    scene.service().clock.advance(1)
    await client.posts.update(rye, { excerpt: 'Dark.' })
    await page.getByRole('combobox', { name: 'Order' }).selectOption('Last changed first')
    await expect.poll(() => titles(page)).toEqual(['Bread with rye', 'Tomatoes', 'Bread with spelt'])
    // What anybody may write into an address is no filter.
    await page.goto('/posts?status=lost&sort=size&page=-3')
    await expect.poll(() => titles(page)).toHaveLength(3)
  })

  it('is worked by keyboard', async () => {
    const { page, client } = await newPerson(scene)
    await write(scene, client, 'Third', 'Second', 'First')
    await page.goto('/posts')
    await row(page, 'First').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    expect(await page.locator('[data-current]').textContent()).toContain('Second')
    await page.keyboard.press('x')
    await page.keyboard.press('k')
    await page.keyboard.press('x')
    await page.getByText('2 posts selected').waitFor()
    await page.keyboard.press('x')
    await page.getByText('1 post selected').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('xj thir')
    expect(await page.getByRole('searchbox').inputValue()).toBe('xj thir')
    await page.getByRole('searchbox').fill('thir')
    await expect.poll(() => titles(page)).toEqual(['Third'])
    await page.getByText('1 post', { exact: true }).waitFor()
    // Enter goes from the words to what they found, and opens it.
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/posts\/[0-9a-f-]{36}$/)
    await page.goBack()
    await row(page, 'Third').waitFor()
    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keyboard' })
    await help.getByText('Next row').waitFor()
    expect(await help.getByRole('listitem').filter({ hasText: 'New post' }).allTextContents()).toEqual([
      expect.stringMatching(/: C or N$/),
    ])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('c')
    await page.waitForURL('**/posts/new')
  })

  it('does something to what was chosen by keyboard', async () => {
    const { page, client } = await newPerson(scene)
    await write(scene, client, 'Third', 'Second', 'First')
    await page.goto('/posts')
    await row(page, 'First').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    const selection = page.getByRole('region', { name: 'Selection' })
    await selection.waitFor()
    // Tab comes to it before the rows, and it is seen below them.
    await page.getByRole('link', { name: 'New post' }).focus()
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Publish')
    const [table, bar] = [await page.getByRole('table').boundingBox(), await selection.boundingBox()]
    expect(bar?.y).toBeGreaterThan((table?.y ?? 0) + (table?.height ?? 0))
    await expectAccessible(page)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search' }).fill('delete 1')
    await page.keyboard.press('Enter')
    await expect.poll(() => titles(page)).toEqual(['Second', 'Third'])
    // The row and the bar that had the focus are gone; Tab goes on in the page.
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main')
    // What is not chosen any more cannot be done.
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search' }).fill('delete 1')
    await page.getByText('Nothing found.').waitFor()
  })

  it('is searched from everywhere, and sites too', async () => {
    const { page, client } = await newPerson(scene)
    const { siteId } = await connect(client, 'Bread and butter')
    const [, rye = ''] = await write(scene, client, 'Tomatoes', 'Bread with rye')
    await write(scene, client, ...Array.from({ length: 6 }, (_, index) => `Cucumber ${index}`))
    let asked = 0
    await page.route('**/api/posts/summaries?*search=*', (route) => {
      asked += 1
      return route.continue()
    })
    await page.goto('/analytics')
    const words = page.getByRole('combobox', { name: 'Search' })
    const options = page.getByRole('option')
    await page.getByRole('button', { name: 'Search' }).click()
    await words.pressSequentially('bread')
    await expect.poll(() => options.allTextContents()).toEqual(['Bread and butter', 'Bread with ryeDraft'])
    expect(asked).toBeLessThan(5)
    await expectAccessible(page)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/posts/${rye}`)
    await page.keyboard.press('Control+k')
    await words.fill('cucumber')
    await expect.poll(() => options.filter({ hasText: 'Cucumber' }).count()).toBe(5)
    await words.fill('butter')
    await expect.poll(() => options.allTextContents()).toEqual(['Bread and butter'])
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/sites/${siteId}`)
    await page.keyboard.press('Control+k')
    await words.fill('nothing like this')
    await page.getByText('Nothing found.').waitFor()
  })

  it('turns its pages, and keeps what was chosen on others', async () => {
    const { page, client } = await newPerson(scene)
    await write(scene, client, ...Array.from({ length: 120 }, (_, index) => `Post ${120 - index}`))
    await page.goto('/posts')
    await page.getByText('1–50 of 120 posts').waitFor()
    await row(page, 'Post 3').first().getByRole('checkbox').check()
    await page.getByRole('checkbox', { name: 'Select Post 6', exact: true }).click({ modifiers: ['Shift'] })
    await page.getByText('4 posts selected').waitFor()
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('51–100 of 120 posts').waitFor()
    await page.getByRole('textbox', { name: 'Page' }).fill('3')
    await page.keyboard.press('Enter')
    await page.getByText('101–120 of 120 posts').waitFor()
    expect((await titles(page)).slice(0, 2)).toEqual(['Post 101', 'Post 102'])
    await page.getByRole('checkbox', { name: 'Select all posts on this page' }).check()
    await page.getByText('24 posts selected').waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('24 posts moved to the trash.').first().waitFor()
    // The page that was shown is gone.
    await page.getByRole('heading', { name: 'This page is empty' }).waitFor()
    await page.getByRole('button', { name: 'Go to the first page' }).click()
    await page.getByText('1–50 of 96 posts').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('1–50 of 120 posts').waitFor()
  })

  it('goes to the trash, from which it comes back or is deleted for good', async () => {
    const { page, client } = await newPerson(scene)
    const journal = await connect(client, 'Journal')
    await client.posts.create({ title: 'Out there', status: 'published' })
    await scene.service().drain()
    await write(scene, client, 'Two', 'Three')
    await page.goto('/posts')
    for (const name of ['Out there', 'Two']) await row(page, name).getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Sites that have them will be asked to remove them.').waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Move 2 posts to the trash' }).click()
    await expect.poll(() => titles(page)).toEqual(['Three'])
    await scene.service().drain()
    expect(journal.received.map(({ json }) => json.event)).toContain('post.deleted')
    await page.getByRole('link', { name: 'Trash' }).click()
    await row(page, 'Two').getByText('Deleted').last().waitFor()
    await expectAccessible(page)
    await row(page, 'Two').getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Restore' }).click()
    await page.getByText('1 post restored.').first().waitFor()
    await row(page, 'Out there').getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Delete for good' }).click()
    await dialog.getByRole('button', { name: 'Delete 1 post for good' }).click()
    await page.getByRole('heading', { name: 'The trash is empty' }).waitFor()
    await expectAccessible(page)
    expect((await client.posts.list()).data.map(({ title, status }) => [title, status])).toEqual([
      ['Three', 'draft'],
      ['Two', 'draft'],
    ])
  })

  it('has room for titles on a phone, however many sites there are', async () => {
    const { page, client } = await newPerson(scene, { width: 375 })
    for (let number = 1; number <= 9; number += 1) await connect(client, `Site ${number}`)
    await client.posts.create({ title: 'Everything about growing peas', status: 'published' })
    await scene.service().drain()
    await page.goto('/posts')
    const stops = page.getByRole('img', { name: 'Delivered to 9 of 9 sites.' })
    await stops.waitFor()
    const link = page.getByRole('link', { name: 'Everything about growing peas' })
    expect(await link.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
    const [status, marks] = [await page.getByText(/^Published /).boundingBox(), await stops.boundingBox()]
    const below = (marks?.y ?? 0) >= (status?.y ?? 0) + (status?.height ?? 0)
    expect(below || (marks?.x ?? 0) >= (status?.x ?? 0) + (status?.width ?? 0)).toBe(true)
  })

  it('publishes, tags and takes back many at once', async () => {
    const { page, client } = await newPerson(scene)
    const journal = await connect(client, 'Journal')
    await write(scene, client, 'One', 'Two', 'Three')
    await page.goto('/posts')
    await row(page, 'One').waitFor()
    const all = page.getByRole('checkbox', { name: 'Select all posts on this page' })
    const selection = page.getByRole('region', { name: 'Selection' })
    await all.check()
    await expectAccessible(page)
    await selection.getByRole('button', { name: 'Publish' }).click()
    await expectAccessible(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Publish 3 posts' }).click()
    await page.getByText('3 posts published.').first().waitFor()
    expect(await selection.count()).toBe(0)
    await scene.service().drain()
    expect(journal.received.map(({ json }) => json.event)).toEqual(Array(3).fill('post.published'))
    await all.check()
    await selection.getByRole('button', { name: 'Tag' }).click()
    await page.getByLabel('Tag', { exact: true }).last().fill('garden, peas')
    await page.keyboard.press('Enter')
    await page.getByText('One tag at a time').waitFor()
    await page.getByLabel('Tag', { exact: true }).last().fill('garden')
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    await page.getByText('3 posts tagged “garden”.').first().waitFor()
    await row(page, 'Two').getByRole('link', { name: 'garden' }).waitFor()
    await row(page, 'Two').getByRole('checkbox').check()
    await selection.getByRole('button', { name: 'Unpublish' }).click()
    // Somebody else was quicker.
    await client.posts.bulk({
      action: 'delete',
      ids: (await client.posts.list({ search: 'two' })).data.map(({ id }) => id),
    })
    await page.getByRole('dialog').getByRole('button', { name: 'Unpublish 1 post' }).click()
    await page.getByText('0 posts unpublished. 1 post had been deleted before.').first().waitFor()
    await expect.poll(() => titles(page)).toEqual(['Three', 'One'])
  })

  it('keeps selected what is left when one of several requests fails', async () => {
    const { page, client } = await newPerson(scene)
    await write(scene, client, ...Array.from({ length: 101 }, (_, index) => `Post ${index}`))
    await page.goto('/posts')
    for (const [title, next] of [
      ['Post 100', true],
      ['Post 50', true],
      ['Post 0', false],
    ] as const) {
      await row(page, title).waitFor()
      await page.getByRole('checkbox', { name: 'Select all posts on this page' }).check()
      if (next) await page.getByRole('button', { name: 'Next page' }).click()
    }
    let requests = 0
    await page.route('**/api/posts/bulk', (route) => (requests++ === 0 ? route.continue() : route.abort()))
    await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('button', { name: 'Publish 101 posts' }).click()
    await page.getByText(/^100 posts published, and then this: /).waitFor()
    await page.unroute('**/api/posts/bulk')
    await page.getByRole('button', { name: 'Publish 1 post', exact: true }).click()
    await page.getByText('1 post published.').first().waitFor()
  })

  it('says so when it cannot be read, and tries again', async () => {
    const { page, client } = await newPerson(scene)
    await write(scene, client, 'Here again')
    await page.route('**/api/posts/summaries*', (route) => route.abort())
    await page.goto('/posts')
    await page.getByRole('heading', { name: 'The service cannot be reached' }).waitFor({ timeout: 20_000 })
    await expectAccessible(page)
    await page.unroute('**/api/posts/summaries*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await row(page, 'Here again').waitFor()
  })

  it('says so when it has a fault of its own', async () => {
    const { page } = await newPerson(scene)
    await page.route('**/api/posts/summaries*', (route) => route.fulfill({ json: { data: [{}] } }))
    await page.goto('/posts')
    await page.getByRole('heading', { name: 'Something went wrong on this page' }).waitFor()
    await page.getByText(/tell whoever runs Postrider what you did, and this: TypeError: /).waitFor()
    await expectAccessible(page)
    await page.unroute('**/api/posts/summaries*')
    await page.getByRole('button', { name: 'Load the page again' }).click()
    await page.getByRole('heading', { name: 'No posts yet' }).waitFor()
  })
})
