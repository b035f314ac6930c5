/** Many posts of the largest size, at once, in a process with the memory that operators give it. */
import { createClient } from '@postrider/sdk'
import pg from 'pg'
import { describe, expect, inject, it } from 'vitest'
import { createGround } from './support/installation.ts'
import { startProcess } from './support/process.ts'

const POSTS = 40

describe.runIf(inject('database').kind === 'postgres')('posts of the largest size', () => {
  it('come due together, are changed and listed together, and the service lives', async () => {
    const ground = await createGround()
    const env = await ground.emptyEnv()
    const service = await startProcess({ ...env, RATE_LIMIT_PRO: 'off', LOG_LEVEL: 'error' })
    const client = createClient({ baseUrl: service.url, timeoutMs: 60_000 })
    await client.auth.register({ name: 'Ada', email: 'ada@example.com', password: 'correct horse' })
    const site = { url: 'https://blog.example.com', platform: 'custom', webhook_url: 'http://127.0.0.1:9/' } as const
    await client.sites.create({ name: 'One', ...site })
    // The dash makes JavaScript keep each character in two bytes.
    const html = `<p>${'Words and — more words. '.repeat(36_000)}</p>`
    const { id } = await client.posts.create({ title: 'Large', body: { html } })
    const database = new pg.Client({ connectionString: env.DATABASE_URL })
    await database.connect()
    const columns =
      'account_id, version, title, excerpt, body_html, body_markdown, body_json, meta, tags, search, created_at'
    await database.query(
      `insert into posts (id, slug, status, scheduled_at, updated_at, ${columns})
       select uuidv7(), 'large-' || n, 'scheduled', now() + interval '1 second', now(), ${columns}
       from posts, generate_series(1, $2::int) n where id = $1`,
      [id, POSTS],
    )
    const published = async () => (await client.posts.list({ status: 'published', limit: 1 })).pagination.total
    await expect.poll(published, { timeout: 60_000, interval: 500 }).toBe(POSTS)
    const { data } = await client.posts.list({ status: 'published', limit: 100 })
    expect(data.map(({ body }) => body.html.length)).toEqual(Array.from({ length: POSTS }, () => html.length))
    const ids = data.map((post) => post.id)
    await client.posts.bulk({ ids, action: 'tag', tag: 'large' })
    expect((await client.posts.list({ tag: 'large', limit: 1 })).pagination.total).toBe(POSTS)
    expect(await service.end('SIGTERM')).toBe(0)
    await database.end()
    await ground.remove()
  })
})
