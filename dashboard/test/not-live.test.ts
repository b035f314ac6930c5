/** What a site accepted and does not show: seen everywhere, explained, and over once the page is there. */
import { expect, it, onTestFinished } from 'vitest'
import { html, startWebsite } from '../../server/test/support/websites.ts'
import { describeInBrowser, expectAccessible } from './support/browser.ts'
import { newPerson } from './support/person.ts'
import { connect, seesDone, seesLive } from './support/sites.ts'

const MINUTE = 60_000

describeInBrowser('a post that was accepted', (scene) => {
  it('is said to be live once its page shows it, and not to be where it does not', async () => {
    const { page, client } = await newPerson(scene)
    const web = await startWebsite()
    onTestFinished(web.close)
    const { siteId } = await connect(client, 'Kitchen')
    await client.sites.update(siteId, { url: web.url })
    await page.goto(`/sites/${siteId}`)
    await page.getByLabel('Address of a post').fill(`${web.url}/blog/{slug}`)
    await page.getByLabel('Look whether posts are live').check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The settings are saved.', { exact: true }).waitFor()
    expect(await client.sites.get(siteId)).toMatchObject({ verify: true })

    const { id } = await client.posts.create({ title: 'Rye bread', status: 'published' })
    await scene.service().drain()
    const [delivery] = (await client.deliveries.list({ post_id: id })).data
    await page.goto(`/deliveries/${delivery?.id}`)
    await page.getByText('Looking whether the page shows it').waitFor()
    for (const ms of [5_000, 55_000, 4 * MINUTE]) await scene.service().advance(ms)
    await seesLive(scene, page.getByText('Accepted, but not live'))
    const problem = 'The page answers 404: there is nothing at the address.'
    await page.getByText(problem).waitFor()
    await expectAccessible(page)

    await page.goto('/')
    const part = page.locator('section', { has: page.getByRole('heading', { name: 'Accepted, but not live' }) })
    await part.getByText(`Kitchen: ${problem}`).waitFor()
    const link = part.getByRole('link', { name: 'View on site Kitchen' })
    expect(await link.getAttribute('href')).toBe(`${web.url}/blog/rye-bread`)
    await page.getByRole('img', { name: 'Delivered to 0 of 1 site. Kitchen: Not live.' }).waitFor()
    await expectAccessible(page)
    await part.getByRole('link', { name: 'See the log' }).click()
    await page.getByRole('link', { name: 'Not live', exact: true }).and(page.locator('[aria-current]')).waitFor()
    await page.getByRole('row').getByText(problem).waitFor()
    await expectAccessible(page)
    await page.goto(`/posts/${id}`)
    await page.getByText(`Accepted, but not live. ${problem}`).waitFor()
    await page.goto('/notifications')
    await page.getByText('Accepts posts, but does not show them').waitFor()
    await page.getByRole('link', { name: '1 post not live: see which' }).waitFor()
    await expectAccessible(page)
    await page.goto('/sites')
    await page.getByText('1 post not live').waitFor()
    await page.getByRole('link', { name: 'Kitchen' }).click()
    await page.getByText('One post is not live here.').waitFor()
    await expectAccessible(page)

    // Whoever mends the site need not wait for the next look.
    web.answer({ '*': { status: 500 } })
    await page.getByRole('button', { name: 'Check again: Kitchen' }).click()
    await page.getByText('Looking at the page again.').first().waitFor()
    await page.goto('/')
    await seesDone(scene, part.getByText('Kitchen: The page answers 500.'))
    await page.getByRole('button', { name: 'Check again: Rye bread on Kitchen' }).waitFor()
    web.answer({ '/blog/rye-bread': { body: html('<title>Rye bread</title>') } })
    await page.goto(`/deliveries/${delivery?.id}`)
    await page.getByRole('button', { name: 'Check again: Rye bread on Kitchen' }).click()
    await seesDone(scene, page.getByText('Live: the page shows the post'))
    await page.goto(`/posts/${id}`)
    await page.getByText(/^Live\. Delivered/).waitFor()
    await page.goto('/')
    await page.getByText('Just published').waitFor()
    expect(await part.count()).toBe(0)
  })
})
