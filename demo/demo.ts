/**
 * The whole story in under a minute: the service, a sample site, and what travels between them. Everything lives in a
 * temporary directory that is removed at the end. `--once` ends after the story; otherwise it stays up to be looked at. The service
 * listens on `PORT`, or on a port that is free.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Answered, type SampleSite, startSampleSite } from '@postrider/sample-site'
import { createClient, type PostriderClient } from '@postrider/sdk'
import { showSteps } from '../server/src/platform/steps.ts'

const MAIN = fileURLToPath(new URL('../server/src/main.ts', import.meta.url))
const RETRY_DELAYS = '1s,3s,5s'
const PERSON = { name: 'Demo', email: 'demo@example.com', password: 'a demo password' }

const { values: options } = parseArgs({ options: { once: { type: 'boolean', default: false } } })

let step = 0
function say(text: string): void {
  step += 1
  console.log(`\n  ${String(step).padStart(2)}  ${text}`)
}
const detail = (text: string) => console.log(`      ${text}`)

/** What went wrong with the demo itself; the service has said what to do. */
class DemoError extends Error {
  readonly exitCode: number

  constructor(exitCode: number) {
    super('The demo cannot go on without the service.')
    this.exitCode = exitCode
  }
}

/** What the site answered, in the order it came; `next` waits for one that nobody has looked at. */
function watchWebhooks() {
  const seen: Array<Answered & { at: number }> = []
  let wake = () => {}
  return {
    onWebhook(answered: Answered) {
      seen.push({ ...answered, at: Date.now() })
      wake()
    },
    async next(): Promise<Answered & { at: number }> {
      for (;;) {
        const first = seen.shift()
        if (first !== undefined) return first
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}

async function startService(dataDir: string): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [MAIN], {
    // Nothing else of the environment's configuration: the story is always the same.
    env: { PORT: process.env.PORT ?? '0', DATA_DIR: dataDir, LOG_LEVEL: 'error', DELIVERY_RETRY_DELAYS: RETRY_DELAYS },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output += chunk
      const [, found] = /(http:\/\/localhost:\d+)\/api/.exec(output) ?? []
      if (found !== undefined) resolve(found)
    })
    child.once('exit', (code) => reject(new DemoError(code ?? 1)))
  })
  return { url, child }
}

type Webhooks = ReturnType<typeof watchWebhooks>

async function connect(url: string, site: SampleSite): Promise<PostriderClient> {
  const client = createClient({ baseUrl: url })
  await client.auth.register(PERSON)
  const connected = await client.sites.create({ name: 'Sample site', url: site.url, webhook_url: site.webhookUrl })
  site.setSecret(connected.webhook_secret)
  say('An account, and the sample site connected to it')
  const test = await client.sites.testDelivery(connected.id)
  detail(test.success ? `test delivery: ${test.message}` : `test delivery failed: ${test.error}`)
  return client
}

async function publish(client: PostriderClient, webhooks: Webhooks): Promise<string> {
  say('Publish “Hello from Postrider”')
  const startedAt = Date.now()
  const post = await client.posts.create({
    title: 'Hello from Postrider',
    excerpt: 'Written once, delivered to every connected site.',
    body: { markdown: 'Write **once**.\n\nPostrider delivers to every site:\n\n- signed\n- retried\n- in order\n' },
    tags: ['demo'],
    status: 'published',
  })
  const arrived = await webhooks.next()
  detail(
    `✓ the site received ${arrived.event?.event}, its signature verified, ${arrived.at - startedAt} ms after we asked`,
  )
  return post.id
}

async function update(client: PostriderClient, webhooks: Webhooks, postId: string): Promise<void> {
  say('Change its title')
  await client.posts.update(postId, { title: 'Hello again from Postrider' })
  const { event } = await webhooks.next()
  if (event?.event === 'post.updated')
    detail(`✓ the site received post.updated: version ${event.post.version}, was ${event.previous_version}`)
}

async function schedule(client: PostriderClient, webhooks: Webhooks): Promise<void> {
  say('Schedule a post for three seconds from now')
  const at = Date.now() + 3_000
  await client.posts.create({
    title: 'Right on time',
    body: { markdown: 'This one was scheduled.' },
    status: 'scheduled',
    scheduled_at: new Date(at).toISOString(),
  })
  const arrived = await webhooks.next()
  detail(`✓ it arrived ${arrived.at - at} ms after its time`)
}

async function failTwice(client: PostriderClient, webhooks: Webhooks, site: SampleSite): Promise<string> {
  say(`Publish while the site fails twice (retries after ${RETRY_DELAYS} here; 30s, 5m, 30m by default)`)
  site.failNext(2)
  const post = await client.posts.create({
    title: 'Never give up',
    body: { markdown: 'Third time lucky.' },
    status: 'published',
  })
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const { status, deliveryId } = await webhooks.next()
    detail(
      `${status === 200 ? '✓' : '✗'} attempt ${attempt} of delivery …${deliveryId?.slice(-6)}: the site answered ${status}`,
    )
  }
  return post.id
}

async function showWhere(client: PostriderClient, retried: string): Promise<void> {
  say('What arrived where')
  await new Promise((resolve) => setTimeout(resolve, 300))
  for (const { id, title } of (await client.posts.list()).data) {
    const { deliveries } = await client.posts.get(id)
    detail(
      `${title.padEnd(28)} ${deliveries.map(({ status }) => status).join(', ')}${id === retried ? '   (after two failures)' : ''}`,
    )
  }
}

async function tellStory(client: PostriderClient, webhooks: Webhooks, site: SampleSite): Promise<void> {
  await webhooks.next() // the test delivery
  const postId = await publish(client, webhooks)
  await update(client, webhooks, postId)
  await schedule(client, webhooks)
  const retried = await failTwice(client, webhooks, site)
  await showWhere(client, retried)
}

console.log('\n  Postrider demo, on throwaway data\n')
const steps = showSteps(process.stdout)
steps.begin('Starting Postrider on a new database')
const dataDir = await mkdtemp(join(tmpdir(), 'postrider-demo-'))
const ending: Array<() => unknown> = [() => rm(dataDir, { recursive: true, force: true })]

async function end(exitCode: number): Promise<never> {
  for (const step of ending.splice(0).reverse()) await step()
  process.exit(exitCode)
}
process.once('SIGINT', () => void end(0))
process.once('SIGTERM', () => void end(0))

try {
  const { url, child } = await startService(dataDir)
  ending.push(async () => {
    if (child.exitCode !== null || !child.kill('SIGTERM')) return
    await once(child, 'exit')
  })
  steps.done('Started Postrider on a new database')
  const webhooks = watchWebhooks()
  const site = await startSampleSite({ onWebhook: webhooks.onWebhook })
  ending.push(() => site.close())
  say(`The service runs at ${url}`)
  say(`A sample site runs at ${site.url}   ← open it in a browser`)
  const client = await connect(url, site)
  await tellStory(client, webhooks, site)
  if (options.once) await end(0)
  console.log(`
  Look around:

    Sample site   ${site.url}
    Dashboard     ${url}
                  Sign in as ${PERSON.email} with the password “${PERSON.password}”.

  Stop with Ctrl-C. Nothing of this is kept.
`)
} catch (error) {
  steps.clear()
  if (!(error instanceof DemoError)) throw error
  await end(error.exitCode)
}
