/** The plugin on PHP with as much of WordPress as it needs, for tests that take a moment; `real.ts` has the real one. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHmac, randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectionCode } from '@postrider/sdk'
import { freePort } from '../../../server/test/support/free-port.ts'

/** Whether there is a PHP to run it. */
export const HAS_PHP = spawnSync('php', ['--version']).status === 0

const KEY = Buffer.alloc(24, 1)

/** What a site has that is connected to the service at `url`. */
export function codeFor(url: string): string {
  return connectionCode({ url, site: 'site', key: 'pr_key', secret: `whsec_${KEY.toString('base64')}` })
}

/** A post as WordPress has it, as far as the tests look. */
export type Row = {
  ID: number
  post_title: string
  post_name: string
  post_content: string
  post_excerpt: string
  post_status: string
  post_author: number
  post_category?: number[]
  post_date_gmt: string
  tags_input: string[]
  meta: Record<string, unknown>
}

/** An answer to a webhook. */
export type Answer = { status: number; body: { ok?: boolean; message: string; url?: string; store?: string } }

/** How far the site is with earlier posts. */
export type Progress = {
  state: string
  cursor: string
  done: number
  failed: number
  until: number
  message: string
  again: boolean
}

/** A request as it is sent. */
export type Sent = { body: string; id: string; timestamp: string; signature: string }

/** An event, signed now. */
export function signed(event: object, { id = randomUUID(), secondsAgo = 0 } = {}): Sent {
  const body = JSON.stringify(event)
  const timestamp = String(Math.floor(Date.now() / 1000) - secondsAgo)
  const signature = `v1,${createHmac('sha256', KEY).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  return { body, id, timestamp, signature }
}

/** Starts the plugin with its posts in a directory; `env` may name an SEO plugin or another connection. */
export async function startBench(env: Record<string, string> = {}, shared?: string) {
  const dir = shared ?? (await mkdtemp(join(tmpdir(), 'postrider-wordpress-')))
  const postsFile = join(dir, 'posts.json')
  const url = `http://127.0.0.1:${await freePort()}`
  const child: ChildProcess = spawn(
    'php',
    ['-d', 'display_errors=1', '-S', url.slice('http://'.length), join(import.meta.dirname, 'bench.fixture.php')],
    {
      env: {
        PATH: process.env.PATH,
        POSTRIDER_CONNECTION: codeFor('https://service.example'),
        POSTS_FILE: postsFile,
        ...env,
      },
      stdio: 'ignore',
    },
  )
  while (!(await fetch(url).catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error('php ended')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const rows = async (): Promise<Row[]> =>
    Object.values(JSON.parse(await readFile(postsFile, 'utf8').catch(() => '{}')))
  return {
    dir,
    rows,
    /** The only post. */
    async row(): Promise<Row> {
      const [row, ...more] = await rows()
      if (row === undefined || more.length > 0) throw new Error(`there are ${more.length + (row ? 1 : 0)} posts`)
      return row
    },
    /** What somebody does to the only post in WordPress. */
    async edit(change: Partial<Row>): Promise<void> {
      const [row] = await rows()
      if (row === undefined) throw new Error('there is no post')
      await writeFile(postsFile, JSON.stringify({ [row.ID]: { ...row, ...change } }))
    },
    async setOption(name: string, value: unknown): Promise<void> {
      await writeFile(`${postsFile}.options`, JSON.stringify({ [name]: value }))
    },
    async send({ body, id, timestamp, signature }: Sent): Promise<Answer> {
      const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
      const response = await fetch(`${url}/wp-json/postrider/v1/webhook`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', ...headers },
      })
      return { status: response.status, body: JSON.parse(await response.text()) }
    },
    /** Begins to fetch earlier posts, or goes on by a batch; resolves with how far it is. */
    async catchUp(what: 'begin' | 'step', cursor = ''): Promise<Progress> {
      return (await (await fetch(`${url}/?catch-up=${what}&cursor=${cursor}`)).json()) as Progress
    },
    /** Lets the time pass for which it waits. */
    async waitIsOver(): Promise<void> {
      const options = JSON.parse(await readFile(`${postsFile}.options`, 'utf8'))
      options.postrider_catch_up.until = 0
      await writeFile(`${postsFile}.options`, JSON.stringify(options))
    },
    /** The head of the only post's page. */
    head: async () => (await fetch(`${url}/?p=1`)).text(),
    async stop() {
      child.kill()
      if (shared === undefined) await rm(dir, { recursive: true, force: true })
    },
  }
}

/** A running bench. */
export type Bench = Awaited<ReturnType<typeof startBench>>
