/** Looking at sites across the end of a process: the rows say what is to be done, not the memory. */
import { createClient, type PostriderClient } from '@postrider/sdk'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type App, createApp } from '../src/app.ts'
import { parseConfig } from '../src/platform/config.ts'
import { type ManualClock, manualClock } from './support/clock.ts'
import { createGround, type Env, type Ground, SECRET_KEY } from './support/installation.ts'
import { startProcess } from './support/process.ts'
import { nextjs, startWebsite, type Website } from './support/websites.ts'

let ground: Ground
let env: Env
let site: Website

beforeEach(async () => {
  ground = await createGround()
  env = await ground.migratedEnv({ SECRET_KEY, LOG_LEVEL: 'error', PORT: '0' })
  site = await startWebsite({ '*': () => {} }) // takes requests and never answers
})
afterEach(async () => {
  await site.close()
  await ground.remove()
})

type Running = { app: App; clock: ManualClock; client(token?: string): PostriderClient }

/** The service in this process, on the database that the test keeps. */
async function open(): Promise<Running> {
  const clock = manualClock(new Date())
  const app = await createApp(parseConfig(env), { clock })
  const { port } = await app.listen()
  const baseUrl = `http://127.0.0.1:${port}`
  return { app, clock, client: (token = '') => createClient({ baseUrl, token }) }
}

const input = () => ({ name: 'Site', url: site.url, webhook_url: 'http://127.0.0.1:1/hooks' })
const ada = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }

describe('a process that ends', () => {
  it('in order: the look is given up at once, and made again by the next', async () => {
    const first = await open()
    await first.app.startLoops()
    const client = first.client()
    const { token } = await client.auth.register(ada)
    const looked = site.nextRequest()
    const { id, platform } = await client.sites.create(input())
    expect(platform).toBe('custom') // answered, although the site does not
    await looked
    await first.app.stop(60_000)
    site.answer(nextjs)
    const second = await open()
    await second.app.drain()
    expect((await second.client(token).sites.get(id)).platform).toBe('nextjs')
    await second.app.stop(0)
  })

  it('before it began: the next one looks', async () => {
    const first = await open()
    const client = first.client()
    const { token } = await client.auth.register(ada)
    const { id } = await client.sites.create(input())
    await first.app.stop(0)
    expect(site.asked).toEqual([])
    site.answer(nextjs)
    const second = await open()
    await second.app.drain()
    expect((await second.client(token).sites.get(id)).platform).toBe('nextjs')
    await second.app.stop(0)
  })

  it('by a crash while it looked: the look is repeated when its lease has run out, and only then', async () => {
    const killed = await startProcess(env)
    const looked = site.nextRequest()
    const client = createClient({ baseUrl: killed.url })
    const { token } = await client.auth.register(ada)
    const { id } = await client.sites.create(input())
    await looked
    await killed.kill()
    site.answer(nextjs)
    const next = await open()
    await next.app.drain()
    expect(site.asked).toHaveLength(1)
    next.clock.advance(120_000)
    await next.app.drain()
    expect((await next.client(token).sites.get(id)).platform).toBe('nextjs')
    await next.app.stop(0)
  })
})
