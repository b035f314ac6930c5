/** The overview: the first steps of a new account, what needs somebody, what goes out next and how the month went. */
import { expect, it } from 'vitest'
import { describeInBrowser, expectAccessible } from './support/browser.ts'
import { newPerson } from './support/person.ts'
import { connect, seesLive } from './support/sites.ts'

describeInBrowser('the overview', (scene) => {
  it('leads a new account to its first post on a site, step by step', async () => {
    const { page, client } = await newPerson(scene)
    await page.goto('/')
    const now = page.locator('[aria-current="step"]')
    await now.getByRole('heading', { name: 'Connect a site' }).waitFor()
    expect(await now.getByRole('link', { name: 'Connect a site' }).getAttribute('href')).toBe('/sites/new')
    // Nothing was measured, so there are no numbers.
    await expect.poll(() => page.getByRole('definition').count()).toBe(0)
    await connect(client, 'Journal')
    await seesLive(scene, now.getByRole('heading', { name: 'Write a post' }))
    const { id } = await client.posts.create({ title: 'Hello' })
    await seesLive(scene, now.getByRole('heading', { name: 'Publish it' }))
    await client.posts.publish(id)
    await seesLive(scene, now.getByRole('heading', { name: 'See it arrive' }))
    await scene.service().drain()
    await expect
      .poll(() => {
        scene.service().clock.advance(50)
        return page.getByRole('heading', { name: 'Get your first post onto a site' }).count()
      })
      .toBe(0)
    await expect.poll(() => page.getByRole('definition').allTextContents()).toEqual(['1', '1', '0', '0'])
  })

  it('shows what to go on with, and where what has just gone out has arrived', async () => {
    const { page, client } = await newPerson(scene)
    await connect(client, 'Journal')
    const kitchen = await connect(client, 'Kitchen')
    kitchen.answerNext(500)
    await client.posts.create({ title: 'Half an idea' })
    await client.posts.create({ title: 'Gone out', status: 'published' })
    await scene.service().drain()
    await page.goto('/')
    const part = (name: string) => page.locator('section', { has: page.getByRole('heading', { name }) })
    await part('Continue writing').getByRole('link', { name: 'Half an idea' }).waitFor()
    await part('Just published').getByRole('img', { name: 'Delivered to 1 of 2 sites. Kitchen: Retrying.' }).waitFor()
    await expect
      .poll(() => part('The last 30 days').getByRole('definition').allTextContents())
      .toEqual(['1', '1', '1', '0'])
  })

  it('shows failures that need somebody, and sends them again', async () => {
    const { page, client } = await newPerson(scene)
    const journal = await connect(client, 'Journal')
    journal.answerNext(500, 500, 500, 503)
    await client.posts.create({ title: 'Lost', status: 'published' })
    await scene.service().drain()
    for (const delay of [30_000, 300_000, 1_800_000]) await scene.service().advance(delay)
    await page.goto('/')
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor()
    await page.getByText('Not on Journal: Answered 503').waitFor()
    await page.getByText(/^Failing/).waitFor()
    await page.getByRole('button', { name: 'Send again: Lost to Journal' }).click()
    await expect
      .poll(async () => {
        await scene.service().advance(50)
        return [await page.getByRole('heading', { name: 'Needs attention' }).count(), journal.received.length]
      })
      .toEqual([0, 5])
  })

  it('names a few sites that take nothing, and counts the others', async () => {
    const { page, client } = await newPerson(scene)
    const receivers = await Promise.all([...'ABCDEFG'].map((name) => connect(client, name)))
    for (const { answerNext } of receivers) answerNext(...Array.from({ length: 5 }, () => 500))
    for (const title of ['One', 'Two', 'Three', 'Four', 'Five'])
      await client.posts.create({ title, status: 'published' })
    await scene.service().drain()
    await page.goto('/')
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor()
    await expect.poll(() => page.getByText('Its last deliveries failed.').count()).toBe(5)
    await page.getByRole('link', { name: '2 more sites' }).click()
    await page.waitForURL('**/sites?state=error')
    await expect.poll(() => page.getByRole('main').getByRole('listitem').count()).toBe(7)
  })

  it('names a site that takes nothing before anything has failed for good', async () => {
    const { page, client } = await newPerson(scene)
    const journal = await connect(client, 'Journal')
    journal.answerNext(...Array.from({ length: 5 }, () => 500))
    for (const title of ['One', 'Two', 'Three', 'Four', 'Five'])
      await client.posts.create({ title, status: 'published' })
    await scene.service().drain()
    await page.goto('/')
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor()
    await page.getByText('Its last deliveries failed.').waitFor()
    await expectAccessible(page)
    await scene.service().advance(30_000)
    await seesLive(scene, page.getByText('Not delivered yet'))
    await expect
      .poll(() => {
        scene.service().clock.advance(50)
        return page.getByRole('heading', { name: 'Needs attention' }).count()
      })
      .toBe(0)
  })
})
