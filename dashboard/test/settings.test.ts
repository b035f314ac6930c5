/** What belongs to a post beside its text. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser, expectAccessible } from './support/browser.ts'
import { newPerson } from './support/person.ts'

const saved = (page: Page) => page.getByText(/^Saved /).waitFor()
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true })
const search = (page: Page) => page.getByRole('figure', { name: 'About as search engines show it' })

const PICTURE = 'https://pictures.example/peas.png'

describeInBrowser('the settings of a post', (scene) => {
  it('are kept when the dialog is closed by a key in the middle of an address or a tag', async () => {
    const { page, client } = await newPerson(scene, { width: 800 })
    const { id } = await client.posts.create({ title: 'Peas' })
    await page.goto(`/posts/${id}`)
    await page.getByRole('button', { name: 'Settings' }).click()
    const dialog = page.getByRole('dialog', { name: 'Settings' })
    await dialog.getByLabel('Address', { exact: true }).fill('green-peas')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(async () => (await client.posts.get(id)).slug).toBe('green-peas')
    await page.getByRole('button', { name: 'Settings' }).click()
    await dialog.getByLabel('Tags').fill('garden')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(async () => (await client.posts.get(id)).tags).toEqual(['garden'])
  })

  it('are whole on a phone, whatever is written in them', async () => {
    const { page, client } = await newPerson(scene, { width: 375 })
    const name = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'
    await client.sites.create({ name, url: 'https://journal.example', webhook_url: 'https://journal.example/in' })
    const { id } = await client.posts.create({
      title: 'peas'.repeat(20),
      tags: ['long'.repeat(15)],
      status: 'published',
    })
    await page.goto(`/posts/${id}`)
    await page.getByText(name).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(375)
    await page.getByRole('button', { name: 'Settings' }).click()
    const dialog = page.getByRole('dialog', { name: 'Settings' })
    const right = async (label: string) => {
      const box = await dialog.getByLabel(label, { exact: true }).boundingBox()
      return (box?.x ?? 0) + (box?.width ?? 0)
    }
    for (const label of ['Address', 'Excerpt', 'Tags']) expect(await right(label)).toBeLessThan(375 - 2 * 16)
    expect(await search(page).evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Send to sites' }).click()
    const choice = page.getByRole('dialog').getByText(name)
    await choice.waitFor()
    const box = await choice.boundingBox()
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThan(375 - 16)
  })

  it('are stored as they are written, and shown as readers will see them', async () => {
    const { page, client } = await newPerson(scene, { width: 1440 })
    await page.route(PICTURE, (route) => route.fulfill({ status: 404 }))
    await client.sites.create({
      name: 'Journal',
      url: 'https://journal.example',
      webhook_url: 'https://journal.example/in',
    })
    await client.posts.create({ title: 'Taken' })
    const { id } = await client.posts.create({ title: 'Growing peas' })
    await page.goto(`/posts/${id}`)
    await search(page).getByText('journal.example › growing-peas').waitFor()
    // Until there is a description or an excerpt: what the text begins with.
    await page.getByRole('textbox', { name: 'Text', exact: true }).click()
    await page.keyboard.type('Sow them **early**.\nThen wait.')
    await search(page).getByText('Sow them early. Then wait.').waitFor()
    await page.getByRole('figure', { name: 'About as social networks show it' }).getByText('Then wait.').waitFor()

    // Nothing is stored or changed while it is typed; what the service makes of it is shown then.
    await field(page, 'Address').fill('Peas, and how they GROW ')
    await page.waitForTimeout(1_500)
    expect(await field(page, 'Address').inputValue()).toBe('Peas, and how they GROW ')
    await page.keyboard.press('Enter')
    await expect.poll(() => field(page, 'Address').inputValue()).toBe('peas-and-how-they-grow')
    await field(page, 'Address').fill('taken')
    await field(page, 'Excerpt').fill('All about peas.')
    await page.getByText('Another post already has this slug').first().waitFor()
    expect(await field(page, 'Address').getAttribute('aria-invalid')).toBe('true')
    await expectAccessible(page)
    await field(page, 'Address').fill('peas')
    await field(page, 'Tags').fill('garden, spring')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove garden' }).click()
    await field(page, 'Search title').fill('Peas: when, where and how deep')
    await field(page, 'Description').fill('x '.repeat(85))
    await page.getByText('169 of 160: the rest may be cut off').waitFor()
    await field(page, 'Description').fill('When to sow peas, and how deep.')
    await search(page).getByText('When to sow peas, and how deep.').waitFor()
    await search(page).getByText('Peas: when, where and how deep').waitFor()
    await field(page, 'Original address').fill('elsewhere')
    await page.keyboard.press('Tab')
    await page.getByText('Enter the full address').waitFor()
    await field(page, 'Original address').fill('https://elsewhere.example/peas')
    await field(page, 'Picture').fill(PICTURE)
    await page.keyboard.press('Enter')
    await page.getByText('There is no picture at this address').waitFor()
    await saved(page)
    expect(await client.posts.get(id)).toMatchObject({
      slug: 'peas',
      excerpt: 'All about peas.',
      tags: ['spring'],
      meta: {
        title: 'Peas: when, where and how deep',
        description: 'When to sow peas, and how deep.',
        canonical_url: 'https://elsewhere.example/peas',
        og_image: PICTURE,
      },
    })
  })

  it('survive a reload half typed, and are decided where two have changed them', async () => {
    const { page, client } = await newPerson(scene, { width: 1440 })
    const { id } = await client.posts.create({ title: 'Out', status: 'published' })
    await page.goto(`/posts/${id}`)
    await field(page, 'Address').fill('half-typed')
    await page.reload()
    await expect.poll(() => field(page, 'Address').inputValue()).toBe('half-typed')
    await field(page, 'Description').fill('Mine.')
    await client.posts.update(id, { meta: { description: 'Theirs.' }, tags: ['theirs'] })
    await page.getByRole('button', { name: 'Update' }).click()
    await page.getByRole('region', { name: 'Differences in description' }).waitFor()
    await page.getByRole('checkbox', { name: 'Keep what is not chosen' }).uncheck()
    await page.getByRole('button', { name: 'Continue with this' }).click()
    await page.getByText(/not on your sites yet$/).waitFor()
    await page.getByRole('button', { name: 'Update' }).click()
    await expect
      .poll(() => client.posts.get(id))
      .toMatchObject({ slug: 'half-typed', tags: ['theirs'], meta: { description: 'Mine.' } })
  })
})
