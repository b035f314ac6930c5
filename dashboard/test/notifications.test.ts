/** Being told: the bell, the channels, and the links in mails. */
import { afterAll, expect, it } from 'vitest'
import { type MailServer, startMailServer } from '../../server/test/support/mail-server.ts'
import { describeInBrowser } from './support/browser.ts'
import { newPerson } from './support/person.ts'
import { connect } from './support/sites.ts'

let mailServer: MailServer

describeInBrowser(
  'notifications',
  (scene) => {
    afterAll(() => mailServer?.close())
    const lastLink = () => {
      const { pathname, search } = new URL(/https?:\/\/\S+/.exec(mailServer.mails.at(-1)?.text ?? '')?.[0] ?? '')
      return pathname + search
    }

    it('are turned on in a minute: an address, a link, a test', async () => {
      const { page, email } = await newPerson(scene)
      await page.goto('/')
      await page.getByRole('link', { name: 'Notifications' }).first().click()
      await page.getByText('Nothing is wrong that needs you.').waitFor()
      expect(await page.getByLabel('E-mail address').inputValue()).toBe(email)
      await page.getByRole('button', { name: 'Add' }).click()
      await page.getByText('Waiting for a yes').waitFor()
      await scene.service().drain()
      const stranger = await scene.visit()
      await stranger.page.goto(lastLink())
      await stranger.page.getByRole('button', { name: 'Yes, send me messages' }).click()
      await stranger.page.getByText('This address gets messages from now on.').waitFor()
      await scene.service().advance(1_000) // of the live updates
      await page.getByText('Waiting for a yes').waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Test' }).click()
      await page.getByText('The test message arrived.').first().waitFor()
      expect(mailServer.mails.at(-1)).toMatchObject({ to: email })
      await page.getByText('Told of 7 of 8 things').click()
      await page.getByLabel('A draft is ready').click()
      await page.getByText('Told of everything').waitFor()
    })

    it('show at the bell which sites are in trouble, and since when', async () => {
      const { page, client } = await newPerson(scene)
      const kitchen = await connect(client, 'Kitchen')
      kitchen.answerNext(503, 503, 503, 503)
      await client.posts.create({ title: 'Bread', status: 'published' })
      await scene.service().drain()
      for (const ms of [30_000, 300_000, 1_800_000]) await scene.service().advance(ms)
      await page.goto('/')
      await page
        .getByRole('link', { name: /Notifications 1 site in trouble/ })
        .first()
        .click()
      await page.getByText('Your site answered 503').waitFor()
      await page.getByRole('link', { name: '1 post missing: see and send again' }).click()
      await page.getByText('Bread').first().waitFor()
    })

    it('replace a forgotten password with a link', async () => {
      const { page, email } = await newPerson(scene)
      await page.context().clearCookies()
      await page.goto('/sign-in')
      await page.getByRole('link', { name: 'Forgotten your password?' }).click()
      await page.getByRole('heading', { name: 'Forgotten your password?' }).waitFor()
      await page.getByLabel('E-mail').fill(email)
      await page.keyboard.press('Enter')
      await page.getByText('Look into your mail').waitFor()
      await scene.service().drain()
      await page.goto(lastLink())
      await page.getByLabel('New password').fill('seven other words')
      await page.keyboard.press('Enter')
      await page.getByText('Your password is changed.').waitFor()
      await page.getByRole('link', { name: 'Sign in', exact: true }).click()
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      await page.getByLabel('E-mail').fill(email)
      await page.getByLabel('Password').fill('seven other words')
      await page.keyboard.press('Enter')
      await page.getByRole('link', { name: 'Posts' }).first().waitFor()
    })
  },
  async () => {
    mailServer = await startMailServer()
    return { SMTP_URL: mailServer.url, MAIL_FROM: 'post@example.com' }
  },
)
