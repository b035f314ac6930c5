/** An installation as its operator has it: an environment, a database of the kind this run tests, some contents. */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, createPullClient } from '@postrider/sdk'
import { inject } from 'vitest'
import { createApp } from '../../src/app.ts'
import { parseConfig } from '../../src/platform/config.ts'
import { createLog } from '../../src/platform/log.ts'
import { createDatabaseFromTemplate } from './postgres/databases.ts'
import { type ServiceProcess, startProcess } from './process.ts'

export type Env = Record<string, string>

/** The root key of installations on a server; embedded ones make their own. */
export const SECRET_KEY = 'a secret key for tests, long enough'

/** The user who registers in installations. */
export const ADA = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }

/** Text with everything that a careless format would break at. */
export const ODD =
  'quote " apostrophe \' back\\slash \\n tab\t newline\n \u2028 \u{1f98a} {"json":[null]} {a,"b"} \\N ünï'

/** How long the service waits for attempts that are under way when it stops. */
const GRACE_MS = 5_000

const COMMON = {
  RATE_LIMIT_AUTH: 'off',
  RATE_LIMIT_STARTER: 'off',
  DELIVERY_RETRY_DELAYS: '1h',
  DELIVERY_TIMEOUT: '2s',
}

/** A place for installations; `dir` is a directory for anything else, and `remove` removes all of it. */
export type Ground = {
  dir: string
  /** The environment of a database that does not exist yet (embedded) or has nothing in it. */
  emptyEnv(kind?: 'embedded' | 'postgres', more?: Env): Promise<Env>
  /** The environment of a migrated database with nothing in it. */
  migratedEnv(more?: Env): Promise<Env>
  /** A copy of a stopped embedded installation. */
  copyOf(env: Env): Promise<Env>
  remove(): Promise<void>
}

/** Makes a place for installations. */
export async function createGround(): Promise<Ground> {
  const source = inject('database')
  const dir = await mkdtemp(join(tmpdir(), 'postrider-commands-'))
  const drops: Array<() => Promise<void>> = []
  const newDataDir = async () => join(await mkdtemp(join(dir, 'home-')), 'data')
  const copyOf = async (env: Env) => {
    const copy = await newDataDir()
    await cp(env.DATA_DIR ?? '', copy, { recursive: true })
    return { ...env, DATA_DIR: copy }
  }
  const copyOnServer = async (adminUrl: string, template: string, more: Env) => {
    const database = await createDatabaseFromTemplate(adminUrl, template)
    drops.push(database.drop)
    return { ...COMMON, DATABASE_URL: database.url, SECRET_KEY, ...more }
  }
  return {
    dir,
    async emptyEnv(kind = source.kind, more = {}) {
      if (kind === 'embedded') return { ...COMMON, DATA_DIR: await newDataDir(), ...more }
      if (source.kind !== 'postgres') throw new Error('there is no server in this run')
      return copyOnServer(source.adminUrl, 'template0', more)
    },
    migratedEnv: (more = {}) =>
      source.kind === 'postgres'
        ? copyOnServer(source.adminUrl, source.template, more)
        : copyOf({ ...COMMON, DATA_DIR: source.directory, ...more }),
    copyOf,
    async remove() {
      for (const drop of drops) await drop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** Runs the service in this process for as long as `use` takes. */
export async function withService<T>(env: Env, use: (service: { url: string }) => Promise<T>): Promise<T> {
  const app = await createApp(parseConfig({ PORT: '0', ...env }), { log: createLog('silent') })
  try {
    const { port } = await app.listen()
    await app.startLoops()
    return await use({ url: `http://127.0.0.1:${port}` })
  } finally {
    await app.stop(GRACE_MS)
  }
}

/** Runs the service as a process of its own for as long as `use` takes. */
export async function withServiceProcess<T>(env: Env, use: (service: ServiceProcess) => Promise<T>): Promise<T> {
  const service = await startProcess(env)
  try {
    return await use(service)
  } finally {
    await service.end('SIGTERM')
  }
}

/** Registers somebody with sites and posts. Resolves with their token and what `everything` will return. */
export async function fill(env: Env, who = ADA): Promise<{ token: string; contents: object }> {
  return withService(env, async ({ url }) => {
    const client = createClient({ baseUrl: url })
    const { token } = await client.auth.register(who)
    const site = { url: 'https://blog.example.com', platform: 'custom' as const }
    // Nobody listens on the discard port: what is published stays pending.
    for (const name of ['One', 'Two']) await client.sites.create({ name, ...site, webhook_url: 'http://127.0.0.1:9/' })
    await createOnce(url, token)
    await client.posts.create({ title: ODD, tags: ['{a,"b"}', 'c\\d'], body: { markdown: `# ${ODD}` } })
    await client.posts.create({ title: 'Large', body: { markdown: `${ODD}\n\n`.repeat(2_000) } })
    await client.posts.create({ title: 'Sent', status: 'published' })
    const { job_id: jobId } = await client.drafts.generate({ topic: ODD, target_keywords: [ODD.slice(0, 40)] })
    await client.drafts.waitForDraft(jobId)
    return { token, contents: { ...(await readAll(client, url)), answer: await createOnce(url, token) } }
  })
}

/** Starts the service, logs somebody in and reads all their data, secrets included; and the status that an older token gets. */
export async function everything(env: Env, token?: string, who = ADA): Promise<object> {
  return withService(env, async ({ url }) => {
    const headers = { authorization: `Bearer ${token}` }
    const oldToken = token === undefined ? {} : { oldToken: (await fetch(`${url}/api/sites`, { headers })).status }
    const client = createClient({ baseUrl: url })
    const login = await client.auth.login({ email: who.email, password: who.password })
    return { ...(await readAll(client, url)), answer: await createOnce(url, login.token), ...oldToken }
  })
}

async function readAll(client: ReturnType<typeof createClient>, baseUrl: string): Promise<object> {
  const [{ sites: listed }, { data: posts }] = [await client.sites.list(), await client.posts.list()]
  const sites = await Promise.all(listed.map(({ id }) => client.sites.get(id)))
  return {
    sites,
    posts: await Promise.all(posts.map(({ id }) => client.posts.get(id))),
    pulled: await Promise.all(sites.map(({ api_key: apiKey }) => createPullClient({ baseUrl, apiKey }).list())),
  }
}

/** Creates a post the first time; later calls get the kept answer, which the database holds sealed like a secret. */
async function createOnce(url: string, token: string): Promise<object> {
  const response = await fetch(`${url}/api/posts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': 'only-once' },
    body: JSON.stringify({ title: 'Once' }),
  })
  return { status: response.status, replayed: response.headers.get('idempotent-replayed'), body: await response.json() }
}
