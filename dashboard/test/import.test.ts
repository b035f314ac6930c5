/** Bringing posts along in three steps, undoing it, and taking all of them out. */
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { describeInBrowser, expectAccessible } from './support/browser.ts'
import { newPerson } from './support/person.ts'

const WORDPRESS = fileURLToPath(new URL('../../server/test/files/kitchen-notes.wordpress.xml', import.meta.url))

describeInBrowser('importing', (scene) => {
  it('shows what will come of a file before anything is done, does it, and undoes it', async () => {
    const { page, client } = await newPerson(scene)
    await page.goto('/posts')
    await page.getByRole('link', { name: 'Import from elsewhere' }).click()
    await page.getByLabel(/Drop an export file/).setInputFiles(WORDPRESS)
    await page.getByText('Looking at the posts').waitFor()
    await scene.service().drain()
    await page.getByRole('button', { name: 'Import 9 posts' }).waitFor()
    await page.getByText('WordPress fills the block “latest-posts”').first().waitFor()
    await page.getByText('It is in the trash.').waitFor()
    await page.getByText('By post').click()
    await expectAccessible(page)
    expect((await client.posts.list()).pagination.total).toBe(0)

    await page.getByLabel('Copy pictures from their websites').check()
    await page.getByRole('button', { name: 'Import 9 posts' }).click()
    await page.getByText('Importing: 0 of 9').waitFor()
    await scene.service().drain()
    await page.getByText('9 posts imported').waitFor()
    await page
      .getByText(/loaf.jpg is not taken: The picture could not be fetched/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Undo the import' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Undo the import' }).click()
    await page.getByText('Undoing').first().waitFor()
    await scene.service().drain()
    await page.getByText('9 posts undone').waitFor()
    expect((await client.posts.list()).pagination.total).toBe(0)
  })

  it('says what is wrong with a file, and gives out an archive', async () => {
    const { page, client } = await newPerson(scene)
    await client.posts.create({ title: 'Bread' })
    await page.goto('/posts')
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Import and export' }).click()
    const file = { name: 'a.json', mimeType: 'application/json', buffer: Buffer.from('{}') }
    await page.getByLabel(/Drop an export file/).setInputFiles(file)
    await page.getByText('There are no posts in the file.').waitFor()
    await page.getByLabel('With the pictures').check()
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download Markdown' }).click()
    expect((await download).suggestedFilename()).toMatch(/^postrider-markdown-.*\.zip$/)
    expect((await download).url()).toContain('media=true')
  })
})
