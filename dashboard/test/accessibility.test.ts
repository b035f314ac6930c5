/**
 * Every screen is for everybody: axe looks at it in light and wide, and in dark and narrow, and nothing has to be scrolled sideways. What
 * opens on a screen when something is done there is looked at where that is tested.
 */
import type { PostriderClient } from '@postrider/sdk'
import type { Locator, Page } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import { writtenBy } from '../../server/test/support/drafts.ts'
import { type ModelServer, startModelServer } from '../../server/test/support/model-server.ts'
import { describeInBrowser, expectAccessible } from './support/browser.ts'
import { newPerson } from './support/person.ts'
import { connect, seesDone, seesLive } from './support/sites.ts'

const LOOKS = [
  { theme: 'light', width: 1440 },
  { theme: 'dark', width: 360 },
] as const

const PICTURE = 'https://pictures.example/peas.png'

/** The service's answer to a draft that its model refuses to write. */
const REFUSED = { status: 401, body: { error: { message: 'no such key' } } }

let model: ModelServer

describeInBrowser(
  'for everybody',
  (scene) => {
    afterAll(() => model?.close())

    /** Expects that everybody can use what is shown now. */
    async function expectForEverybody(page: Page): Promise<void> {
      await expectAccessible(page)
      const size = page.viewportSize() ?? { width: 1440, height: 800 }
      for (const width of [1440, 768, 360]) {
        await page.setViewportSize({ ...size, width })
        await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
      }
      await page.setViewportSize(size)
    }

    /** Opens an address and looks at it once something is shown. */
    async function look(page: Page, address: string, ...shown: Locator[]): Promise<void> {
      await page.goto(address)
      for (const wanted of shown) await wanted.first().waitFor()
      await expectForEverybody(page)
    }

    async function publish(client: PostriderClient, title: string): Promise<void> {
      await client.posts.create({ title, body: { markdown: 'Words.' }, status: 'published' })
      await scene.service().drain()
    }

    it.each(LOOKS)('are the gates, and the screens of a new account: $theme', async (size) => {
      const visitor = await scene.visit(size)
      const heading = (page: Page, name: string) => page.getByRole('heading', { name })
      await look(visitor.page, '/sign-in', heading(visitor.page, 'Sign in'))
      await look(visitor.page, '/sign-up', visitor.page.getByRole('button', { name: 'Create account' }))
      await look(visitor.page, '/forgot-password', heading(visitor.page, 'Forgotten your password?'))
      await look(visitor.page, '/reset-password?token=x', heading(visitor.page, 'Choose a new password'))
      await look(visitor.page, '/verify-address?token=x', heading(visitor.page, 'Messages from Postrider'))
      const { page } = await newPerson(scene, size)
      await look(page, '/', page.locator('[aria-current="step"]').getByRole('heading', { name: 'Connect a site' }))
      await look(page, '/posts', heading(page, 'No posts yet'))
      await look(page, '/deliveries', heading(page, 'Nothing has been sent yet'))
      await look(page, '/sites', page.getByText('No site is connected yet'))
      await look(page, '/library', page.getByText('There are no pictures yet'))
      const nothing = page.getByText('No deliveries in this period')
      await look(page, '/analytics?range=own&from=2026-01-01&to=2026-02-01', nothing)
      expect(await page.locator('dl').getByText('—').count()).toBe(2)
      await look(page, '/notifications', page.getByLabel('Address of the incoming webhook'))
      await look(page, '/account', page.getByText('Requests to the API are not limited here.'))
      await look(page, '/no-such-page', heading(page, 'There is nothing at this address'))
      await look(page, '/deliveries/01a21ea7-0000-7000-8000-000000000000', heading(page, 'There is nothing here'))
    })

    it.each(LOOKS)('are lists, deliveries and figures, also of what fails: $theme', async (size) => {
      const { page, client } = await newPerson(scene, size)
      const { advance, clock } = scene.service()
      const press = await connect(client, 'The very long name of a press that prints what nobody else would print')
      await connect(client, 'Kitchen')
      // On three days: fewer are listed, not drawn.
      for (const title of ['Fine', 'Fine too']) {
        await publish(client, title)
        await advance(24 * 3_600_000)
      }
      press.answerNext(500, 500, 500, 503)
      await publish(client, 'A very long title of a post '.repeat(7))
      for (const ms of [30_000, 300_000, 1_800_000]) await advance(ms)
      press.answerNext((_request, response) => response.writeHead(500).end(`<h1>${'long'.repeat(100)}</h1>`))
      await publish(client, 'Short')
      const at = new Date(clock.now().getTime() + 86_400_000).toISOString()
      const tags = ['one', 'two', 'three', 'four']
      await client.posts.create({ title: 'Tomorrow', status: 'scheduled', scheduled_at: at, tags })
      await client.posts.create({ title: 'A draft' })
      await client.notifications.create({ kind: 'slack', target: 'http://127.0.0.1:1/hook' })
      await client.notifications.create({ kind: 'webhook', target: `http://127.0.0.1:1/${'long'.repeat(50)}` })
      await look(page, '/notifications', page.getByText('Your site answered').first())
      const slider = (name: string) => page.getByRole('slider', { name })
      const attention = page.getByRole('heading', { name: 'Needs attention' })
      const tomorrow = page.getByRole('link', { name: 'Tomorrow' })
      await look(page, '/', attention, tomorrow, slider('Deliveries of the last 30 days'))
      await page.goto('/posts')
      await page.locator('[data-row]').filter({ hasText: 'Tomorrow' }).getByRole('checkbox').check()
      await expectForEverybody(page)
      await look(page, '/deliveries', page.getByText('Fine too'))
      const { data } = await client.deliveries.list({ status: 'pending' })
      await look(page, `/deliveries/${data[0]?.id}`, page.getByText('What happened'))
      await look(page, '/analytics?range=12m&unit=month', page.getByRole('table', { name: 'Deliveries per month' }))
      await page.goto('/analytics?range=7d')
      await slider('Success rate per day').waitFor()
      await page.getByText('As a table').first().click()
      await expectForEverybody(page)
    })

    it.each(LOOKS)('are a post in all its forms, its settings and its publication: $theme', async (size) => {
      const { page, client } = await newPerson(scene, size)
      await page.route(PICTURE, (route) => route.fulfill({ path: 'dashboard/public/favicon.svg' }))
      const names = ['Journal', 'Kitchen', 'A site with a name that is a good deal longer than any telephone is wide']
      for (const name of names) await connect(client, name)
      const markdown = '## Soil\n\nWarm [ground](https://example.com).\n\n- [ ] dig\n\n| a | b |\n|---|---|\n| c | d |'
      const { id } = await client.posts.create({
        title: 'For everybody',
        body: { markdown },
        excerpt: 'Short.',
        tags: ['a', 'b'],
        meta: { title: 'A title for searches', description: 'What it says.', og_image: PICTURE },
      })
      await page.goto(`/posts/${id}`)
      await page.getByRole('textbox', { name: 'Text', exact: true }).getByRole('heading', { name: 'Soil' }).waitFor()
      for (const name of ['Rich text', 'Markdown', 'HTML', 'Preview']) {
        await page.getByRole('tab', { name }).click()
        await page.getByRole('tab', { name, selected: true }).waitFor()
        await expectForEverybody(page)
      }
      const search = page.getByRole('figure', { name: 'About as search engines show it' })
      for (const width of [768, 360]) {
        await page.setViewportSize({ width, height: 800 })
        await page.getByRole('button', { name: 'Settings' }).click()
        await search.waitFor()
        await expectAccessible(page)
        expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
        await page.keyboard.press('Escape')
      }

      const dialog = page.getByRole('dialog')
      await page.getByRole('button', { name: 'Publish' }).click()
      await dialog.getByRole('radio', { name: 'Chosen sites' }).check()
      await dialog.getByRole('checkbox', { name: 'Kitchen' }).waitFor()
      await dialog.getByRole('checkbox', { name: 'Unpublish it at a set time' }).check()
      await expectAccessible(page)
      await dialog.getByRole('radio', { name: 'Later', exact: true }).check()
      await dialog.getByText(/UTC, /).first().waitFor()
      await expectAccessible(page)
      // Nothing of what scrolls is seen below the buttons.
      const bottomOf = (wanted: Locator) => wanted.evaluate((element) => element.getBoundingClientRect().bottom)
      const bar = dialog.getByRole('button', { name: 'Schedule' }).locator('..')
      expect(await bottomOf(bar)).toBe(await bottomOf(dialog))
      await dialog.getByRole('radio', { name: 'Now' }).check()
      await dialog.getByRole('button', { name: 'Publish to 3 sites' }).click()
      await seesDone(scene, dialog.getByRole('heading', { name: 'It has arrived' }))
      await expectForEverybody(page)
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await expectForEverybody(page)
    })

    it.each(LOOKS)('are connecting a site, the site, and a draft that cannot be written: $theme', async (size) => {
      const { page, client } = await newPerson(scene, size)
      await page.goto('/sites/new')
      await page.getByLabel('Address', { exact: true }).fill('127.0.0.1:1')
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByText('The site could not be reached: Connection refused.').waitFor()
      await page.getByLabel('Made with').selectOption('Express, or another Node server')
      await page.getByLabel('Name').fill('Kitchen notes')
      await expectForEverybody(page)
      await page.getByRole('button', { name: 'Connect the site' }).click()
      await page.getByRole('heading', { name: 'The receiver' }).waitFor()
      await expectForEverybody(page)
      await look(page, '/sites', page.getByText('1 connected site'))
      const [site] = (await client.sites.list()).sites
      await page.getByRole('link', { name: site?.name ?? '' }).click()
      await page.getByText('Nothing has been sent to it yet').waitFor()
      await page.getByRole('button', { name: 'Show', exact: true }).click()
      await page.getByText('whsec_').waitFor()
      await expectForEverybody(page)

      model.follow(() => REFUSED)
      await look(page, '/posts/generate', page.getByText('openai-compatible/test-model'))
      await page.getByLabel('Topic').fill('How to water tomatoes in a hot summer')
      await page.getByRole('button', { name: 'Write the draft' }).click()
      await page.getByRole('progressbar').waitFor()
      await expectAccessible(page)
      await scene.service().drain()
      await seesLive(scene, page.getByRole('heading', { name: 'The draft could not be written' }))
      await expectForEverybody(page)
    })
  },
  async () => {
    model = await startModelServer()
    return writtenBy(model)
  },
)
