/** A story without a mouse: everything is reached with Tab and done with Enter, Space and the arrows. */
import { fileURLToPath } from 'node:url'
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { pngOf } from '../../server/test/support/pictures.ts'
import { describeInBrowser } from './support/browser.ts'
import { newPerson } from './support/person.ts'
import { connect, seesDone } from './support/sites.ts'

const WORDPRESS = fileURLToPath(new URL('../../server/test/files/kitchen-notes.wordpress.xml', import.meta.url))
/** No screen has so many stops before what is wanted. */
const MOST_STOPS = 80

const dialog = (page: Page) => page.getByRole('dialog')
const button = (within: Page | Locator, name: string | RegExp) => within.getByRole('button', { name, exact: true })

/** Moves the focus to it as somebody does who has no mouse. */
async function reach(page: Page, wanted: Locator, key = 'Tab'): Promise<void> {
  await wanted.first().waitFor()
  for (let stop = 0; stop < MOST_STOPS; stop += 1) {
    if (await wanted.first().evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press(key)
  }
  throw new Error(`${wanted} is not reached with ${key}.`)
}

/** Moves there and presses it. */
async function press(page: Page, wanted: Locator, key = 'Enter'): Promise<void> {
  await reach(page, wanted)
  await page.keyboard.press(key)
}

/** Presses what asks for a file, and gives one. */
async function give(page: Page, wanted: Locator, file: Parameters<Locator['setInputFiles']>[0], key = 'Enter') {
  const chooser = page.waitForEvent('filechooser')
  await press(page, wanted, key)
  await (await chooser).setFiles(file)
}

describeInBrowser('without a mouse', (scene) => {
  it('a post is written with a picture, shared, taken back in its history, thrown away and brought back', async () => {
    const { page, client } = await newPerson(scene)
    await connect(client, 'Journal')
    await page.goto('/')
    await press(page, page.getByRole('link', { name: 'New post' }))
    await page.getByRole('textbox', { name: 'Title', exact: true }).waitFor()
    await reach(page, page.getByRole('textbox', { name: 'Title', exact: true }))
    await page.keyboard.type('By hand')
    await page.keyboard.press('Enter')
    await page.keyboard.type('The first words. /pic')
    await page.keyboard.press('Enter')
    const picture = { name: 'Loaf.png', mimeType: 'image/png', buffer: await pngOf('peru') }
    await give(page, button(dialog(page), 'Upload pictures'), picture)
    await expect.poll(() => dialog(page).getByLabel('Address').inputValue()).toMatch(/loaf\.png$/)
    await reach(page, dialog(page).getByLabel('Description'))
    await page.keyboard.type('A loaf')
    await page.keyboard.press('Enter')
    await dialog(page).waitFor({ state: 'detached' })
    await page.keyboard.press('ControlOrMeta+s')
    await page.getByText(/^Saved/).waitFor()
    await page.waitForURL(/\/posts\/[0-9a-f-]{36}$/)
    const id = page.url().split('/').at(-1) ?? ''
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.type(' More words.')
    await page.keyboard.press('ControlOrMeta+s')
    await expect.poll(async () => (await client.posts.get(id)).body.markdown).toContain('More words.')

    await press(page, button(page, 'Share a preview'))
    await press(page, button(dialog(page), 'Make a link'))
    await reach(page, dialog(page).getByRole('list', { name: 'Links' }).getByRole('link'))
    await press(page, button(dialog(page), 'Take it back'))
    await dialog(page).getByRole('list', { name: 'Links' }).waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })

    await press(page, button(page, 'History'))
    await press(page, dialog(page).getByRole('button', { name: 'Version 1' }))
    await press(page, button(dialog(page), 'Go back to version 1'))
    await dialog(page).waitFor({ state: 'detached' })
    await expect.poll(async () => (await client.posts.get(id)).body.markdown).not.toContain('More words.')

    await press(page, button(page, 'Delete'))
    await press(page, button(dialog(page), /Move|Delete/))
    await page.waitForURL('**/posts')
    expect((await client.posts.list()).data).toEqual([])
    await press(page, button(page, 'Undo'))
    await expect.poll(async () => (await client.posts.list()).data.length).toBe(1)
  })

  it('the library is searched and described, and posts are brought along and taken out again', async () => {
    const { page, client } = await newPerson(scene)
    await client.media.upload(new File([new Uint8Array(await pngOf('teal'))], 'Sea.png', { type: 'image/png' }))
    await page.goto('/library')
    await reach(page, page.getByRole('searchbox'))
    await page.keyboard.type('sea')
    await press(page, page.getByRole('button', { name: /Sea\.png/ }))
    await reach(page, dialog(page).getByLabel('Description'))
    await page.keyboard.type('The sea')
    await press(page, button(dialog(page), 'Save'))
    await expect.poll(async () => (await client.media.list()).media[0]?.alt).toBe('The sea')

    await page.goto('/posts')
    await press(page, page.getByRole('link', { name: 'Import from elsewhere' }))
    await give(page, button(page, 'Choose a file'), WORDPRESS)
    await page.getByText('Looking at the posts').waitFor()
    await seesDone(scene, button(page, 'Import 9 posts'))
    await press(page, button(page, 'Import 9 posts'))
    await seesDone(scene, page.getByText('9 posts imported'))
    await press(page, button(page, 'Undo the import'))
    await press(page, button(dialog(page), 'Undo the import'))
    await seesDone(scene, page.getByText('9 posts undone'))
    await page.goto('/import')
    await reach(page, page.getByRole('link', { name: 'Download Markdown' }))
  })
})
