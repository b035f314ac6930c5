/**
 * Makes the images of the README, light and dark: `npm run screenshots`. A service on throwaway data with an account that runs three
 * sites, one of which fails. Needs Debian's chromium-headless-shell or chromium, and the built dashboard.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient, type PostriderClient } from '@postrider/sdk'
import { type Browser, chromium, type Page } from 'playwright-core'
import { type SampleSite, startSampleSite } from '../../integrations/sample-site/src/sample-site.ts'
import { CHROMIUM, hasChromium } from '../test/support/chromium.ts'

const MAIN = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url))
const IMAGES = fileURLToPath(new URL('../../docs/images', import.meta.url))
const PERSON = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'correct horse' }
const DAY_MS = 86_400_000

const TOMATOES = `Tomatoes forgive a lot, but not a hot week without a plan. What follows has kept ours alive through three dry summers.

## When to water

Early in the morning, **at the root**, and rarely but deeply: a plant that has to look for water grows the roots for it.

| Weather | Water per plant | How often |
| --- | --- | --- |
| Mild, below 24 °C | 2 litres | twice a week |
| Hot, up to 32 °C | 3 litres | every second day |
| Hotter than that | 4 litres | every morning |

- Mulch with straw, a hand deep.
- Take the lowest leaves off, so that no splash reaches them.
- Leave the side shoots on in a heat wave: they are shade.

> The soil should be moist where you cannot see it.
`

/** What the account has published, oldest first. */
const POSTS = [
  { title: 'The last night train to the coast', tags: ['travel'] },
  { title: 'Five walks that begin at a station', tags: ['travel', 'walking'] },
  { title: 'What the frost left us', tags: ['garden'] },
  { title: 'A shelf for the seed tins', tags: ['workshop'] },
]

async function startService(dataDir: string): Promise<{ url: string; child: ChildProcess }> {
  const env = { PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'error', LOG_FORMAT: 'json', RATE_LIMIT_AUTH: 'off' }
  const child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output += chunk
      const found = /http:\/\/localhost:[1-9]\d*/.exec(output)?.[0]
      if (found !== undefined) resolve(found)
    })
    child.once('exit', (code) => reject(new Error(`The service ended with ${code}.`)))
  })
  return { url, child }
}

/** Connects a site of this name; resolves with what takes its webhooks. */
async function connect(client: PostriderClient, name: string, arrived: () => void): Promise<SampleSite> {
  const site = await startSampleSite({ onWebhook: arrived })
  const { webhook_secret } = await client.sites.create({ name, url: site.url, webhook_url: site.webhookUrl })
  site.setSecret(webhook_secret)
  return site
}

/** Publishes the posts to three sites, the last one to two of them because the third fails; resolves with the sites. */
async function tellStory(client: PostriderClient): Promise<SampleSite[]> {
  let received = 0
  let wake = () => {}
  const arrived = () => {
    received += 1
    wake()
  }
  const sites = [
    await connect(client, 'Kitchen Garden', arrived),
    await connect(client, 'Slow Journeys', arrived),
    await connect(client, 'Workshop Notes', arrived),
  ]
  for (const { title, tags } of POSTS) {
    const body = { markdown: `${title}, told at length.` }
    await client.posts.create({ title, tags, body, excerpt: `${title}.`, status: 'published' })
  }
  const tomatoes = {
    title: 'How to water tomatoes in a hot summer',
    excerpt: 'Early, at the root, and rarely but deeply.',
    tags: ['garden', 'summer'],
    body: { markdown: TOMATOES },
  }
  while (received < POSTS.length * sites.length) await new Promise<void>((resolve) => (wake = resolve))
  sites[2]?.failNext(9)
  await client.posts.create({ ...tomatoes, status: 'published' })
  await client.posts.create({
    title: 'Sowing calendar for the autumn',
    body: { markdown: 'Spinach first.' },
    status: 'scheduled',
    scheduled_at: new Date(Date.now() + 3 * DAY_MS).toISOString(),
  })
  await client.posts.create({ title: 'Notes on sharpening a scythe', body: { markdown: 'A whetstone, and patience.' } })
  while (received < (POSTS.length + 1) * sites.length) await new Promise<void>((resolve) => (wake = resolve))
  return sites
}

async function signIn(page: Page, url: string): Promise<void> {
  const data = { email: PERSON.email, password: PERSON.password, session: 'cookie' }
  const answer = await page.context().request.post(`${url}/api/auth/login`, { data, headers: { origin: url } })
  if (answer.status() !== 204) throw new Error(`Signing in was answered ${answer.status()}.`)
}

async function photograph(browser: Browser, theme: 'light' | 'dark', url: string, site: SampleSite): Promise<void> {
  const context = await browser.newContext({
    colorScheme: theme,
    locale: 'en-GB',
    viewport: { width: 1120, height: 700 },
  })
  const page = await context.newPage()
  const save = (name: string) => page.screenshot({ path: join(IMAGES, `${name}-${theme}.png`), animations: 'disabled' })
  await signIn(page, url)
  await page.goto(`${url}/posts`)
  await page.getByText('How to water tomatoes').waitFor()
  await page.evaluate(() => document.fonts.ready)
  await save('dashboard')
  await page.goto(site.url)
  await page.getByRole('link', { name: 'How to water tomatoes' }).click()
  await page.getByRole('table').waitFor()
  await save('delivered')
  await context.close()
}

if (!hasChromium) throw new Error('This needs a browser: apt-get install chromium-headless-shell')
const dataDir = await mkdtemp(join(tmpdir(), 'postrider-screenshots-'))
const { url, child } = await startService(dataDir)
const client = createClient({ baseUrl: url })
await client.auth.register(PERSON)
const sites = await tellStory(client)
const [shown] = sites
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
try {
  await mkdir(IMAGES, { recursive: true })
  if (shown !== undefined) for (const theme of ['light', 'dark'] as const) await photograph(browser, theme, url, shown)
} finally {
  await browser.close()
  child.kill('SIGTERM')
  await once(child, 'exit')
  await Promise.all(sites.map((site) => site.close()))
  await rm(dataDir, { recursive: true, force: true })
}
console.log(`The images in ${IMAGES} are up to date.`)
