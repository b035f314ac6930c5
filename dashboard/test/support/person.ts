/** Somebody with an account, at a browser and at the API. */
import { createClient, type PostriderClient } from '@postrider/sdk'
import type { Page } from 'playwright-core'
import type { Scene, Visitor } from './browser.ts'

const PASSWORD = 'correct horse'
let people = 0

/** `client` is the same account over the API, such as another program that uses it. */
export type Person = Visitor & { email: string; client: PostriderClient }

/** Registers somebody over the API and signs them in in a browser of their own. */
export async function newPerson(scene: Scene, options: Parameters<Scene['visit']>[0] = {}): Promise<Person> {
  const client = createClient({ baseUrl: scene.service().url })
  people += 1
  const email = `writer-${process.pid}-${people}@example.com`
  await client.auth.register({ name: 'Ada Lovelace', email, password: PASSWORD })
  return { ...(await visitAs(scene, email, options)), email, client }
}

/** Another browser of the same person. */
async function visitAs(scene: Scene, email: string, options: Parameters<Scene['visit']>[0] = {}): Promise<Visitor> {
  const visitor = await scene.visit(options)
  await visitor.page.goto('/sign-in')
  await signIn(visitor.page, email)
  await visitor.page.getByRole('heading', { name: 'Hello, Ada' }).waitFor()
  return visitor
}

async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Answers the dialog that asks for the password again. */
export async function signInAgain(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await dialog.getByLabel('Password').fill(PASSWORD)
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
}
