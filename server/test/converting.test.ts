/** Bodies are converted beside everything else, and the accounts have their turns. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Api, newApi } from './support/api.ts'
import { startService, type TestService } from './support/service.ts'

let service: TestService

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

/** Takes about a hundred times as long as honest text of its length. */
const COSTLY = { markdown: '*a* **b** [c](http://d.e) '.repeat(250) }
const HONEST = { markdown: 'A paragraph of a post, as posts have them.\n\n'.repeat(30) }

const converting = (api: Api, body: object) => api.post('/api/posts/convert', body)

it('an account that sends many costly ones keeps only itself waiting', async () => {
  const [many, one] = [await newApi(service), await newApi(service)]
  let done = 0
  const costly = Array.from({ length: 10 }, async () => {
    const { status } = await converting(many, COSTLY)
    done += 1
    return status
  })
  // Others are answered while the first is converted, and wait for no more than that one.
  expect((await one.get('/api/posts')).status).toBe(200)
  expect(done).toBeLessThan(2)
  expect((await converting(one, HONEST)).status).toBe(200)
  expect(done).toBeLessThan(4)
  expect(new Set(await Promise.all(costly))).toEqual(new Set([200]))
})

it('not any number of one account may wait', async () => {
  const [many, one] = [await newApi(service), await newApi(service)]
  const asked = Array.from({ length: 40 }, () => converting(many, COSTLY))
  const refused = (await Promise.race(
    asked.map(async (each) => ((await each).status === 503 ? each : new Promise(() => {}))),
  )) as Awaited<(typeof asked)[0]>
  expect(refused).toMatchObject({ status: 503, json: { error: 'unavailable' } })
  expect((await converting(one, HONEST)).status).toBe(200)
  await Promise.all(asked)
})

it('a body that is refused names its field, whoever converts it', async () => {
  const api = await newApi(service)
  const unknown = { type: 'doc', content: [{ type: 'unheard-of' }] }
  const long = { ...unknown, content: [...unknown.content, ...Array(100).fill({ type: 'paragraph' })] }
  for (const json of [unknown, long]) {
    const answer = await api.post('/api/posts', { title: 'A post', body: { json } })
    expect(answer).toMatchObject({ status: 400, json: { field: 'body.json.content.0.type' } })
  }
})

it('a change of a post that others change meanwhile is converted from what the post has become', async () => {
  const api = await newApi(service)
  const { json: post } = await api.post('/api/posts', { title: 'A post', body: HONEST })
  const texts = Array.from({ length: 8 }, (_, index) => `${HONEST.markdown}Version ${index}`)
  const path = `/api/posts/${post.id}`
  const stored = (await api.get(path)).json.body as Record<string, string>
  // Each gives the forms that it has read, with one changed: the others are the stored ones, or no longer.
  const changes = texts.map((markdown) => api.patch(path, { body: { ...stored, markdown } }))
  expect((await Promise.all(changes)).map(({ status }) => status)).toEqual(texts.map(() => 200))
  const { body } = (await api.get(path)).json as { body: Record<string, string> }
  expect((await converting(api, { json: body.json })).json).toMatchObject({ html: body.html, json: body.json })
})
