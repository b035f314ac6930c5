/** The calendar: what goes out when, and moving it, with the mouse and without. */
import type { PostriderClient } from '@postrider/sdk'
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser, expectAccessible } from './support/browser.ts'
import { newPerson } from './support/person.ts'
import { connect, seesLive } from './support/sites.ts'

/** A month that has not begun, so that every day of it is in the future. */
const MONTH = '2031-03'
const day = (page: Page, date: string): Locator => page.locator(`td[data-day="${date}"]`)
const schedule = (client: PostriderClient, title: string, at: string, site_ids: string[] | null = null) =>
  client.posts.create({ title, status: 'scheduled', scheduled_at: at, site_ids })

describeInBrowser('the calendar', (scene) => {
  it('shows posts on their days, and moves them by dragging', async () => {
    const { page, client } = await newPerson(scene)
    const journal = await connect(client, 'Journal')
    await connect(client, 'Kitchen')
    const peas = await schedule(client, 'Peas', `${MONTH}-04T09:30:15.000Z`)
    await schedule(client, 'Beans', `${MONTH}-04T08:00:00Z`, [journal.siteId])
    await page.goto('/')
    await page.getByRole('navigation').getByRole('link', { name: 'Calendar' }).click()
    await page.getByRole('heading', { name: 'Calendar', level: 1 }).waitFor()
    await page.goto(`/calendar?date=${MONTH}-15`)
    await page.getByRole('table', { name: 'March 2031' }).waitFor()
    await day(page, `${MONTH}-04`).getByRole('link', { name: 'Peas' }).waitFor()
    expect(await day(page, `${MONTH}-04`).getByRole('link').allTextContents()).toEqual(['Beans', 'Peas'])
    await expectAccessible(page)
    await day(page, `${MONTH}-04`)
      .getByRole('listitem')
      .filter({ hasText: 'Peas' })
      .dragTo(day(page, `${MONTH}-20`))
    await day(page, `${MONTH}-20`).getByRole('link', { name: 'Peas' }).waitFor()
    await page.getByText('“Peas” goes out on').first().waitFor()
    // At the same time of the day, to the second.
    expect(await client.posts.get(peas.id)).toMatchObject({ scheduled_at: `${MONTH}-20T09:30:15.000Z`, version: 2 })
    await page.getByLabel('Site', { exact: true }).selectOption('Kitchen')
    await day(page, `${MONTH}-04`).getByRole('link', { name: 'Beans' }).waitFor({ state: 'detached' })
    await day(page, `${MONTH}-20`).getByRole('link', { name: 'Peas' }).waitFor()
  })

  it('moves them by keyboard, and says when somebody was quicker', async () => {
    const { page, client } = await newPerson(scene)
    const { id } = await schedule(client, 'Peas', `${MONTH}-04T09:30:00Z`)
    await page.goto(`/calendar?view=week&date=${MONTH}-04`)
    const more = page.getByRole('button', { name: 'More for Peas' })
    await more.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Move to…' }).waitFor()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'When does it go out?' })
    await dialog.getByLabel('Date').fill('2020-01-01')
    await dialog.getByText('This day has passed.').waitFor()
    await dialog.getByLabel('Date').fill(`${MONTH}-05`)
    await dialog.getByLabel('Time', { exact: true }).fill('11:00')
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    await day(page, `${MONTH}-05`).getByRole('link', { name: 'Peas' }).waitFor()
    expect((await client.posts.get(id)).scheduled_at).toBe(`${MONTH}-05T11:00:00.000Z`)

    // Nothing tells this page of it before it moves the post.
    await page.route('**/api/events', (route) => route.abort())
    await page.reload()
    await more.waitFor()
    await client.posts.update(id, { title: 'Peas and beans' })
    await more.click()
    await page.getByRole('menuitem', { name: 'Move to…' }).click()
    await dialog.getByLabel('Date').fill(`${MONTH}-06`)
    await dialog.getByRole('button', { name: 'Move it' }).click()
    await page.getByText('“Peas” was not moved: somebody has changed it meanwhile.').first().waitFor()
    await day(page, `${MONTH}-05`).getByRole('link', { name: 'Peas and beans' }).waitFor()
    expect((await client.posts.get(id)).scheduled_at).toBe(`${MONTH}-05T11:00:00.000Z`)
  })

  it('shows what was published late, and days below each other on a phone', async () => {
    const { page, client } = await newPerson(scene, { width: 390 })
    await connect(client, 'Journal')
    const at = new Date(scene.service().clock.now().getTime() + 60_000).toISOString()
    await schedule(client, 'Peas', at)
    await page.goto('/calendar')
    await page.getByRole('link', { name: 'Peas' }).waitFor()
    scene.service().clock.advance(6 * 60_000)
    await scene.service().drain()
    await seesLive(scene, page.getByText('5 min late').filter({ visible: true }))
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    await expectAccessible(page)
    await page.goto(`/calendar?date=${MONTH}-01`)
    await page.getByText('Nothing is scheduled or published then.').waitFor()
    await page.getByRole('link', { name: 'Today' }).click()
    await page.getByRole('link', { name: 'Peas' }).waitFor()
    await page.goto('/posts')
    await page.getByText('5 min late').first().waitFor()
  })
})
