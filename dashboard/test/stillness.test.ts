/** Nothing that somebody is about to press moves away while a screen loads (Cumulative Layout Shift). */
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { describeInBrowser } from './support/browser.ts'
import { newPerson } from './support/person.ts'
import { connect } from './support/sites.ts'

type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean }

/** Up to 0.1 counts as good. A list may be shorter than what stands in its place, which moves what is below it. */
const MOST = 0.03

/** Far enough apart for a frame between two answers. */
const APART_MS = 40
const MOST_ANSWERS = 6

describeInBrowser('a screen', (scene) => {
  it.each([
    { width: 360, order: 'first' },
    { width: 360, order: 'last' },
    { width: 1280, order: 'first' },
    { width: 1280, order: 'last' },
  ])(
    'stands still while it loads, $width pixels wide, what was asked $order being answered first',
    async ({ width, order }) => {
      const { page, client, context } = await newPerson(scene, { width })
      const { siteId } = await connect(client, 'Journal')
      const { id } = await client.posts.create({ title: 'Here', body: { markdown: 'Words.' }, status: 'published' })
      for (let number = 1; number <= 12; number += 1)
        await client.posts.create({ title: `Post ${number}`, tags: ['tag'] })
      const inAnHour = new Date(scene.service().clock.now().getTime() + 3_600_000).toISOString()
      for (const title of ['Next', 'Later'])
        await client.posts.create({ title, status: 'scheduled', scheduled_at: inAnHour })
      await scene.service().drain()
      for (let number = 1; number <= 40; number += 1)
        await client.sites.create({
          name: `Site ${number}`,
          url: 'http://localhost:9',
          webhook_url: 'http://localhost:9/',
        })
      const [delivery] = (await client.deliveries.list()).data
      await context.addInitScript(() => {
        const shifts = { total: 0 }
        Object.assign(window, { shifts })
        new PerformanceObserver((list) => {
          for (const { value, hadRecentInput } of list.getEntries() as Shift[])
            if (!hadRecentInput) shifts.total += value
        }).observe({ type: 'layout-shift', buffered: true })
      })
      let asked = 0
      await page.route('**/api/**', async (route) => {
        const place = asked++
        if (route.request().url().endsWith('/api/events')) return route.continue()
        await setTimeout(APART_MS * (order === 'first' ? place : Math.max(0, MOST_ANSWERS - place)))
        await route.continue()
      })
      const moved: Record<string, number> = {}
      for (const address of [
        '/',
        '/posts',
        `/posts/${id}`,
        '/posts/generate',
        '/deliveries',
        `/deliveries/${delivery?.id}`,
        '/sites',
        '/sites/new',
        `/sites/${siteId}`,
        '/analytics',
        '/account',
      ]) {
        asked = 0
        await page.goto(address)
        await page.getByRole('heading', { level: 1 }).first().waitFor()
        // All that the screen asks for has come once nothing of it is a placeholder any more.
        await expect.poll(() => page.locator('.animate-breathe, [aria-busy="true"]').count()).toBe(0)
        const total = await page.evaluate(() => (window as unknown as { shifts: { total: number } }).shifts.total)
        if (total > MOST) moved[address] = total
      }
      expect(moved).toEqual({})
    },
  )
})
