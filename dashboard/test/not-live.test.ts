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
    await page.getByText('Accepts changes, but does not show them').waitFor()
    await page.getByRole('link', { name: '1 post not live: see which' }).waitFor()
    await expectAccessible(page)
    await page.goto('/sites')
    await page.getByText('1 post not live').waitFor()
    await page.getByRole('link', { name: 'Kitchen' }).click()
    await page.getByText('One page is not up to date here.').waitFor()
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

  it('by a host that builds is not said to be there before it is, nor gone before it is gone', async () => {
    const { page, client } = await newPerson(scene)
    const web = await startWebsite()
    onTestFinished(web.close)
    const { siteId } = await connect(client, 'Static')
    const post_url = `${web.url}/blog/{slug}`
    await client.sites.update(siteId, { url: web.url, post_url, kind: 'build_hook', verify: true })
    const { id } = await client.posts.create({ title: 'Rye bread', body: { markdown: 'Words.' } })
    await page.goto(`/posts/${id}`)
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Publish' }).click()
    await dialog.getByRole('button', { name: 'Publish to 1 site' }).click()
    await seesDone(scene, dialog.getByRole('heading', { name: 'The build has started' }))
    await dialog
      .getByText(
        'The host is building the site. Postrider checks until the page shows it; if it takes long, look at the builds at the host.',
      )
      .waitFor()
    expect(await dialog.getByRole('link', { name: 'View on site' }).count()).toBe(0)
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Done' }).click()
    web.answer({ '/blog/rye-bread': { body: html('<title>Rye bread</title>') } })
    await scene.service().advance(5_000)
    await seesLive(scene, page.getByText(/^Live\. Delivered/))

    await client.posts.update(id, { title: 'Rye' })
    await page.reload()
    await seesLive(scene, page.getByText(/^Waits for the next build, in/))
    await scene.service().advance(MINUTE)
    await client.posts.update(id, { status: 'draft' })
    await scene.service().advance(MINUTE)
    await page.reload()
    await page.getByText('1 site may still show it. Its removal is under way.').waitFor()
    await page
      .getByText(
        'The host is building the site. Postrider checks until the page is gone; if it takes long, look at the builds at the host.',
      )
      .waitFor()
    for (const ms of [5_000, 55_000, 4 * MINUTE, 25 * MINUTE]) await scene.service().advance(ms)
    await page.reload()
    await page.getByText('1 site may still show it.', { exact: true }).waitFor()
    await page
      .getByText(/^Removed, but still there\. The page still shows the post\. The build may have failed/)
      .waitFor()
    await expectAccessible(page)
    web.answer({})
    await page.getByRole('button', { name: 'Check again: Rye on Static' }).click()
    await seesDone(scene, page.getByText('Only you can see it. It is gone from 1 site.'))
  })
})
