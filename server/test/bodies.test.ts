import type { PostriderClient, SiteWithSecrets } from '@postrider/sdk'
import { createPullClient } from '@postrider/sdk'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { connectSite, newAccount, startService, type TestService } from './support/service.ts'

let service: TestService
let receiver: Receiver
let client: PostriderClient
let site: SiteWithSecrets

beforeAll(async () => {
  service = await startService()
  receiver = await startReceiver()
  client = await newAccount(service)
  site = await connectSite(client, receiver)
})
afterAll(async () => {
  await receiver.close()
  await service.stop()
})

it('says what a body lost, in the answers to writes and in their repetition', async () => {
  const html = '<p>a</p><script>b</script><img src="data:image/png;base64,AA">'
  const warnings = [
    { code: 'element_removed', field: 'body.html', message: expect.any(String), count: 1 },
    { code: 'media_removed', field: 'body.html', message: expect.stringContaining('data:'), count: 1 },
  ]
  const options = { idempotencyKey: 'lossy' }
  const created = await client.posts.create({ title: 'Lossy', body: { html } }, options)
  expect(created.warnings).toEqual(warnings)
  expect(await client.posts.create({ title: 'Lossy', body: { html } }, options)).toEqual(created)
  expect(await client.posts.get(created.id)).not.toHaveProperty('warnings')
  expect(await client.posts.update(created.id, { excerpt: 'e' })).not.toHaveProperty('warnings')
  expect((await client.posts.update(created.id, { body: { html: `${html}<p>b</p>` } })).warnings).toEqual(warnings)
  expect(await client.posts.convert({ html: '<p>a</p>' })).not.toHaveProperty('warnings')
})

it('gives sites no Markdown that may run or load what their HTML may not, and authors their own', async () => {
  const markdown = 'A **b**\n\n<img src=x onerror=alert(1)><script>c</script>\n\n[d](javascript:e) <kbd>f</kbd>\n'
  const post = await client.posts.create({ title: 'Markup', body: { markdown }, status: 'published' })
  expect(post.body.markdown).toBe(markdown)
  const safe = 'A **b**\n\n![](x)\n\nd <kbd>f</kbd>\n'
  const pull = createPullClient({ baseUrl: service.url, apiKey: site.api_key })
  expect((await pull.get(post.slug)).body.markdown).toBe(safe)
  await service.drain()
  expect(JSON.parse(receiver.received.at(-1)?.body ?? '').post.body.markdown).toBe(safe)

  const plain = '*  Mine*, `<b>` and [g](/h)\n'
  await client.posts.update(post.id, { body: { markdown: plain } })
  expect((await pull.get(post.slug)).body.markdown).toBe(plain)
})
