/** The operator's commands as operators run them: in processes of their own, and beside a service that runs. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, openSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { connectionCode, createClient, createPullClient } from '@postrider/sdk'
import { createReceiver, memoryStore } from '@postrider/sdk/receiver'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { commands } from '../src/commands/index.ts'
import { readBackup } from './support/backup-file.ts'
import { runCommand } from './support/command.ts'
import { ADA, createGround, type Env, type Ground, withService, withServiceProcess } from './support/installation.ts'
import { launch, runToEnd } from './support/process.ts'
import { newAccount, startService } from './support/service.ts'

const { kind } = inject('database')
const FULL_DISK = '/dev/full'
const OTHER_KEY = 'another secret key, also long enough'

let ground: Ground

beforeAll(async () => {
  ground = await createGround()
})
afterAll(() => ground.remove())

describe('a command in a process', () => {
  it.runIf(kind === 'postgres')('runs every command as a process', async () => {
    const [home, other, used] = [await ground.emptyEnv(), await ground.emptyEnv(), await ground.emptyEnv()]
    await withService(used, async () => {}) // a service makes the database's key known
    const file = join(ground.dir, 'by-processes.gz')
    const site = await startSite()
    const service = await startService()
    const client = await newAccount(service)
    const scopes = ['posts:read', 'posts:write', 'sites:read'] as const
    const { token } = await client.tokens.create({ name: 'Commands', scopes: [...scopes] })
    const author = { ...home, POSTRIDER_URL: service.url, POSTRIDER_TOKEN: token }
    const post = join(ground.dir, 'rye.md')
    await writeFile(post, '# Rye\n\nSow it late.\n')
    const calls: Record<string, { operands?: string[]; says: string; env?: Env }> = {
      migrate: { says: 'done  2026' },
      'account create': { operands: [ADA.email, ADA.name], says: 'the password is' },
      'account list': { says: ADA.email },
      'plan set': { operands: [ADA.email, 'pro'], says: 'starter → pro' },
      login: { operands: ['--forget'], says: 'Nobody was logged in', env: { ...home, XDG_CONFIG_HOME: ground.dir } },
      'post push': { operands: [post], says: '1 created', env: author },
      'post pull': { operands: [join(ground.dir, 'pulled')], says: '1 written', env: author },
      'post list': { says: 'rye', env: author },
      'site list': { says: 'PLATFORM', env: author },
      deliveries: { says: 'PROBLEM', env: author },
      verify: { operands: [site.url, '--secret', site.secret], says: 'what Postrider relies on' },
      'password reset': { operands: [ADA.email], says: 'the new password is' },
      doctor: { says: '✓ schema' },
      config: { says: 'SECRET_KEY' },
      backup: { operands: [file], says: 'rows' },
      restore: { operands: [file], says: 'Restored', env: other },
      'versions raise': { says: 'Posts with versions above' },
      'account delete': { operands: [ADA.email, '--yes'], says: 'Removed' },
      'keys rotate': { says: 'NEW_SECRET_KEY', env: { ...used, NEW_SECRET_KEY: OTHER_KEY } },
    }
    // What serves is in process.test.ts, and what listens goes on (author-commands.test.ts).
    expect(commands.map(({ name }) => name).sort()).toEqual(['serve', 'listen', ...Object.keys(calls)].sort())
    for (const [name, { operands = [], says, env: of = home }] of Object.entries(calls)) {
      const ended = await runToEnd(of, ...name.split(' '), ...operands)
      expect(ended, name).toMatchObject({ code: 0, result: expect.stringContaining(says) })
    }
    site.close()
    await service.stop()
  })

  it('does its work when nobody reads what it tells, and exits 1', async () => {
    const file = join(ground.dir, 'unread')
    const env = await ground.migratedEnv()
    await runCommand(env, 'account', 'create', ADA.email, ADA.name)
    const { child } = launch(env, ['backup', file])
    child.stdout?.destroy()
    child.stderr?.destroy()
    expect(await once(child, 'exit')).toEqual([1, null])
    expect((await readBackup(file)).rows.accounts).toHaveLength(1)
    expect(existsSync(`${file}.partial`)).toBe(false)
  })

  it.runIf(existsSync(FULL_DISK))('exits 1 when there is no room for the result', async () => {
    const { child, output } = launch({}, ['config'], { stdout: openSync(FULL_DISK, 'w') })
    expect(await once(child, 'close')).toEqual([1, null])
    expect(output()).toMatch(/^The results could not be written: .*ENOSPC/)
  })

  it.runIf(kind === 'postgres')('account delete ends what a running service does for it', async () => {
    const home = { ...(await ground.emptyEnv()), DELIVERY_TIMEOUT: '60s' }
    const arrived = Promise.withResolvers<Socket>()
    const hanging = createServer((socket) => {
      socket.on('error', () => {})
      arrived.resolve(socket)
    })
    hanging.listen(0, '127.0.0.1')
    await once(hanging, 'listening')
    const { port } = hanging.address() as AddressInfo
    await withServiceProcess(home, async ({ url, output }) => {
      const client = createClient({ baseUrl: url })
      const { token } = await client.auth.register(ADA)
      const site = { name: 'Slow', url: 'https://blog.example.com', webhook_url: `http://127.0.0.1:${port}/` }
      const { api_key: apiKey } = await client.sites.create({ ...site, platform: 'custom' })
      const events = await fetch(`${url}/api/events`, { headers: { authorization: `Bearer ${token}` } })
      for (const title of ['One', 'Two']) await client.posts.create({ title, status: 'published' })
      const attempt = await arrived.promise
      expect(await runCommand(home, 'account', 'delete', ADA.email, '--yes')).toMatchObject({ code: 0 })
      await events.text() // ends
      await expect(client.posts.list()).rejects.toMatchObject({ status: 401 })
      await expect(createPullClient({ baseUrl: url, apiKey }).list()).rejects.toMatchObject({ status: 401 })
      attempt.destroy()
      await expect.poll(output, { timeout: 10_000 }).toContain('delivery.late_answer')
      expect(output()).not.toContain('"level":"error"')
    })
    hanging.close()
  })
})

/** A site with the SDK's receiver. */
async function startSite(): Promise<{ url: string; secret: string; close(): void }> {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const connection = connectionCode({ url: 'http://localhost:1', site: 'a site', key: 'a key', secret })
  const receiver = createReceiver({ connection, store: memoryStore() })
  const server = createHttpServer(async (request, response) => {
    const { status, body } = await receiver.receive(request, request.headers)
    response.writeHead(status).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, secret, close: () => server.close() }
}
