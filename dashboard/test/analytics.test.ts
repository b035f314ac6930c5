/** The analytics, before a service that has delivered to a site that works and one that does not. */
import { expect, it } from 'vitest'
import { startReceiver } from '../../server/test/support/receiver.ts'
import { connectSite } from '../../server/test/support/service.ts'
import { number, percent } from '../src/format.ts'
import { describeInBrowser } from './support/browser.ts'
import { newPerson, type Person } from './support/person.ts'

describeInBrowser('the analytics', (scene) => {
  /** Three posts to two sites; at one of them everything fails, at the other one delivery needs a retry. */
  async function someDeliveries({ client }: Person) {
    const { drain, advance } = scene.service()
    const [works, fails] = [await startReceiver(), await startReceiver()]
    const site = await connectSite(client, works, 'Kitchen notes')
    await connectSite(client, fails, 'Travel journal')
    works.answerNext(500)
    fails.answerNext(...Array<number>(12).fill(503))
    // On three days: fewer are listed, not drawn.
    for (const title of ['Bread', 'Butter', 'Jam']) {
      if (title !== 'Bread') await advance(24 * 3_600_000)
      await client.posts.create({ title, status: 'published' })
      await drain()
      for (const ms of [30_000, 300_000, 1_800_000]) await advance(ms)
    }
    await Promise.all([works.close(), fails.close()])
    return site
  }

  it('show the numbers of the API, for all sites and for one', async () => {
    const person = await newPerson(scene)
    const { page, client } = person
    const site = await someDeliveries(person)
    await page.goto('/')
    await page.getByRole('navigation').getByRole('link', { name: 'Analytics' }).click()
    await page.getByRole('heading', { name: 'Analytics' }).waitFor()
    const figure = (name: string) => page.locator('dl > div').filter({ hasText: name }).locator('dd')
    const expectFigures = async (range: { site_id?: string }) => {
      const { totals } = await client.analytics.overview(range)
      await expect.poll(() => figure('Deliveries').textContent()).toBe(number(totals.deliveries))
      await expect.poll(() => figure('Success rate').textContent()).toBe(percent(totals.success_rate))
      expect(await figure('Failed').textContent()).toBe(number(totals.failed))
      expect(await figure('Needed a retry').textContent()).toBe(number(totals.retried))
      return totals
    }
    const all = await expectFigures({})
    expect(all).toMatchObject({ deliveries: 6, failed: 3, success_rate: 50 })
    expect(all.retried).toBeGreaterThan(3)

    const { data } = await client.analytics.deliveries({ granularity: 'day' })
    const chart = page.getByRole('figure').filter({ has: page.getByRole('slider', { name: 'Deliveries per day' }) })
    await chart.getByText('As a table').click()
    const sum = async (column: number) => {
      const cells = await chart.locator(`tbody td:nth-child(${column})`).allTextContents()
      return cells.reduce((total, cell) => total + Number(cell), 0)
    }
    expect([await sum(2), await sum(3), await sum(4)]).toEqual(
      (['delivered', 'failed', 'retried'] as const).map((key) => data.reduce((total, unit) => total + unit[key], 0)),
    )
    await page.getByRole('slider', { name: 'Deliveries per day' }).press('End')
    expect(await chart.locator('figcaption').textContent()).toContain('Failed1')

    await page.getByLabel('Site', { exact: true }).selectOption('Kitchen notes')
    expect(await expectFigures({ site_id: site.id })).toMatchObject({ deliveries: 3, failed: 0 })
    await page.getByLabel('Time', { exact: true }).selectOption('Last 24 hours')
    await page.getByRole('slider', { name: 'Deliveries per hour' }).waitFor()
    await page.reload()
    await page.getByRole('slider', { name: 'Deliveries per hour' }).waitFor()
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ range: '24h', site: site.id })
    expect(await page.getByLabel('Site', { exact: true }).inputValue()).toBe(site.id)
  })
})
