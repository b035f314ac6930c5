/** What changes elsewhere appears by itself. */
import { expect, it } from 'vitest'
import { describeInBrowser } from './support/browser.ts'
import { newPerson } from './support/person.ts'

describeInBrowser('live updates', (scene) => {
  it('come through one stream, which a page that nobody sees lets go of', async () => {
    const { page, client } = await newPerson(scene)
    const streams: string[] = []
    page.on('request', (request) => request.url().endsWith('/api/events') && streams.push('begins'))
    page.on('requestfailed', (request) => request.url().endsWith('/api/events') && streams.push('ends'))
    await page.clock.install()
    await page.goto('/')
    await page.getByText('No site is connected yet').waitFor()
    await client.sites.create({
      name: 'Journal',
      url: 'https://journal.example',
      webhook_url: 'https://journal.example/in',
    })
    await page.getByText('Journal').waitFor()
    expect(streams).toEqual(['begins'])

    const look = (state: string) =>
      page.evaluate((visibilityState) => {
        Object.defineProperty(document, 'visibilityState', { value: visibilityState, configurable: true })
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
      }, state)
    await look('hidden')
    await page.clock.runFor(30_000)
    await expect.poll(() => streams).toEqual(['begins', 'ends'])
    await client.sites.create({
      name: 'Kitchen',
      url: 'https://kitchen.example',
      webhook_url: 'https://kitchen.example/in',
    })
    await look('visible')
    await page.getByText('Kitchen').waitFor()
    expect(streams).toEqual(['begins', 'ends', 'begins'])
  })
})
