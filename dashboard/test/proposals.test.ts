/** What programs propose, and people decide. */
import { createClient } from '@postrider/sdk'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser, expectAccessible } from './support/browser.ts'
import { newPerson } from './support/person.ts'
import { connect, seesDone, seesLive } from './support/sites.ts'

const dialog = (page: Page) => page.getByRole('dialog')
const REASON = 'The recipe was tested twice.\n<b>Bake</b> it.'

describeInBrowser('a proposal to publish', (scene) => {
  /** A person with a site, and a program that writes for the person. */
  async function withProgram() {
    const { page, client } = await newPerson(scene)
    const journal = await connect(client, 'Journal')
    const scopes = ['posts:read' as const, 'posts:write' as const]
    const { token } = await client.tokens.create({ name: 'Claude', scopes })
    return { page, client, journal, program: createClient({ baseUrl: scene.service().url, token }) }
  }

  it('appears in the overview and in the post, and is gone once a person has published it', async () => {
    const { page, client, journal, program } = await withProgram()
    const { id } = await program.posts.create({ title: 'Bread', body: { markdown: 'Mix flour.' } })
    await page.goto('/')
    await page.getByRole('heading', { name: 'Continue writing' }).waitFor()
    await program.posts.proposals.make(id, { reason: REASON })
    await seesLive(scene, page.getByRole('heading', { name: 'Proposed for publication' }))
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Review Bread' }).click()
    await page.getByText('“Claude” proposes to publish this post').waitFor()
    await page.getByText('<b>Bake</b> it.').waitFor()
    await expectAccessible(page)
    await program.posts.update(id, { excerpt: 'Slowly.' })
    await seesLive(scene, page.getByText('The post has changed since.'))
    await page.getByRole('button', { name: 'History' }).click()
    await dialog(page).getByText('By the program “Claude”').first().waitFor()
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Publish …' }).click()
    // What the person has seen is not there any more: nothing goes out before they have seen what is.
    await program.posts.update(id, { body: { markdown: 'Mix sand.' } })
    await dialog(page).getByRole('button', { name: 'Publish to 1 site' }).click()
    await dialog(page).getByText('somebody has changed it meanwhile').waitFor()
    expect((await client.posts.get(id)).status).toBe('draft')
    await dialog(page).getByRole('button', { name: 'Publish to 1 site' }).click()
    await seesDone(scene, dialog(page).getByText('Journal').first())
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    await page.getByText('“Claude” proposes to publish this post').waitFor({ state: 'detached' })
    await expect.poll(() => journal.received.length).toBe(1)
    expect((await client.posts.proposals.list()).proposals).toEqual([])
  })

  it('to publish changes is followed or dismissed', async () => {
    const { page, client, journal, program } = await withProgram()
    const { id } = await client.posts.create({ title: 'Soup', status: 'published' })
    await program.posts.workingCopy.save(id, { title: 'Better soup' })
    await program.posts.proposals.make(id, { reason: 'A better title.' })
    await scene.service().drain()
    await page.goto(`/posts/${id}`)
    await page.getByText('“Claude” proposes to publish these changes').waitFor()
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.getByText('A better title.').waitFor({ state: 'detached' })
    expect((await client.posts.proposals.list()).proposals).toEqual([])
    await program.posts.proposals.make(id, { reason: 'Please.' })
    await seesLive(scene, page.getByText('Please.'))
    await page.getByRole('button', { name: 'Update the post' }).click()
    await dialog(page).waitFor()
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    await page.getByText('Please.').waitFor({ state: 'detached' })
    await scene.service().drain()
    expect(journal.received.at(-1)?.json.post).toMatchObject({ title: 'Better soup', version: 2 })
  })
})
