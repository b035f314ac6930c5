/** Coming in, going out, and what happens when a session ends in between. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser, expectAccessible } from './support/browser.ts'

const PASSWORD = 'correct horse'
let people = 0
const newEmail = () => `visitor-${++people}@example.com`

async function signUp(page: Page, email = newEmail()): Promise<string> {
  await page.goto('/sign-up')
  await page.getByLabel('Name').fill('Ada Lovelace')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('heading', { name: 'Hello, Ada' }).waitFor()
  return email
}

describeInBrowser('a session', ({ service, visit }) => {
  it('begins with signing up, survives a reload and ends with signing out', async () => {
    const { page, context } = await visit()
    await page.goto('/')
    await page.getByRole('link', { name: 'Create one' }).click()
    await signUp(page)
    await page.reload()
    await page.getByRole('heading', { name: 'Hello, Ada' }).waitFor()
    expect(await page.evaluate(() => document.cookie)).toBe('')
    expect(JSON.stringify((await context.storageState()).origins)).not.toContain('eyJ')
    await page.getByRole('button', { name: 'Ada Lovelace' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL('**/sign-in')
    await page.goto('/')
    await page.waitForURL('**/sign-in')
  })

  it('is refused with the reason, beside the field that is to blame', async () => {
    const { page } = await visit()
    const email = await signUp(page)
    await page.context().clearCookies()
    await page.goto('/sign-up')
    await page.getByLabel('Name').fill('Somebody else')
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('This e-mail address is already registered').waitFor()
    expect(await page.getByLabel('E-mail').getAttribute('aria-invalid')).toBe('true')
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Sign in' }).click()
    // Both forms have an e-mail address and a password.
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill('wrong horse')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').getByText('The e-mail address or the password is wrong').waitFor()
    await page.getByLabel('Password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Hello, Ada' }).waitFor()
  })

  it('leads to where somebody wanted to go, and never to another site', async () => {
    const { page } = await visit()
    const email = await signUp(page)
    const signIn = async (address: string) => {
      await page.context().clearCookies()
      await page.goto(address)
      await page.getByLabel('E-mail').fill(email)
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('button', { name: 'Ada Lovelace' }).waitFor()
      return page.url()
    }
    expect(await signIn('/?range=7d')).toBe(`${service().url}/?range=7d`)
    for (const elsewhere of ['//example.com/', 'https://example.com/', '/\\example.com']) {
      expect(await signIn(`/sign-in?next=${encodeURIComponent(elsewhere)}`)).toBe(`${service().url}/`)
    }
  })

  it('of somebody else ends what the other pages do, and gets none of it', async () => {
    const { page, context } = await visit()
    await signUp(page)
    const attempts: string[] = []
    await context.route('**/api/posts', (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      attempts.push(route.request().url())
      return route.abort()
    })
    await page.goto('/posts/new')
    await page.getByLabel('Title', { exact: true }).fill('A secret of Ada')
    await page.getByText('Offline, kept in this browser').waitFor()

    const other = await context.newPage()
    await other.goto('/')
    await other.evaluate(() => fetch('/api/auth/logout', { method: 'POST' }))
    const again = page.waitForEvent('load')
    await signUp(other)
    const before = attempts.length
    await again
    await page.getByLabel('Title', { exact: true }).waitFor()
    expect(await page.getByLabel('Title', { exact: true }).inputValue()).toBe('')
    await page.waitForTimeout(6_000) // longer than it waits before it saves again
    expect(attempts).toHaveLength(before)
    expect(await page.getByText('A secret of Ada').count()).toBe(0)
    expect(await page.evaluate(() => JSON.stringify(localStorage))).toContain('A secret of Ada')
  })

  it('has no gate for whoever is inside', async () => {
    const { page } = await visit()
    await signUp(page)
    for (const gate of ['sign-in', 'sign-up']) {
      await page.goto(`/${gate}`)
      await page.getByRole('heading', { name: 'Hello, Ada' }).waitFor()
      expect(page.url()).toBe(`${service().url}/`)
      await page.goto(`/${gate}?next=${encodeURIComponent('/posts?status=draft')}`)
      await page.getByRole('heading', { name: 'Posts' }).waitFor()
      expect(page.url()).toBe(`${service().url}/posts?status=draft`)
    }
  })

  it('that ends elsewhere asks for the password over the page as it is', async () => {
    const { page } = await visit()
    const email = await signUp(page)
    const elsewhere = await visit()
    await elsewhere.page.goto('/sign-in')
    await elsewhere.page.getByLabel('E-mail').fill(email)
    await elsewhere.page.getByLabel('Password').fill(PASSWORD)
    await elsewhere.page.getByRole('button', { name: 'Sign in' }).click()
    await elsewhere.page.getByRole('heading', { name: 'Hello, Ada' }).waitFor()
    expect(
      await elsewhere.page.evaluate(
        async () => (await fetch('/api/auth/logout-everywhere', { method: 'POST' })).status,
      ),
    ).toBe(204)
    // The page reads again when somebody comes back to it.
    service().clock.advance(60_000)
    await page.clock.install()
    await page.clock.fastForward(120_000)
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    expect(await dialog.isVisible()).toBe(true)
    await dialog.getByLabel('Password').fill('wrong horse')
    await page.keyboard.press('Enter')
    await dialog.getByText('The e-mail address or the password is wrong').waitFor()
    await dialog.getByLabel('Password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    expect(await page.getByRole('heading', { name: 'Hello, Ada' }).isVisible()).toBe(true)
  })
})

describeInBrowser('the frame', ({ visit }) => {
  it('is worked by keyboard', async () => {
    const { page } = await visit()
    await signUp(page)
    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keyboard' })
    await help
      .getByRole('listitem')
      .filter({ hasText: /^Search/ })
      .waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await help.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Search' })
    for (const words of ['new post', 'connect', 'password', 'sign out']) {
      await palette.getByRole('combobox').fill(words)
      await palette
        .getByRole('option', { name: new RegExp(words, 'i') })
        .first()
        .waitFor()
    }
    // Words inside of other words are not meant: this is no "automatic".
    await palette.getByRole('combobox').fill('tomat')
    await expect.poll(() => palette.getByRole('option').count()).toBe(0)
    await palette.getByRole('combobox').fill('keyboard')
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    await help.waitFor()
  })

  it('keeps the chosen appearance, before anything is painted', async () => {
    const { page } = await visit({ theme: 'light' })
    await signUp(page)
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const light = await paper()
    await page.getByRole('button', { name: 'Ada Lovelace' }).click()
    await page.getByRole('menuitemradio', { name: 'Dark' }).click()
    expect(await paper()).not.toBe(light)
    await page.reload({ waitUntil: 'commit' })
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark')
  })

  it('says so when there is nothing at an address', async () => {
    const { page } = await visit()
    await page.goto('/no-such-page')
    await page.getByRole('heading', { name: 'There is nothing at this address' }).waitFor()
    expect(await page.title()).toBe('There is nothing at this address · Postrider')
  })
})

describeInBrowser(
  'where registration is closed',
  ({ visit }) => {
    it('nobody is offered an account, and the page for it says who makes them', async () => {
      const { page } = await visit()
      await page.goto('/sign-in')
      await page.getByText('The operator of this service can create an account for you').waitFor()
      expect(await page.getByRole('link', { name: 'Create one' }).count()).toBe(0)
      await page.goto('/sign-up')
      await page.getByText('Registration is closed').waitFor()
      expect(await page.getByRole('textbox').count()).toBe(0)
      await expectAccessible(page)
    })
  },
  async () => ({ REGISTRATION: 'closed' }),
)
