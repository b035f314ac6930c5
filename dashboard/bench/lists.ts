/**
 * How long a person waits in the list of posts when the account has 10,000 of them: from a key or a click until the page is
 * painted, as the browser itself measures it (Event Timing), and from the last letter of a search until what it found stands
 * there. `npm run bench -w dashboard [-- --posts 10000]`.
 */
import { parseArgs } from 'node:util'
import { createClient, type PostriderClient } from '@postrider/sdk'
import { chromium, type Page } from 'playwright-core'
import { startBenchReceiver } from '../../server/bench/support/processes.ts'
import { median, percentile, report, table } from '../../server/bench/support/report.ts'
import { embeddedPlace } from '../../server/bench/support/service.ts'
import { buildIfNeeded } from '../build/build.ts'
import { CHROMIUM } from '../test/support/chromium.ts'

const PERSON = { name: 'Bench', email: 'bench@example.com', password: 'a password for benches' }
const SITES = ['Journal', 'Kitchen notes', 'Press']
const WORDS = ['bread', 'garden', 'letters', 'paper', 'rain', 'stone', 'winter']
const AT_ONCE = 100
const LIMIT_MS = 100
/** What the browser says nothing of was painted with the next frame. */
const FRAME_MS = 16

/** Posts as people have them: most of them published long ago, a few of each other kind. */
async function write(client: PostriderClient, count: number): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE) {
    const size = Math.min(AT_ONCE, count - from)
    const ids = await Promise.all(
      Array.from({ length: size }, async (_, index) => {
        const number = from + index
        const word = (step: number) => WORDS[Math.floor(number / step) % WORDS.length] ?? ''
        const created = await client.posts.create({
          title: `On ${word(1)}, ${word(7)} and ${word(49)}, the ${number}th`,
          body: { markdown: `About ${word(3)} and ${word(11)}. `.repeat(40) },
          tags: [word(1), word(5)],
        })
        return created.id
      }),
    )
    // The last hundreds have just gone out; older posts have nothing to tell any more.
    if (from + size > count - 3 * AT_ONCE) await client.posts.bulk({ action: 'publish', ids })
  }
}

/** Has the browser note every event that took more than a frame. */
async function watch(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const noted: number[] = []
    Object.assign(window, { noted })
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) noted.push(duration)
    }).observe({ type: 'event', durationThreshold: 16, buffered: true } as PerformanceObserverInit)
  })
}

const settle = (page: Page) =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 120))))

/** Does something often, and returns how long the page took for each time. */
async function measure(page: Page, times: number, act: (index: number) => Promise<void>): Promise<number[]> {
  const took: number[] = []
  for (let index = 0; index < times; index += 1) {
    await page.evaluate(() => (window as unknown as { noted: number[] }).noted.splice(0))
    await act(index)
    await settle(page)
    const noted = await page.evaluate(() => (window as unknown as { noted: number[] }).noted)
    took.push(Math.max(FRAME_MS, ...noted))
  }
  return took
}

type Row = { name: string; took: number[] }

async function interactions(page: Page): Promise<Row[]> {
  const rows: Row[] = []
  const add = async (name: string, times: number, act: (index: number) => Promise<void>) => {
    rows.push({ name, took: await measure(page, times, act) })
  }
  const shown = () => page.locator('[data-row]').first().waitFor()
  const words = 'garden winter bread'
  await page.keyboard.press('/')
  await add('A letter of a search', words.length, (index) => page.keyboard.type(words[index] ?? ''))
  await page.getByRole('searchbox').fill('')
  await page.waitForURL((url) => url.search === '')
  await shown()
  await page.getByRole('heading', { name: 'Posts' }).click()
  await add('To the next row (j)', 49, () => page.keyboard.press('j'))
  await add('To the row before (k)', 49, () => page.keyboard.press('k'))
  await add('Select a row (x)', 20, () => page.keyboard.press('x'))
  await add('Select all rows', 10, () => page.getByRole('checkbox', { name: 'Select all' }).click())
  await add('To the next page', 20, async () => {
    await page.getByRole('button', { name: 'Next page' }).click()
    await shown()
  })
  await add('Another status', 12, async (index) => {
    await page.getByRole('link', { name: ['Drafts', 'Published', 'All'][index % 3] ?? '', exact: true }).click()
    await shown()
  })
  return rows
}

/** From the last letter until the list shows what was found. */
async function searches(page: Page): Promise<number[]> {
  const took: number[] = []
  for (const word of WORDS) {
    const answered = page.waitForResponse((response) => new URL(response.url()).searchParams.get('search') === word)
    const startedAt = performance.now()
    await page.getByRole('searchbox').fill(word)
    await answered
    await page.locator('table[aria-busy="false"]').waitFor()
    took.push(performance.now() - startedAt)
  }
  return took
}

const { values } = parseArgs({ options: { posts: { type: 'string', default: '10000' } } })
await buildIfNeeded()
const place = await embeddedPlace()
await place.fresh()
const service = await place.start({ RATE_LIMIT_DASHBOARD: 'off' })
const receiver = await startBenchReceiver()
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
try {
  const client = createClient({ baseUrl: service.url })
  await client.auth.register(PERSON)
  const hook = `http://127.0.0.1:${receiver.port}/webhooks`
  for (const name of SITES) await client.sites.create({ name, url: 'https://blog.example', webhook_url: hook })
  await write(client, Number(values.posts))

  const page = await browser.newPage({ baseURL: service.url, viewport: { width: 1440, height: 900 } })
  await watch(page)
  await page.goto('/sign-in?next=/posts')
  await page.getByLabel('E-mail').fill(PERSON.email)
  await page.getByLabel('Password').fill(PERSON.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('[data-row]').first().waitFor()
  const rows = await interactions(page)
  const found = await searches(page)
  const worst = Math.max(...rows.flatMap(({ took }) => took))
  await report('dashboard-lists', 'npm run bench -w dashboard', [
    `The list of posts of an account with ${Number(values.posts).toLocaleString('en-US')} posts and ${SITES.length} sites, 50 on a page, in Chromium beside the service with its embedded database. Milliseconds from the event until the page is painted; the browser tells nothing below ${FRAME_MS} and counts in steps of 8.`,
    table(
      ['', 'times', 'median', 'slowest'],
      rows.map(({ name, took }) => [name, took.length, median(took), Math.max(...took)]),
    ),
    `The slowest took ${worst} ms; ${LIMIT_MS} are allowed.`,
    `What a search finds stands there ${Math.round(median(found))} ms after the last letter (median of ${found.length}; the slowest ${Math.round(percentile(found, 1))}), of which 200 are for the fingers to rest.`,
  ])
  if (worst >= LIMIT_MS) process.exitCode = 1
} finally {
  await browser.close()
  receiver.stop()
  await service.end('SIGTERM')
  await place.close()
}
process.exit()
