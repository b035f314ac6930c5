import { spawn } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))
const key = randomBytes(24)
const running: Array<() => void> = []

afterEach(() => {
  for (const end of running.splice(0)) end()
})

function start(env: Record<string, string>) {
  const child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  running.push(() => child.kill())
  return child
}

const post = {
  id: '019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11',
  title: 'Hello <world>',
  slug: 'hello-world',
  excerpt: 'First words.',
  body: { html: '<p>First words.</p>' },
  tags: [],
  version: 1,
  published_at: '2026-11-27T09:00:00.000Z',
}

function webhook(url: string, event: unknown, signedWith: Buffer): Promise<Response> {
  const body = JSON.stringify(event)
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', signedWith).update(`msg_1.${timestamp}.${body}`).digest('base64')
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
  return fetch(url, { method: 'POST', body, headers })
}

describe('the sample site as a program', () => {
  it('says where it listens, shows what arrives, and refuses what is not signed with its secret', async () => {
    const child = start({ POSTRIDER_SECRET: `whsec_${key.toString('base64')}`, PORT: '0' })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const { value: greeting } = await lines.next()
    const [url = '', webhookUrl = ''] = String(greeting).match(/http:\S+/g) ?? []
    const event = { event: 'post.published', timestamp: post.published_at, post }
    expect((await webhook(webhookUrl, event, randomBytes(24))).status).toBe(401)
    expect((await lines.next()).value).toContain('is POSTRIDER_SECRET the secret of the site')
    expect((await webhook(webhookUrl, event, key)).status).toBe(200)
    expect((await lines.next()).value).toBe('200  post.published  Hello <world>')
    expect(await (await fetch(url)).text()).toContain('Hello &lt;world>')
  })

  it('says what it needs when it has no secret, and what is wrong when the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    running.push(() => other.close())
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    for (const [env, wanted] of [
      [{}, 'POSTRIDER_SECRET=whsec_'],
      [{ POSTRIDER_SECRET: 'whsec_AAAA', PORT: String(port) }, `cannot listen on port ${port}`],
      [{ POSTRIDER_SECRET: 'whsec_AAAA', PORT: 'four' }, 'cannot listen on port four'],
    ] as const) {
      const child = start(env)
      const [[code], said] = await Promise.all([once(child, 'exit'), text(child.stderr)])
      expect(code).toBe(1)
      expect(said).toContain(wanted)
    }
  })
})
