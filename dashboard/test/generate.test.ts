/** Drafts from a topic: by the outline writer where there is no model, and by one. */
import type { Page } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import { writtenBy } from '../../server/test/support/drafts.ts'
import { type ModelServer, startModelServer } from '../../server/test/support/model-server.ts'
import { describeInBrowser, expectAccessible } from './support/browser.ts'
import { newPerson } from './support/person.ts'
import { seesLive } from './support/sites.ts'

const TOPIC = 'How to water tomatoes in a hot summer'
const begin = (page: Page) => page.getByRole('button', { name: 'Write the draft' })
const report = (page: Page, name: string) => page.locator('section', { has: page.getByRole('heading', { name }) })

describeInBrowser('a draft without a model', (scene) => {
  it('is an outline, and says so before, after and when it is published', async () => {
    const { page, client } = await newPerson(scene)
    await client.sites.create({
      name: 'Garden',
      url: 'https://garden.example',
      webhook_url: 'https://garden.example/in',
      niche: 'Vegetables on balconies',
    })
    await page.goto('/')
    await page.getByRole('heading', { name: 'Hello, Ada' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('draft from')
    await page.keyboard.press('Enter')
    await page.getByText('No language model is configured').waitFor()
    await page.getByLabel('Topic').fill(TOPIC)
    await page.getByLabel('Site', { exact: true }).selectOption('Garden')
    await page.getByText('About: Vegetables on balconies').waitFor()
    await page.getByRole('radio', { name: 'Short' }).check()
    await page.getByLabel('Keywords').fill('watering tomatoes, mulch')
    await page.keyboard.press('Enter')
    await page.getByRole('switch', { name: 'Questions and answers' }).check()
    await expectAccessible(page)
    await begin(page).click()
    await page.getByRole('progressbar').waitFor()
    await expectAccessible(page)
    await scene.service().drain()
    await seesLive(scene, report(page, 'An outline to write from'))
    await page.getByRole('textbox', { name: 'Title', exact: true }).waitFor()
    const outline = report(page, 'An outline to write from')
    await outline.getByText('not a finished text').waitFor()
    await outline.getByRole('row', { name: /watering tomatoes \(main\)/ }).waitFor()
    expect(await outline.getByText('800').count()).toBe(1)
    await expectAccessible(page)
    await page.keyboard.press('Control+Shift+P')
    await page
      .getByRole('dialog')
      .getByText(/notes of the outline are left in the text/)
      .waitFor()
    await page.keyboard.press('Escape')
    // It stays with the post, until somebody has had enough of it.
    await page.reload()
    await outline.getByRole('button', { name: 'Close' }).click()
    await outline.waitFor({ state: 'detached' })
    const { data } = await client.posts.list()
    expect(data.map(({ title, status }) => [title, status])).toEqual([[TOPIC, 'draft']])
  })

  it('asks for what the service needs', async () => {
    const { page } = await newPerson(scene)
    await page.goto('/posts/generate')
    await page.getByLabel('Topic').fill('  a ')
    await begin(page).click()
    expect(await page.getByLabel('Topic').evaluate((element) => element.matches(':invalid, [aria-invalid=true]'))).toBe(
      true,
    )
    await page.goto('/posts/generate?job=nothing')
    await page.getByText('There is nothing here').waitFor()
    await expectAccessible(page)
  })
})

let model: ModelServer
/** Ends a wait for the model. */
let goOn = () => {}

describeInBrowser(
  'a draft by a model',
  (scene) => {
    afterAll(() => model?.close())

    it('is written step by step before one’s eyes, and opens with what is to be checked', async () => {
      const { page, client } = await newPerson(scene)
      // The second part has to wait.
      model.follow(async ({ purpose }) => {
        const parts = model.asked.filter((one) => one.purpose === 'first').length
        if (purpose === 'first' && parts === 2) await new Promise<void>((resolve) => (goOn = resolve))
        return undefined
      })
      await page.goto('/posts/generate')
      await page.getByText('openai-compatible/test-model').waitFor()
      await page.getByLabel('Topic').fill(TOPIC)
      await page.getByRole('radio', { name: 'Short' }).check()
      await page.getByLabel('Keywords').fill('mulch')
      await begin(page).click()
      await page.getByRole('progressbar').waitFor()
      const written = scene.service().drain()
      await seesLive(scene, page.getByText(/Write them, one after the other \(\d of \d\)/))
      await expectAccessible(page)
      // Whoever comes back finds it under way.
      await page.reload()
      await page.getByText(/Write them, one after the other \(\d of \d\)/).waitFor()
      goOn()
      await written
      const how = report(page, 'How it was written')
      await seesLive(scene, how)
      const { data } = await client.posts.list()
      expect(new URL(page.url()).pathname).toBe(`/posts/${data[0]?.id}`)
      await how.getByText('openai-compatible/test-model').waitFor()
      expect(
        await how
          .getByRole('row', { name: /mulch \(main\)/ })
          .getByRole('img', { name: 'yes' })
          .count(),
      ).toBeGreaterThan(2)
      await expectAccessible(page)
    })

    it('can be cancelled, and asked for again as it was', async () => {
      const { page, client } = await newPerson(scene)
      model.follow(async () => {
        await new Promise<void>((resolve) => (goOn = resolve))
        return undefined
      })
      await page.goto('/posts/generate')
      await page.getByLabel('Topic').fill(TOPIC)
      await begin(page).click()
      await page.getByRole('progressbar').waitFor()
      const written = scene.service().drain()
      await page.getByRole('button', { name: 'Cancel' }).click()
      await begin(page).waitFor()
      expect(await page.getByLabel('Topic').inputValue()).toBe(TOPIC)
      goOn()
      await written
      expect((await client.posts.list()).pagination.total).toBe(0)
    })

    it('says why there is none', async () => {
      const { page } = await newPerson(scene)
      model.follow(() => ({ status: 401, body: { error: { message: 'no such key' } } }))
      await page.goto('/posts/generate')
      await page.getByLabel('Topic').fill(TOPIC)
      await begin(page).click()
      await page.getByRole('progressbar').waitFor()
      await scene.service().drain()
      await seesLive(scene, page.getByRole('heading', { name: 'The draft could not be written' }))
      await page.getByRole('button', { name: 'Change it and try again' }).click()
      expect(await page.getByLabel('Topic').inputValue()).toBe(TOPIC)
    })
  },
  async () => {
    model = await startModelServer()
    return writtenBy(model)
  },
)
