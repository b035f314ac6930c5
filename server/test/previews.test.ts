/** Preview links: somebody without an account reads a post that is not published, until the link ends. */
import { createPullClient, type PostriderClient } from '@postrider/sdk'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { forgetPreviews } from '../src/posts/index.ts'
import { startReceiver } from './support/receiver.ts'
import { connectSite, newAccount, startService, type TestService } from './support/service.ts'

const DAY = 24 * 3_600_000

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

let client: PostriderClient
let id: string
beforeEach(async () => {
  client = await newAccount(service)
  const body = { html: '<p>Mix <b>flour</b> &amp; water.<script>alert(1)</script></p>' }
  ;({ id } = await client.posts.create({ title: 'Bread <script>alert(2)</script>', body }))
})

/** The page as a browser without an account gets it. */
async function visit(url: string) {
  const answer = await fetch(service.url + new URL(url).pathname)
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

describe('a preview link', () => {
  it('leads to a page of the draft that runs nothing, and that nobody finds or frames', async () => {
    const preview = await client.posts.previews.create(id)
    expect(Date.parse(preview.expires_at) - Date.parse(preview.created_at)).toBe(7 * DAY)
    expect(preview.url).toMatch(/\/preview\/[\w-]{43}$/)
    const { status, headers, text } = await visit(preview.url)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'.*frame-ancestors 'none'/)
    expect(headers.get('content-security-policy')).not.toContain('script-src')
    expect(headers.get('x-robots-tag')).toBe('noindex, nofollow')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toBe('private, no-store')
    expect(text).toContain('<p>Mix <b>flour</b> &amp; water.</p>')
    expect(text).toContain('<h1 dir="auto">Bread &lt;script&gt;alert(2)&lt;/script&gt;</h1>')
    expect(text).not.toContain('<script')
  })

  it('shows the post as it is when it is opened, with changes that are not published', async () => {
    const { url } = await client.posts.previews.create(id)
    await client.posts.update(id, { title: 'Second' })
    expect((await visit(url)).text).toContain('>Second</h1>')
    await client.posts.publish(id)
    await client.posts.workingCopy.save(id, { title: 'Third', body: { markdown: 'New *words*.' } })
    const { text } = await visit(url)
    expect(text).toContain('>Third</h1>')
    expect(text).toContain('New <em>words</em>.')
  })

  it('says so when it has expired, was taken back, or leads to the trash', async () => {
    const { url, id: previewId } = await client.posts.previews.create(id, { expires_in: 60 })
    service.clock.advance(1_000)
    const other = await client.posts.previews.create(id, { expires_in: 3_600 })
    expect((await client.posts.previews.list(id)).previews).toMatchObject([{ url }, { url: other.url }])
    service.clock.advance(60_000)
    expect(await visit(url)).toMatchObject({ status: 410, text: expect.stringContaining('This preview is over') })
    expect((await client.posts.previews.list(id)).previews).toMatchObject([{ url: other.url }])
    await client.posts.trash(id)
    expect((await visit(other.url)).status).toBe(410)
    await client.posts.untrash(id)
    expect((await visit(other.url)).status).toBe(200)
    await client.posts.previews.revoke(id, other.id)
    await client.posts.previews.revoke(id, previewId)
    expect((await visit(other.url)).status).toBe(410)
    expect((await client.posts.previews.list(id)).previews).toEqual([])
    await forgetPreviews(service.ctx.db.root, new Date(service.clock.now().getTime() + 31 * DAY))
    expect((await visit(url)).status).toBe(404)
    expect((await visit(`https://x.example/preview/${'x'.repeat(43)}`)).status).toBe(404)
  })

  it('is refused for longer than 90 days', async () => {
    for (const expires_in of [0, 90 * 24 * 3_600 + 1, 1.5])
      await expect(client.posts.previews.create(id, { expires_in })).rejects.toMatchObject({
        status: 400,
        field: 'expires_in',
      })
  })

  it('shows the post in the design of the sites of its account only', async () => {
    const { url } = await client.posts.previews.create(id)
    const token = url.split('/').at(-1) ?? ''
    const receiver = await startReceiver()
    const pullOf = async (owner: PostriderClient) =>
      createPullClient({ baseUrl: service.url, apiKey: (await connectSite(owner, receiver)).api_key })
    const own = await pullOf(client)
    const other = await pullOf(await newAccount(service))
    const post = await client.posts.get(id)
    expect(await own.preview(token)).toMatchObject({ id, title: post.title, published_at: post.updated_at })
    await expect(own.get(post.slug)).rejects.toMatchObject({ status: 404 })
    await expect(other.preview(token)).rejects.toMatchObject({ status: 404 })
    service.clock.advance(8 * DAY)
    await expect(own.preview(token)).rejects.toMatchObject({ status: 410 })
    await receiver.close()
  })
})
