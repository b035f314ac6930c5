/** The account's page. */
import { createClient } from '@postrider/sdk'
import { expect, it } from 'vitest'
import { startService } from '../../server/test/support/service.ts'
import { describeInBrowser, expectAccessible } from './support/browser.ts'
import { newPerson } from './support/person.ts'

describeInBrowser('the account', (scene) => {
  it('shows the plan and what programs have used of it', async () => {
    const limited = await startService({ RATE_LIMIT_STARTER: '100/h' })
    const client = createClient({ baseUrl: limited.url })
    const credentials = { email: 'ada@example.com', password: 'correct horse' }
    await client.auth.register({ name: 'Ada Lovelace', ...credentials })
    await client.posts.list()
    await client.sites.list()
    const { page } = await scene.visit()
    await page.goto(`${limited.url}/sign-in`)
    await page.getByLabel('E-mail').fill(credentials.email)
    await page.getByLabel('Password').fill(credentials.password)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Ada Lovelace' }).click()
    await page.getByRole('menuitem', { name: 'Account' }).click()
    await page.getByText(credentials.email).last().waitFor()
    const { limit, remaining } = (await client.account()).limits.management ?? { limit: 0, remaining: 0 }
    await page.reload()
    await page.getByText(`${limit - remaining} of 100 used`).waitFor()
    expect(await page.getByRole('meter', { name: 'Requests' }).getAttribute('value')).toBe(String(limit - remaining))
    await page.getByText('No language model', { exact: true }).waitFor()
    await limited.stop()
  })

  it('changes the password, which signs out everybody else', async () => {
    const { page, client, email } = await newPerson(scene)
    await page.goto('/account')
    const [current, next] = [page.getByLabel('Current password'), page.getByLabel('New password')]
    const change = page.getByRole('button', { name: 'Change password' })
    await current.fill('not the one')
    await next.fill('battery staple')
    await change.click()
    await page.getByText('The current password is wrong.').waitFor()
    await current.fill('correct horse')
    await change.click()
    await page.getByText('You are signed in here only.').first().waitFor()
    expect([await current.inputValue(), await next.inputValue()]).toEqual(['', ''])
    await expect(client.account()).rejects.toMatchObject({ status: 401 })
    await client.auth.login({ email, password: 'battery staple' })
    // Still here, and told what changes.
    const { id } = await client.posts.create({ title: 'Written meanwhile' })
    await page.getByRole('link', { name: 'Posts' }).first().click()
    await page.getByText('Written meanwhile').waitFor()
    await client.posts.update(id, { title: 'Changed meanwhile' })
    await page.getByText('Changed meanwhile').waitFor()
  })

  it('makes tokens for programs, shows each once, and revokes them', async () => {
    const { page, client } = await newPerson(scene)
    await client.posts.create({ title: 'Seen by a program' })
    await page.goto('/account')
    await page.getByRole('button', { name: 'New token' }).click()
    await page.getByLabel('What it is for').fill('Our repository')
    await page.getByRole('combobox', { name: 'It may', exact: true }).selectOption('Only read')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Make the token' }).click()
    await page.getByText('Copy the token now').waitFor()
    await expectAccessible(page)
    const token = (await page.getByLabel('Token', { exact: true }).textContent()) ?? ''
    const program = createClient({ baseUrl: scene.service().url, token })
    expect((await program.posts.list()).data.map(({ title }) => title)).toEqual(['Seen by a program'])
    await expect(program.posts.create({ title: 'Not allowed' })).rejects.toMatchObject({ status: 403 })
    await page.reload()
    await page.getByText('reads posts · reads sites · reads figures').waitFor()
    expect(await page.getByText(token).count()).toBe(0)
    await page.getByRole('button', { name: 'Revoke Our repository' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' }) // it hides everything else from roles
    await page.getByRole('button', { name: 'Revoke Our repository' }).waitFor({ state: 'detached' })
    await expect(program.posts.list()).rejects.toMatchObject({ status: 401 })
  })

  it('signs out everywhere, programs too, after a question', async () => {
    const { page, client } = await newPerson(scene)
    await page.goto('/account')
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.waitForURL('**/sign-in')
    await expect(client.account()).rejects.toMatchObject({ status: 401 })
    await page.goto('/account')
    await page.waitForURL('**/sign-in?next=%2Faccount')
  })
})
