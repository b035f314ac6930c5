/** Sites: connecting one before a receiver that works and one that does not, and what can be done to it afterwards. */
import { connectionCode } from '@postrider/sdk'
import { expect, it, onTestFinished } from 'vitest'
import { startSampleSite } from '../../integrations/sample-site/src/sample-site.ts'
import { type Answer, startReceiver } from '../../server/test/support/receiver.ts'
import { connectSite } from '../../server/test/support/service.ts'
import { startWebsite, sveltekit } from '../../server/test/support/websites.ts'
import { describeInBrowser, expectAccessible } from './support/browser.ts'
import { newPerson, signInAgain } from './support/person.ts'

describeInBrowser('connecting a site', (scene) => {
  it('goes from its address to the code and a test, whatever the site answers', async () => {
    const { page, client, context } = await newPerson(scene)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const website = await startWebsite(sveltekit)
    const receiver = await startReceiver()
    await page.goto('/sites')
    await page.getByText('No site is connected yet').waitFor()
    await page.getByRole('link', { name: 'Connect a site' }).click()

    const address = page.getByLabel('Address', { exact: true })
    await address.fill('kitchen')
    await page.keyboard.press('Enter')
    await page.getByText('This is not the address of a site.').waitFor()
    await address.fill(website.url)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('It is made with SvelteKit.').waitFor()
    await expect
      .poll(() => page.getByLabel('Made with').evaluate((field) => field === document.activeElement))
      .toBe(true)
    const webhook = page.getByLabel('Webhook address')
    expect(await webhook.inputValue()).toBe(`${website.url}/api/postrider`)
    await page.getByLabel('Made with').selectOption('WordPress')
    expect(await webhook.inputValue()).toBe(`${website.url}/wp-json/postrider/v1/webhook`)
    await page.getByLabel('Made with').selectOption('SvelteKit')
    await webhook.fill('ftp://kitchen.example/hook')
    await page.getByLabel('Name').fill('Kitchen notes')
    await page.getByRole('button', { name: 'Connect the site' }).click()
    await page.getByText('The webhook address must be an absolute http or https address.').waitFor()
    await webhook.fill('http://10.1.2.3/hook')
    await page.getByRole('button', { name: 'Connect the site' }).click()
    await page.getByText('This address cannot receive webhooks').waitFor()
    await webhook.fill(receiver.url)
    // The page sends a test by itself, and again until one succeeds.
    const broken: Answer = (_, response) => response.writeHead(500).end('TypeError: posts is not defined')
    receiver.answerNext(...Array.from({ length: 30 }, () => broken))
    await page.getByRole('button', { name: 'Connect the site' }).click()

    await page.getByRole('heading', { name: 'The receiver' }).waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main')
    const done = page.getByRole('list', { name: 'Steps' }).getByRole('listitem').filter({ hasText: '(done)' })
    expect(await done.allTextContents()).toEqual(['The site (done)'])
    const [site] = (await client.sites.list()).sites
    const { id = '', api_key: key, webhook_secret: secret } = await client.sites.get(site?.id ?? '')
    const code = connectionCode({ url: new URL(page.url()).origin, site: id, key, secret })
    const settings = page.getByRole('figure').filter({ hasText: '.env' })
    expect(await settings.textContent()).not.toContain(code)
    await settings.getByRole('button', { name: 'Copy the code' }).click()
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(`POSTRIDER_CONNECTION=${code}\n`)
    await page.getByRole('button', { name: 'Show the secrets' }).click()
    expect(await settings.textContent()).toContain(code)
    await page.getByText('src/routes/api/postrider/+server.ts').waitFor()

    // It survives a reload, with the choice.
    await page.getByLabel('Your site is made with').selectOption('Hono')
    await page.reload()
    await page.getByText('server.ts', { exact: true }).waitFor()
    expect(await page.getByText('npm install hono').count()).toBe(1)

    await page.getByText('Waiting for your site.').waitFor()
    await page.getByText('Your site answered 500, after').waitFor()
    await page.getByText('it failed while handling the webhook. Look at its log.').waitFor()
    await page.getByText('TypeError: posts is not defined').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Stop waiting' }).click()
    expect(await page.getByText('Waiting for your site.').count()).toBe(0)
    receiver.forgetAnswers()
    receiver.answerNext((_, response) => response.end('The test arrived.'))
    await page.getByRole('button', { name: 'Send another test' }).click()
    await page.getByText('The site answered 200, but did not say that it keeps posts.').waitFor()
    await page.getByText('The test arrived.', { exact: true }).waitFor()
    await expect.poll(() => done.count()).toBe(3)
    receiver.answerNext((_, response) => response.end('{"ok":true,"store":"files"}'))
    await page.getByRole('button', { name: 'Send another test' }).click()
    await page.getByText('It keeps posts in files.').waitFor()
    await receiver.close()
    await page.getByRole('button', { name: 'Send another test' }).click()
    await page.getByText('Connection refused, after').waitFor()
    await page.getByText('Nothing listens at the webhook address.').waitFor()
    await website.close()
  })

  it('offers the sample site, waits until it runs, and publishes a first post on it', async () => {
    const { page, client, context } = await newPerson(scene)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    // Asked for a second time it is the same one.
    for (const _ of ['first', 'second']) {
      await page.goto('/sites/new')
      await page.getByRole('button', { name: 'Use the sample site' }).click()
      await page.getByText('Waiting for the sample site').waitFor()
    }
    const { sites, total } = await client.sites.list()
    const [{ id } = { id: '' }] = sites
    expect(total).toBe(1)
    const { webhook_secret: secret } = await client.sites.get(id)
    expect(await page.content()).not.toContain(secret)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Copy the code' }).click()
    const command = () => page.evaluate(() => navigator.clipboard.readText())
    await expect.poll(command).toMatch(/^POSTRIDER_SECRET=\S+ POSTRIDER_KEY=\S+ POSTRIDER_URL=\S+ npm run sample-site$/)

    const sample = await startSampleSite() // on a port that is free here
    onTestFinished(sample.close)
    sample.setSecret(/SECRET=(\S+)/.exec(await command())?.[1] ?? '')
    await client.sites.update(id, { url: sample.url, webhook_url: sample.webhookUrl })
    await page.getByText('The sample site answers.').waitFor()
    await page.getByRole('button', { name: 'Publish a welcome post' }).click()
    const link = page.getByRole('link', { name: 'See it on the sample site' })
    await link.waitFor()
    await expectAccessible(page)
    await scene.service().drain()
    const { pathname } = new URL((await link.getAttribute('href')) ?? '')
    expect(await (await fetch(sample.url + pathname)).text()).toContain('<h1 dir="auto">Hello from Postrider</h1>')
  })

  it('tells that it is connected already, and connects it all the same', async () => {
    const { page, client } = await newPerson(scene)
    const receiver = await startReceiver()
    const { id } = await connectSite(client, receiver, 'Kitchen notes')
    await page.goto('/sites/new')
    await page.getByLabel('Address', { exact: true }).fill('127.0.0.1:1')
    await page.keyboard.press('Enter')
    await page.getByText('The site cannot be looked at').waitFor()
    const twin = page.getByRole('status').filter({ hasText: 'This site seems to be connected already' })
    expect(await twin.count()).toBe(0)
    await page.getByLabel('Webhook address').fill(receiver.url)
    await twin.getByText('Connected twice, the site gets every post twice.').waitFor()
    expect(await twin.getByRole('link', { name: 'Kitchen notes' }).getAttribute('href')).toBe(`/sites/${id}`)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Connect the site' }).click()
    await page.getByRole('heading', { name: 'The receiver' }).waitFor()
    expect((await client.sites.list()).total).toBe(2)
    await receiver.close()
  })
})

describeInBrowser('many sites', (scene) => {
  it('are found by their name, address and platform', async () => {
    const { page, client } = await newPerson(scene)
    const receiver = await startReceiver()
    for (let n = 10; n > 1; n -= 1) await connectSite(client, receiver, `Garden ${n}`)
    await page.goto('/sites')
    await page.getByText('9 connected sites').waitFor()
    expect(await page.getByRole('searchbox').count()).toBe(0)
    await connectSite(client, receiver, 'Kitchen notes')
    await page.reload()
    const cards = page.getByRole('main').getByRole('listitem')
    await page.getByText('10 connected sites').waitFor()
    expect(await cards.getByRole('heading').allTextContents()).toEqual([
      ...Array.from({ length: 9 }, (_, index) => `Garden ${index + 2}`),
      'Kitchen notes',
    ])
    await page.keyboard.press('/')
    await page.keyboard.type('OTHER kitch')
    await expect.poll(() => cards.count()).toBe(1)
    expect(new URL(page.url()).searchParams.get('search')).toBe('OTHER kitch')
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Kitchen notes' }).waitFor()
    await page.goBack()
    await expect.poll(() => cards.count()).toBe(1)
    await page.getByRole('searchbox').fill('cellar')
    await page.getByText('No site matches').waitFor()
    await page.getByRole('button', { name: 'Show all sites' }).click()
    await expect.poll(() => cards.count()).toBe(10)
    await receiver.close()
  })

  it('are found by how they are', async () => {
    const { page, client } = await newPerson(scene)
    const receiver = await startReceiver()
    for (let n = 1; n <= 10; n += 1) {
      const site = await connectSite(client, receiver, `Garden ${n}`)
      if (n === 3) await client.sites.update(site.id, { status: 'inactive' })
    }
    await page.goto('/sites')
    const cards = page.getByRole('main').getByRole('listitem')
    await expect.poll(() => cards.count()).toBe(10)
    await page.getByRole('link', { name: 'Paused' }).click()
    await expect.poll(() => cards.getByRole('heading').allTextContents()).toEqual(['Garden 3'])
    await page.getByRole('link', { name: 'Nothing arrived yet' }).click()
    await expect.poll(() => cards.count()).toBe(9)
    await page.getByRole('searchbox').fill('garden 3')
    await page.getByText('No site in this state has these words').waitFor()
    expect(page.url()).toContain('state=new')
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Failing' }).click()
    await page.getByText('No site is in this state now.').waitFor()
    await page.getByRole('button', { name: 'Show all sites' }).click()
    await expect.poll(() => cards.count()).toBe(10)
    await receiver.close()
  })
})

describeInBrowser('a static site', (scene) => {
  it('is connected by the deploy hook of its host, which stays hidden', async () => {
    const { page, client } = await newPerson(scene)
    const website = await startWebsite(sveltekit)
    const host = await startReceiver()
    onTestFinished(website.close)
    onTestFinished(host.close)
    await page.goto('/sites/new')
    await page.getByLabel('Address', { exact: true }).fill(website.url)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('Made with').selectOption({ value: 'build_hook' })
    await page.getByLabel('Deploy hook').fill(host.url)
    await page.getByRole('button', { name: 'Connect the site' }).click()
    await page.getByText('POSTRIDER_CONNECTION=prc_•').waitFor()
    expect(host.received).toEqual([]) // a build is not started unasked
    await expectAccessible(page)
    host.answerNext(201, 404)
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('It builds the site now.').waitFor()
    await page.getByRole('link', { name: 'See the site' }).click()

    await page.getByLabel('Seconds between builds').fill('120')
    await page.getByLabel('Address of a post').fill(`${website.url}/{slug}`)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The settings are saved.').first().waitFor()
    const [site] = (await client.sites.list()).sites
    expect(site).toMatchObject({ kind: 'build_hook', debounce_seconds: 120, post_url: `${website.url}/{slug}` })
    expect(await client.sites.get(site?.id ?? '')).toMatchObject({ webhook_url: host.url })
    expect(await page.content()).not.toContain(host.url)
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await page.getByText(host.url, { exact: true }).waitFor()
    await expectAccessible(page)
  })
})

describeInBrowser('a site that is not set up', (scene) => {
  it('is tested until it answers, and is shown as not working until then', async () => {
    const { page, client } = await newPerson(scene)
    const receiver = await startReceiver()
    onTestFinished(receiver.close)
    const site = await connectSite(client, receiver, 'Kitchen notes')
    const message = 'The site cannot keep posts in files: the disk is full.'
    receiver.answerNext((_, response) => response.writeHead(503).end(JSON.stringify({ ok: false, message })))
    receiver.answerNext((_, response) => response.end('{"ok":true,"store":"PostgreSQL"}'))
    await page.goto(`/sites/new?site=${site.id}`)
    await page.getByText(message, { exact: true }).waitFor()
    await page.getByText('It keeps posts in PostgreSQL.').waitFor() // by itself
    receiver.answerNext((_, response) => response.writeHead(503).end(JSON.stringify({ ok: false, message })))
    await client.sites.testDelivery(site.id)
    await page.goto('/sites')
    await page.getByRole('listitem').getByText('Not working yet').waitFor()
    await page.getByRole('link', { name: 'Kitchen notes' }).click()
    await page.getByText('This site does not work yet.').waitFor()
    await page.getByText(message, { exact: true }).waitFor()
    await expectAccessible(page)
    await client.posts.create({ title: 'Bread', status: 'published' })
    await scene.service().drain()
    await page.reload()
    await page.getByText('Receiving', { exact: true }).first().waitFor()
    expect(await page.getByText('The last test failed.').count()).toBe(0)
  })
})

describeInBrowser('a site', (scene) => {
  async function connected() {
    const person = await newPerson(scene)
    const receiver = await startReceiver()
    const site = await connectSite(person.client, receiver, 'Kitchen notes')
    await person.page.goto(`/sites/${site.id}`)
    await person.page.getByRole('heading', { name: 'Kitchen notes' }).waitFor()
    return { ...person, receiver, site }
  }

  it('is sent earlier posts on request, after they were counted', async () => {
    const { page, client } = await newPerson(scene)
    const receiver = await startReceiver()
    onTestFinished(receiver.close)
    for (const title of ['One', 'Two', 'Three']) await client.posts.create({ title, status: 'published' })
    const site = await connectSite(client, receiver, 'Kitchen notes')
    await page.goto(`/sites/${site.id}`)
    await page.getByText('3 published posts never arrived here').waitFor()
    await page.getByRole('button', { name: 'Send all earlier posts to this site' }).click()
    await page.getByText('0 of 3 posts have arrived.').waitFor()
    await expectAccessible(page)
    await scene.service().drain()
    await page.getByText('All 3 posts have arrived.').waitFor()
    expect(receiver.received).toHaveLength(3)
    await page.reload()
    await page.getByText('Every published post that belongs on this site has been delivered to it.').waitFor()
  })

  it('shows its secrets when asked, and replaces them after a warning', async () => {
    const { page, client, receiver, site } = await connected()
    expect(await page.content()).not.toContain(site.webhook_secret)
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await page.getByText(site.webhook_secret).waitFor()
    await page.getByRole('button', { name: 'Replace both' }).click()
    const dialog = page.getByRole('dialog', { name: 'Replace the keys?' })
    await dialog.getByText('at once').waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    expect((await client.sites.get(site.id)).webhook_secret).toBe(site.webhook_secret)
    await page.getByRole('button', { name: 'Replace both' }).click()
    await dialog.getByRole('button', { name: 'Replace both keys' }).click()
    await page.getByText('have stopped working').waitFor()
    const fresh = await client.sites.get(site.id)
    expect(fresh.webhook_secret).not.toBe(site.webhook_secret)
    await page.getByText(fresh.webhook_secret).waitFor()
    await page.getByText(fresh.api_key).waitFor()
    expect(await page.getByText(site.api_key).count()).toBe(0)
    await receiver.close()
  })

  it('is paused and resumed, and shows what went to it', async () => {
    const { page, client, receiver, site } = await connected()
    const { drain } = scene.service()
    await client.posts.create({ title: 'Bread', status: 'published' })
    await drain()
    await page.reload()
    const deliveries = page.getByRole('table', { name: 'Deliveries to this site' })
    await deliveries.getByRole('row', { name: /Bread.*Delivered/ }).waitFor()
    await page.getByRole('link', { name: 'All deliveries' }).click()
    await page.waitForURL(`**/deliveries?site=${site.id}`)
    await page.goBack()
    const active = page.getByRole('switch', { name: /^Active/ })
    await active.click()
    await page.getByText('The site is paused.').first().waitFor()
    await expect.poll(async () => (await client.sites.get(site.id)).status).toBe('inactive')
    await page.getByRole('heading', { name: /Kitchen notes.*Paused/ }).waitFor()
    await client.posts.create({ title: 'Butter', status: 'published' })
    await drain()
    expect(receiver.received).toHaveLength(1)
    await active.click()
    await page.getByText('The site is active again.').first().waitFor()
    await expect.poll(async () => (await client.sites.get(site.id)).status).toBe('active')
    await receiver.close()
  })

  it('has settings, of which only what was changed is sent', async () => {
    const { page, client, receiver, site } = await connected()
    await page.getByLabel('Webhook address').fill('https://10.0.0.1/hook')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('This address cannot receive webhooks').waitFor()
    await page.getByLabel('Webhook address').fill(receiver.url)
    await page.getByLabel('Name', { exact: true }).fill('Kitchen and garden')
    await client.sites.update(site.id, { niche: 'Set elsewhere' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: /Kitchen and garden/ }).waitFor()
    expect(await client.sites.get(site.id)).toMatchObject({ name: 'Kitchen and garden', niche: 'Set elsewhere' })
    await receiver.close()
  })

  it('keeps what is typed in its settings while it cannot be read again', async () => {
    const { page, client, receiver, site } = await connected()
    await page.getByLabel('Webhook address').fill('https://example.com/half-typed')
    let refused = 0
    await page.route('**/api/sites', (route) => {
      refused += 1
      return route.abort()
    })
    await client.sites.update(site.id, { niche: 'Set elsewhere' })
    // Live updates say that there is something to read, and the SDK asks three times.
    await expect
      .poll(() => {
        scene.service().clock.advance(50)
        return refused
      })
      .toBeGreaterThan(2)
    await page.waitForTimeout(500)
    expect(await page.getByLabel('Webhook address').inputValue()).toBe('https://example.com/half-typed')
    await receiver.close()
  })

  it('says in a dialog what keeps it from being disconnected, and asks to sign in again', async () => {
    const { page, client, context } = await newPerson(scene)
    const { id } = await client.sites.create({
      name: 'Journal',
      url: 'https://journal.example',
      webhook_url: 'https://journal.example/in',
    })
    await page.goto(`/sites/${id}`)
    await page.getByRole('button', { name: 'Disconnect the site' }).click()
    const dialog = page.getByRole('dialog', { name: 'Disconnect Journal?' })
    await context.setOffline(true)
    await dialog.getByRole('button', { name: 'Disconnect' }).click()
    await dialog.getByText('The service cannot be reached').waitFor()
    await context.setOffline(false)
    // Nothing else is to notice it first.
    await context.route('**/api/events*', (route) => route.abort())
    await context.clearCookies()
    await dialog.getByRole('button', { name: 'Disconnect' }).click()
    await signInAgain(page)
    await dialog.getByRole('button', { name: 'Disconnect' }).click()
    await page.getByText('Journal is disconnected.').first().waitFor()
  })

  it('is disconnected after a question', async () => {
    const { page, client, receiver, site } = await connected()
    await page.getByRole('button', { name: 'Disconnect the site' }).click()
    await expectAccessible(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
    await page.getByText('No site is connected yet').waitFor()
    expect((await client.sites.list()).total).toBe(0)
    await page.goto(`/sites/${site.id}`)
    await page.getByRole('heading', { name: 'There is no such site' }).waitFor()
    await expectAccessible(page)
    await receiver.close()
  })
})
