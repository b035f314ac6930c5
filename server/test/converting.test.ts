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
/** Few characters, but more cells than a body may have. */
const WIDE = { markdown: `${'|'.repeat(61)}\n${'|-'.repeat(60)}|\n${'a\n'.repeat(380)}` }
const HONEST = { markdown: 'A paragraph of a post, as posts have them.\n\n'.repeat(30) }

const converting = (api: Api, body: object) => api.post('/api/posts/convert', body)

it.each([
  ['long', COSTLY, 200],
  ['short', WIDE, 400],
])('an account that sends many costly ones, each %s, keeps only itself waiting', async (_, body, answered) => {
  const [many, one] = [await newApi(service), await newApi(service)]
  let done = 0
  const costly = Array.from({ length: 10 }, async () => {
    const { status } = await converting(many, body)
    done += 1
    return status
  })
  // Others are answered while the first is converted, and wait for no more than that one.
  expect((await one.get('/api/posts')).status).toBe(200)
  expect(done).toBeLessThan(2)
  expect((await converting(one, HONEST)).status).toBe(200)
  expect(done).toBeLessThan(4)
  expect(new Set(await Promise.all(costly))).toEqual(new Set([answered]))
})

it('not any number of characters of one account may wait, and a single body may be as large as any', async () => {
  const [many, one] = [await newApi(service), await newApi(service)]
  const code = (lines: number) => ({ markdown: `\`\`\`\n${`${'code '.repeat(30)}\n`.repeat(lines)}\`\`\`\n` })
  const asked = await Promise.all(Array.from({ length: 8 }, () => converting(many, code(2_000))))
  expect(asked.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 503, 503, 503, 503])
  expect(asked.find(({ status }) => status === 503)).toMatchObject({ json: { error: 'unavailable' } })
  expect(
    (await Promise.all([converting(one, HONEST), converting(one, { html: `<p>${'word '.repeat(200_000)}</p>` })])).map(
      ({ status }) => status,
    ),
  ).toEqual([200, 200])
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
  const path = `/api/posts/${post.id}`
  const stored = (await api.get(path)).json.body as Record<string, string>
  // Each sends back what it has read with one form changed. For all but the first the other forms are new as well by then, and JSON is the richest.
  const changes = Array.from({ length: 8 }, (_, index) =>
    api.patch(path, { body: { ...stored, markdown: `${HONEST.markdown}Version ${index}` } }),
  )
  expect((await Promise.all(changes)).map(({ status }) => status)).toEqual(changes.map(() => 200))
  expect((await api.get(path)).json.body).toMatchObject({ json: stored.json, html: stored.html })
})
