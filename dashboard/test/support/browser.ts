/** The dashboard in a real browser, before a real service. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest'
import { startService, type TestService } from '../../../server/test/support/service.ts'
import { CHROMIUM, hasChromium } from './chromium.ts'

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** WCAG 2.2 A and AA, and what axe recommends besides. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Someone at a browser. Their page must break no rule: `problems` has uncaught errors and violations of the policy. */
export type Visitor = { page: Page; context: BrowserContext; problems: string[] }

/** A service with the built dashboard, and people who visit it. */
export type Scene = {
  service: () => TestService
  /** Opens a browser window of its own, which goes with the test; `width` and `height` in pixels. */
  visit(options?: { theme?: 'light' | 'dark'; width?: number; height?: number }): Promise<Visitor>
}

let browser: Promise<Browser> | undefined

/** The browser of all tests in this process, with which it ends. */
function openBrowser(): Promise<Browser> {
  browser ??= chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
  return browser
}

/**
 * A block of tests in the browser; skipped, visibly, where there is none. The service's clock begins at the present;
 * `environment` is what it is started with beside what all tests have.
 */
export function describeInBrowser(
  name: string,
  tests: (scene: Scene) => void,
  environment: () => Promise<Record<string, string>> = async () => ({}),
): void {
  describe.skipIf(!hasChromium)(name, () => {
    let service: TestService
    let visitors: Visitor[] = []
    beforeAll(async () => {
      service = await startService(await environment())
      service.clock.advance(Date.now() - service.clock.now().getTime())
    })
    afterEach(async () => {
      const left = visitors
      visitors = []
      // A window that stays open goes on listening and drawing, at the cost of the tests after it.
      await Promise.all(left.map(({ context }) => context.close()))
      expect(left.flatMap(({ problems }) => problems)).toEqual([])
    })
    afterAll(() => service?.stop())
    tests({
      service: () => service,
      async visit({ theme = 'light', width = 1280, height = 800 } = {}) {
        const context = await (await openBrowser()).newContext({
          baseURL: service.url,
          colorScheme: theme,
          locale: 'en-GB',
          viewport: { width, height },
        })
        const visitor: Visitor = { context, page: await context.newPage(), problems: [] }
        visitors.push(visitor)
        await watch(visitor)
        return visitor
      },
    })
  })
}

async function watch({ page, context, problems }: Visitor): Promise<void> {
  page.on('pageerror', (error) => problems.push(error.stack ?? error.message))
  await context.exposeBinding('reportViolation', (_source, what: string) => void problems.push(what))
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const { reportViolation } = window as unknown as { reportViolation: (what: string) => void }
      reportViolation(`${event.violatedDirective} refused ${event.blockedURI} ${event.sample}`)
    })
  })
}

/** Only what is wrong is made ready for reading, and no style sheet is loaded again: no rule of ours needs one. */
const AXE_OPTIONS = { runOnly: RULES, resultTypes: ['violations'], preload: false }

/** Expects that axe finds nothing on the page as it is. */
export async function expectAccessible(page: Page): Promise<void> {
  // Animations that are still running would be measured half way; those that never end are of marks without text.
  const hasAxe = await page.evaluate(async () => {
    const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
    await Promise.all(ending.map((one) => one.finished.catch(() => {})))
    return 'axe' in window
  })
  if (!hasAxe) await page.evaluate(AXE)
  const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify(AXE_OPTIONS)})`)) as AxeResults
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' · ')}`)
  expect(found).toEqual([])
}
