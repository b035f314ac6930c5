/** Somebody with an account, at a browser and at the API. */
import { createClient, type PostriderClient } from '@postrider/sdk'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Scene, Visitor } from './browser.ts'

const PASSWORD = 'correct horse'
let people = 0

/** `client` is the same account over the API, such as another program that uses it. */
export type Person = Visitor & { email: string; client: PostriderClient }

/** Registers somebody over the API and signs them in; their browser is at no page yet. */
export async function newPerson(scene: Scene, options: Parameters<Scene['visit']>[0] = {}): Promise<Person> {
  const { url } = scene.service()
  const client = createClient({ baseUrl: url })
  people += 1
  const email = `writer-${process.pid}-${people}@example.com`
  await client.auth.register({ name: 'Ada Lovelace', email, password: PASSWORD })
  const visitor = await scene.visit(options)
  const data = { email, password: PASSWORD, session: 'cookie' }
  // A session is begun only by the service's own pages, and this is none.
  const begun = await visitor.context.request.post('/api/auth/login', { data, headers: { origin: url } })
  expect(begun.status()).toBe(204)
  return { ...visitor, email, client }
}

/** Answers the dialog that asks for the password again. */
export async function signInAgain(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await dialog.getByLabel('Password').fill(PASSWORD)
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
}
