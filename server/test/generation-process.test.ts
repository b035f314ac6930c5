/** Drafts across the end of processes: what was answered and saved is not asked again. */
import { createClient, type GenerateDraft, type GenerationJob, type PostriderClient } from '@postrider/sdk'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { createApp } from '../src/app.ts'
import { parseConfig } from '../src/platform/config.ts'
import { manualClock } from './support/clock.ts'
import { writtenBy } from './support/drafts.ts'
import { createGround, type Env, type Ground } from './support/installation.ts'
import { type Asked, type ModelServer, startModelServer } from './support/model-server.ts'
import { type ServiceProcess, startProcess } from './support/process.ts'
import { randomFrom } from './support/random.ts'

const source = inject('database')
const INPUT: GenerateDraft = { topic: 'Watering tomatoes in a hot summer', length: 'short', include_faq: true }
/** Outline, introduction, three sections, conclusion, questions, details. */
const QUESTIONS = 8
/** Of them, the first of each kind: outline, introduction, section, questions, details. */
const STEPS = 5
/** Every kill is followed by a start. */
const PATIENCE = { timeout: 240_000 }

let ground: Ground
let model: ModelServer
let env: Env
let running: ServiceProcess[]

beforeEach(async () => {
  ground = await createGround()
  model = await startModelServer()
  env = await ground.migratedEnv({ ...writtenBy(model), LOG_LEVEL: 'error' })
  running = []
})
afterEach(async () => {
  for (const service of running) await service.kill()
  await model.close()
  await ground.remove()
})

async function startService(more: Env = {}): Promise<ServiceProcess> {
  const service = await startProcess({ ...env, ...more })
  running.push(service)
  return service
}

/** An account, as whichever process answers sees it. */
async function register(service: ServiceProcess): Promise<(at: Pick<ServiceProcess, 'url'>) => PostriderClient> {
  const { token } = await createClient({ baseUrl: service.url }).auth.register({
    name: 'Ada',
    email: 'ada@example.com',
    password: 'correct horse',
  })
  return ({ url }) => createClient({ baseUrl: url, token })
}

/** The job once it is finished. */
async function finished(client: PostriderClient, jobId: string): Promise<GenerationJob> {
  for (;;) {
    const job = await client.drafts.job(jobId)
    if (job.status !== 'processing') return job
    await pause(20)
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** How often each question was put, and answered. */
function counts(asked: readonly Asked[]): Array<{ put: number; answered: number }> {
  return [...Map.groupBy(asked, ({ prompt }) => prompt).values()].map((all) => ({
    put: all.length,
    answered: all.filter(({ answered }) => answered).length,
  }))
}

async function expectOneDraft(client: PostriderClient, job: GenerationJob): Promise<void> {
  expect(job.error).toBeUndefined()
  expect(job).toMatchObject({ status: 'complete', post: { status: 'draft' } })
  expect((await client.posts.list()).data.map(({ id }) => id)).toEqual([job.post?.id])
}

describe('a process that is killed', PATIENCE, () => {
  it('in the middle of each step: its question is put once more, and none that was answered', async () => {
    let service = await startService()
    const clientAt = await register(service)
    const seen = new Set<string>()
    let hanging = Promise.withResolvers<void>()
    // The first question of each step hangs when it comes first, by turns before and within its answer.
    model.follow(({ purpose, data }) => {
      const step = purpose === 'first' ? (data.already_written === undefined ? 'introduction' : 'section') : purpose
      if (seen.has(step)) return undefined
      seen.add(step)
      return (_response, write) => {
        if (seen.size % 2 === 0) {
          write.start()
          write.text('It begins')
        }
        hanging.resolve()
      }
    })
    const { job_id: jobId } = await clientAt(service).drafts.generate(INPUT)
    for (let kills = 0; kills < STEPS; kills += 1) {
      await hanging.promise
      hanging = Promise.withResolvers()
      await service.kill()
      service = await startService()
    }
    const job = await finished(clientAt(service), jobId)
    await expectOneDraft(clientAt(service), job)
    expect([...seen]).toEqual(['outline', 'introduction', 'section', 'faq', 'details'])
    expect(counts(model.asked).toSorted((a, b) => b.put - a.put)).toEqual([
      ...Array.from({ length: STEPS }, () => ({ put: 2, answered: 1 })),
      ...Array.from({ length: QUESTIONS - STEPS }, () => ({ put: 1, answered: 1 })),
    ])
  })

  it('at any moment, again and again: one draft comes of it, and at most one answer is lost with each kill', async () => {
    const random = randomFrom(11)
    let service = await startService()
    const clientAt = await register(service)
    model.follow(async () => {
      await pause(30)
      return undefined
    })
    const { job_id: jobId } = await clientAt(service).drafts.generate(INPUT)
    let kills = 0
    for (; kills < 4; kills += 1) {
      await pause(20 + 150 * random())
      await service.kill()
      service = await startService()
    }
    const job = await finished(clientAt(service), jobId)
    await expectOneDraft(clientAt(service), job)
    const again = counts(model.asked).filter(({ answered }) => answered > 1)
    expect(again.length).toBeLessThanOrEqual(kills)
    for (const { put } of counts(model.asked)) expect(put).toBeLessThanOrEqual(1 + kills)
  })

  it.runIf(source.kind === 'postgres')(
    'while another lives: that one goes on when the lease has run out, and not before',
    async () => {
      const clock = manualClock(new Date())
      const other = await createApp(parseConfig({ ...env, PORT: '0' }), { clock })
      const service = await startService()
      const clientAt = await register(service)
      const hanging = Promise.withResolvers<void>()
      model.follow((_asked, index) => {
        if (index !== 3) return undefined
        return () => hanging.resolve()
      })
      const { job_id: jobId } = await clientAt(service).drafts.generate(INPUT)
      await hanging.promise
      await service.kill()
      await other.drain()
      expect(model.asked).toHaveLength(4)
      clock.advance(120_000)
      await other.drain()
      const { port } = await other.listen()
      const client = clientAt({ url: `http://127.0.0.1:${port}` })
      await expectOneDraft(client, await finished(client, jobId))
      expect(counts(model.asked).filter(({ put }) => put > 1)).toEqual([{ put: 2, answered: 1 }])
      await other.stop(0)
    },
  )
})

describe('a process that ends in order', PATIENCE, () => {
  it('keeps the answer under way, and the next one goes on after it', async () => {
    const first = await startService()
    const clientAt = await register(first)
    const asking = Promise.withResolvers<void>()
    model.follow(async (_asked, index) => {
      if (index !== 2) return undefined
      asking.resolve()
      await pause(300)
      return undefined
    })
    const { job_id: jobId } = await clientAt(first).drafts.generate(INPUT)
    await asking.promise
    expect(await first.end('SIGTERM')).toBe(0)
    expect(model.asked).toHaveLength(3)
    const second = await startService()
    await expectOneDraft(clientAt(second), await finished(clientAt(second), jobId))
    expect(counts(model.asked)).toEqual(Array.from({ length: QUESTIONS }, () => ({ put: 1, answered: 1 })))
  })
})

describe.runIf(source.kind === 'postgres')('several processes', PATIENCE, () => {
  it('share the jobs, and none is done twice', async () => {
    const one = await startService({ AI_JOBS: '1', AI_JOBS_PER_ACCOUNT: '9' })
    const two = await startService({ AI_JOBS: '1', AI_JOBS_PER_ACCOUNT: '9' })
    const clientAt = await register(one)
    const atOnce = { now: 0, most: 0 }
    model.follow(async () => {
      atOnce.now += 1
      atOnce.most = Math.max(atOnce.most, atOnce.now)
      await pause(20)
      atOnce.now -= 1
      return undefined
    })
    const client = clientAt(two)
    const topics = ['One', 'Two', 'Three', 'Four'].map((name) => `${name} thing`)
    const jobs = await Promise.all(topics.map((topic) => client.drafts.generate({ ...INPUT, topic })))
    const ended = await Promise.all(jobs.map(({ job_id: jobId }) => finished(client, jobId)))
    expect(ended.map(({ status }) => status)).toEqual(topics.map(() => 'complete'))
    expect(counts(model.asked)).toEqual(
      Array.from({ length: QUESTIONS * topics.length }, () => ({ put: 1, answered: 1 })),
    )
    expect(atOnce.most).toBe(2)
  })
})

describe.runIf(source.kind === 'postgres')('a database that is away while the model answers', PATIENCE, () => {
  it('is waited for: no question is put twice', async () => {
    if (source.kind !== 'postgres') return
    const admin = new pg.Client({ connectionString: source.adminUrl })
    await admin.connect()
    const name = new URL(env.DATABASE_URL ?? '').pathname.slice(1)
    const admits = (yes: boolean) => admin.query(`alter database ${pg.escapeIdentifier(name)} allow_connections ${yes}`)
    model.follow(async (_asked, index) => {
      if (index !== 1) return undefined
      await admits(false)
      await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
      setTimeout(() => void admits(true), 2_500)
      return undefined
    })
    const service = await startService()
    const client = (await register(service))(service)
    const { job_id: jobId } = await client.drafts.generate(INPUT)
    const job = await finished(client, jobId)
    await expectOneDraft(client, job)
    expect(counts(model.asked)).toEqual(Array.from({ length: QUESTIONS }, () => ({ put: 1, answered: 1 })))
    await admin.end()
  })
})
