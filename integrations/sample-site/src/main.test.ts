import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { event, KEY, post, SECRET, send } from './support.fixture.ts'

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))
const running: Array<() => void> = []

afterEach(() => {
  for (const end of running.splice(0)) end()
})

function start(env: Record<string, string>) {
  const child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  running.push(() => child.kill())
  let said = ''
  child.stdout.on('data', (chunk) => {
    said += chunk
  })
  return { child, said: () => said }
}

describe('the sample site as a program', () => {
  it('says where it listens and what arrives, and refuses what is not signed with its secret', async () => {
    const { said } = start({ POSTRIDER_SECRET: SECRET, PORT: '0' })
    await expect.poll(said, { timeout: 30_000 }).toContain('Stop it with Ctrl-C')
    const [url = '', webhookUrl = ''] = said().match(/http:\/\/localhost:[\w:/]+/g) ?? []
    expect(await send(webhookUrl, event('post.published'), Buffer.alloc(24, 7))).toBe(401)
    await expect.poll(said).toContain('POSTRIDER_SECRET is not the secret of the site that it was sent to')
    expect(await send(webhookUrl, event('post.published'), KEY)).toBe(200)
    await expect.poll(said).toContain(`“${post.title}” arrived.`)
    expect(await (await fetch(url)).text()).toContain('Hello &lt;world>')
  })

  it('says what it needs when it has no secret, and what is wrong when the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    running.push(() => other.close())
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo // it listens on TCP
    for (const [env, wanted] of [
      [{}, 'POSTRIDER_SECRET=whsec_'],
      [{ POSTRIDER_SECRET: SECRET, PORT: String(port) }, `Another program uses port ${port}`],
      [{ POSTRIDER_SECRET: SECRET, PORT: 'four' }, 'cannot listen on port four'],
    ] as const) {
      const { child } = start(env)
      const [[code], problem] = await Promise.all([once(child, 'exit'), text(child.stderr)])
      expect(code).toBe(1)
      expect(problem).toContain(wanted)
    }
  })
})
