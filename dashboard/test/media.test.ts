/** Pictures: in a text, by choosing, dropping and copying from elsewhere; for social networks; and in the library. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { pngOf } from '../../server/test/support/pictures.ts'
import { describeInBrowser, expectAccessible } from './support/browser.ts'
import { newPerson } from './support/person.ts'

const text = (page: Page) => page.getByRole('textbox', { name: 'Text', exact: true })
const dialog = (page: Page) => page.getByRole('dialog')

/** A picture of one colour, as a file. */
async function file(name: string, background: string) {
  return { name, mimeType: 'image/png', buffer: await pngOf(background) }
}

/** Chooses files as somebody does who presses the button. */
async function choose(page: Page, button: string, files: Awaited<ReturnType<typeof file>>[]): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: button }).first().click()
  await (await chooser).setFiles(files)
}

describeInBrowser('pictures in a text', (scene) => {
  it('are uploaded, described and inserted, chosen from the library, and dropped', async () => {
    const { page, client } = await newPerson(scene)
    const { id } = await client.posts.create({ title: 'Bread' })
    await page.goto(`/posts/${id}`)
    await text(page).click()
    await page.keyboard.type('/pic')
    await page.keyboard.press('Enter')
    await expectAccessible(page)
    await choose(page, 'Upload pictures', [await file('Loaf.png', 'peru')])
    await expect
      .poll(() => dialog(page).getByLabel('Address').inputValue())
      .toMatch(/\/media\/[0-9a-f]{32}\/loaf\.png$/)
    await dialog(page).getByLabel('Description').fill('A loaf')
    await page.keyboard.press('Enter')
    await text(page).locator('img[alt="A loaf"]').waitFor({ state: 'attached' })
    // The dialog gives the focus back as it goes; what is typed before that searches the pages.
    await dialog(page).waitFor({ state: 'detached' })
    await expect.poll(() => text(page).evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.press('ArrowRight')
    await page.keyboard.type('/pic')
    await page.keyboard.press('Enter')
    await dialog(page).getByRole('button', { name: 'Choose from the library' }).click()
    await page.getByRole('dialog', { name: 'Choose a picture' }).getByRole('button', { name: 'Loaf.png' }).click()
    await expect.poll(() => dialog(page).getByLabel('Description').inputValue()).toBe('A loaf')
    await page.keyboard.press('Escape')
    const dropped = (await file('Oven.png', 'black')).buffer.toString('base64')
    await text(page).evaluate((element, base64) => {
      const clipboardData = new DataTransfer()
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
      clipboardData.items.add(new File([bytes], 'Oven.png', { type: 'image/png' }))
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    }, dropped)
    await expect.poll(() => dialog(page).getByLabel('Address').inputValue()).toMatch(/oven\.png$/)
    await dialog(page).getByLabel('Description').fill('An oven')
    await dialog(page).getByRole('button', { name: 'Insert' }).click()
    await expect
      .poll(async () => (await client.posts.get(id)).body.markdown)
      .toMatch(/!\[A loaf\]\(http\S+loaf\.png\).*!\[An oven\]\(http\S+oven\.png\)/s)
    const { media } = await client.media.list()
    expect(media.map(({ alt, used_in }) => `${alt}: ${used_in.length}`).sort()).toEqual(['A loaf: 1', 'An oven: 1'])
  })

  it('of other websites are copied with one button', async () => {
    const { page, client } = await newPerson(scene)
    const picture = (await file('Elsewhere.png', 'teal')).buffer
    const site = createServer((_, response) => response.writeHead(200, { 'content-type': 'image/png' }).end(picture))
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    const src = `http://127.0.0.1:${(site.address() as AddressInfo).port}/elsewhere.png`
    const { id } = await client.posts.create({ title: 'Moved', body: { markdown: `![A view](${src})` } })
    await page.goto(`/posts/${id}`)
    await page.getByText('1 picture on other websites').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Copy it here' }).click()
    await page.getByText('1 picture on other websites').waitFor({ state: 'detached' })
    await expect
      .poll(async () => (await client.posts.get(id)).body.html)
      .toMatch(/\/media\/[0-9a-f]{32}\/elsewhere\.png/)
    expect((await client.media.list()).media).toMatchObject([{ alt: 'A view', used_in: [{ id }] }])
    site.close()
  })

  it('stand for the post on social networks', async () => {
    const { page, client } = await newPerson(scene, { width: 1440 })
    const { id } = await client.posts.create({ title: 'Bread' })
    await page.goto(`/posts/${id}`)
    await page.getByRole('button', { name: 'Choose or upload' }).click()
    await choose(page, 'Upload a picture', [await file('Card.png', 'navy')])
    await expect.poll(async () => (await client.posts.get(id)).meta.og_image).toMatch(/\/card\.png$/)
  })
})

describeInBrowser('the library', (scene) => {
  it('shows, finds, describes and deletes pictures, and says where they are used', async () => {
    const { page, client } = await newPerson(scene, { width: 1440 })
    await page.goto('/library')
    await page.getByText('There are no pictures yet').waitFor()
    await expectAccessible(page)
    await choose(page, 'Upload pictures', [await file('Loaf.png', 'peru'), await file('Oven.png', 'black')])
    await dialog(page).getByLabel('Description').fill('An oven')
    await expectAccessible(page)
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    const { media } = await client.media.list({ search: 'oven' })
    expect(media).toMatchObject([{ name: 'Oven.png', alt: 'An oven' }])
    const [loaf] = (await client.media.list({ search: 'loaf' })).media
    await client.posts.create({ title: 'About bread', body: { markdown: `![](${loaf?.url})` } })
    await page.getByLabel('Search pictures').fill('loaf')
    await expect.poll(() => page.getByRole('listitem').filter({ hasText: '.png' }).count()).toBe(1)
    await page.getByRole('button', { name: /Loaf\.png/ }).click()
    await dialog(page).getByRole('link', { name: 'About bread' }).waitFor()
    await dialog(page).getByRole('button', { name: 'Delete …' }).click()
    await page.getByText('1 post will lack it').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Delete all the same' }).click()
    await page.getByText('No picture matches').waitFor()
    expect((await client.media.list()).media.map(({ name }) => name)).toEqual(['Oven.png'])
  })

  it('says why a file is not taken, and goes on', async () => {
    const { page, client } = await newPerson(scene)
    await page.goto('/library')
    const broken = { name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('<svg></svg>') }
    await choose(page, 'Upload pictures', [broken])
    await page
      .getByRole('alert')
      .getByText(/“broken.png” was not uploaded\. SVG is not taken/)
      .waitFor()
    await choose(page, 'Upload pictures', [await file('Loaf.png', 'peru')])
    await dialog(page).getByRole('heading', { name: 'Loaf.png' }).waitFor()
    expect((await client.media.list()).media).toHaveLength(1)
  })
})
