/** The service as an operator runs it: one process, started from its entry. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, openSync } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '@postrider/sdk'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { killStory } from './faults/kill.ts'
import { connectionsEnded } from './faults/postgres.ts'
import { terminated } from './faults/processes.ts'
import { freePort } from './support/free-port.ts'
import { pngOf } from './support/pictures.ts'
import { createDatabaseFromTemplate } from './support/postgres/databases.ts'
import { BY_NPM, launch, runToEnd, startProcess } from './support/process.ts'
import { randomFrom } from './support/random.ts'
import { startReceiver } from './support/receiver.ts'
import { connectSite, newAccount } from './support/service.ts'

const SECRET_KEY = 'a secret key for tests, long enough'
/** Who holds this lock alone keeps workers from joining, and so a service from starting. */
const WORKERS_LOCK = 7_301_946_112
const FULL_DISK = '/dev/full'
const DEMO = fileURLToPath(new URL('../../demo/demo.ts', import.meta.url))
const source = inject('database')
let dir: string
let env: Record<string, string>
let drop = async () => {}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'postrider-process-'))
  env = { DATA_DIR: dir, DELIVERY_TIMEOUT: '2s', RATE_LIMIT_AUTH: 'off' }
  if (source.kind === 'postgres') {
    const database = await createDatabaseFromTemplate(source.adminUrl, source.template)
    env = { DATABASE_URL: database.url, SECRET_KEY, DELIVERY_TIMEOUT: '2s', RATE_LIMIT_AUTH: 'off' }
    drop = database.drop
  }
})
afterAll(async () => {
  await drop()
  await rm(dir, { recursive: true, force: true })
})

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('the process', () => {
  it('starts, says where it is, works, and ends in order on SIGTERM with an attempt in flight', async () => {
    const service = await startProcess(env)
    expect(service.output()).toContain('Postrider is ready')
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
    expect(await (await fetch(`${service.url}/readyz`)).json()).toEqual({ status: 'ready' })
    const receiver = await startReceiver()
    const client = await newAccount(service)
    await connectSite(client, receiver)
    const answered = new Promise<void>((resolve) => {
      receiver.answerNext((_, response) =>
        setTimeout(() => {
          response.writeHead(200).end()
          resolve()
        }, 300),
      )
    })
    await client.posts.create({ title: 'In flight', status: 'published' })
    while (receiver.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(await service.end('SIGTERM')).toBe(0)
    await answered
    const again = await startProcess(env)
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(receiver.received).toHaveLength(1)
    await again.kill()
    await receiver.close()
  })

  it('lets a request in flight finish on SIGTERM', async () => {
    const service = await startProcess(env)
    const receiver = await startReceiver()
    const client = await newAccount(service)
    const site = await connectSite(client, receiver)
    receiver.answerNext((_, response) => setTimeout(() => response.writeHead(200).end(), 500))
    const answer = client.sites.testDelivery(site.id)
    while (receiver.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    const ended = service.end('SIGTERM')
    expect(await answer).toMatchObject({ success: true })
    expect(await ended).toBe(0)
    await receiver.close()
  })

  it.runIf(source.kind === 'postgres')('ends in order on a SIGTERM that comes before it has started', async () => {
    const held = new pg.Client({ connectionString: env.DATABASE_URL ?? '' })
    await held.connect()
    await held.query(`select pg_advisory_lock(${WORKERS_LOCK})`)
    const port = String(await freePort())
    const { child, output } = launch({ ...env, PORT: port })
    onTestFinished(() => void child.kill('SIGKILL'))
    const exited = once(child, 'exit')
    const health = () => fetch(`http://127.0.0.1:${port}/healthz`).then((answer) => answer.status)
    await expect.poll(() => health().catch(() => 0), { timeout: 20_000 }).toBe(200)
    child.kill('SIGTERM')
    await expect.poll(output).toContain('service.stopping')
    await held.end()
    expect(await exited).toEqual([0, null])
  })

  it.each([
    ['SIGTERM for npm', 'SIGTERM', 1],
    ['Ctrl-C, which npm and the service both get', 'SIGINT', -1],
  ] as const)('started by npm, ends in order on %s', async (_, signal, whom) => {
    const { child, url } = await startProcess(env, BY_NPM)
    const pid = child.pid ?? 0
    onTestFinished(() => {
      if (isAlive(-pid)) process.kill(-pid, 'SIGKILL')
    })
    process.kill(whom * pid, signal)
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(isAlive(-pid)).toBe(false)
    await expect(fetch(`${url}/healthz`)).rejects.toThrow()
  })

  it.runIf(existsSync(FULL_DISK))('works, and ends in order, when there is no room for its log', async () => {
    const port = String(await freePort())
    const { child } = launch({ ...env, NODE_ENV: 'production', PORT: port }, [], { stdout: openSync(FULL_DISK, 'w') })
    onTestFinished(() => void child.kill('SIGKILL'))
    const status = () => fetch(`http://127.0.0.1:${port}/api/posts`).then((answer) => answer.status)
    await expect.poll(() => status().catch(() => 0), { timeout: 20_000 }).toBe(401)
    for (let count = 0; count < 100; count += 1) expect(await status()).toBe(401)
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it('has nothing of an upload that was cut off by a kill, and takes the picture afterwards', async () => {
    const withFiles = { ...env, DATA_DIR: dir }
    const service = await startProcess(withFiles)
    const { token } = (await createClient({ baseUrl: service.url }).auth.register({
      name: 'Ada',
      email: `upload-${randomUUID()}@example.com`,
      password: 'correct horse',
    })) as { token: string }
    const picture = await pngOf('teal')
    const request = httpRequest(`${service.url}/api/media`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'image/png', 'content-length': picture.length },
    })
    request.on('error', () => {})
    request.write(picture.subarray(0, picture.length / 2))
    const uploads = () => readdir(join(dir, 'media/tmp')).catch(() => [])
    await expect.poll(async () => (await uploads()).length).toBe(1)
    await service.kill()
    const again = await startProcess(withFiles)
    const client = createClient({ baseUrl: again.url, token })
    expect((await client.media.list()).media).toEqual([])
    const medium = await client.media.upload(new Blob([new Uint8Array(picture)]))
    const served = await fetch(again.url + new URL(medium.url).pathname)
    expect(Buffer.from(await served.arrayBuffer()).equals(picture)).toBe(true)
    expect(await again.end('SIGTERM')).toBe(0)
  })

  it('loses nothing when it is killed under load, and repeats nothing without a kill', async () => {
    const report = await killStory({ kills: 4, env, random: randomFrom(7) })
    expect(report).toMatchObject({ lost: [], unexplainedRepeats: 0 })
    expect(report.acknowledged).toBeGreaterThan(0)
    expect(report.delivered).toBe(report.acknowledged)
  })

  it('ends by itself on SIGTERM with attempts in flight, and nothing of them is repeated', async () => {
    const report = await terminated(env)
    expect(report).toMatchObject({ lost: [], repeats: 0, exitCode: 0 })
    expect(report.inFlight).toBeGreaterThan(0)
  })

  it.runIf(source.kind === 'postgres')(
    'loses and repeats nothing when its connections are ended under load',
    async () => {
      const report = await connectionsEnded({ ...env, DATABASE_URL: env.DATABASE_URL ?? '' }, 4)
      expect(report).toMatchObject({ lost: [], unexplainedRepeats: 0 })
      expect(report.acknowledged).toBeGreaterThan(0)
    },
  )

  it.runIf(source.kind === 'embedded')(
    'refuses a second one on the same directory, with the pid of the first',
    async () => {
      const first = await startProcess(env)
      const second = await runToEnd(env)
      expect(second.code).toBe(69)
      expect(second.output).toContain(`in use by process ${first.child.pid}`)
      expect((await fetch(`${first.url}/readyz`)).status).toBe(200)
      await first.kill()
    },
  )

  it.runIf(source.kind === 'embedded')('keeps its key file to itself', async () => {
    expect((await stat(join(dir, 'secret.key'))).mode & 0o777).toBe(0o600)
  })

  it.runIf(source.kind === 'postgres')('refuses a database that was made with another key', async () => {
    const first = await startProcess(env)
    await first.end('SIGTERM')
    const { code, output } = await runToEnd({ ...env, SECRET_KEY: 'another secret key, also long enough' })
    expect(code).toBe(78)
    expect(output).toContain('SECRET_KEY')
  })

  it('reports every problem of its configuration at once and touches nothing', async () => {
    const untouched = await mkdtemp(join(tmpdir(), 'postrider-untouched-'))
    const { code, output } = await runToEnd({
      DATA_DIR: join(untouched, 'data'),
      PORT: 'http',
      DELIVERY_TIMEOUT: '15',
      WEBHOOK_ALLOW: '10.0.0.0/99',
      ROLE: 'worker',
      LOG_LEVEL: 'loud',
    })
    expect(code).toBe(78)
    for (const name of ['PORT', 'DELIVERY_TIMEOUT', 'WEBHOOK_ALLOW', 'ROLE', 'LOG_LEVEL'])
      expect(output).toContain(`- ${name}: `)
    expect(await readdir(untouched)).toEqual([])
    await rm(untouched, { recursive: true })
  })
})

it.runIf(source.kind === 'embedded')('the demo tells its story whatever the environment says', async () => {
  const env = { ...process.env, PUBLIC_URL: 'https://blog.example.com', ROLE: 'worker', WEBHOOK_ALLOW: 'none' }
  const demo = spawn(process.execPath, [DEMO, '--once'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void demo.kill('SIGTERM'))
  let told = ''
  demo.stdout.on('data', (text) => {
    told += text
  })
  expect(await once(demo, 'close')).toEqual([0, null])
  expect(told).toContain('(after two failures)')
})
