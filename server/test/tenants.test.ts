import type { PostriderClient } from '@postrider/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpoints } from '../src/routes.ts'
import { request } from './support/http.ts'
import { connectSite, newAccount, startService, type TestService } from './support/service.ts'

let service: TestService
let mallory: string
let theirs: { posts: string; sites: string }

beforeAll(async () => {
  service = await startService()
  const owner: PostriderClient = await newAccount(service)
  const site = await connectSite(owner, { url: 'https://example.com/hook' })
  theirs = { posts: (await owner.posts.create({ title: 'Private plans' })).id, sites: site.id }
  const registered = await request(`${service.url}/api/auth/register`, {
    method: 'POST',
    body: { name: 'Mallory', email: 'mallory@example.com', password: 'let me in please' },
  })
  mallory = String(registered.json.token)
  await request(`${service.url}/api/posts`, {
    method: 'POST',
    token: mallory,
    body: { title: 'Own', status: 'published' },
  })
})
afterAll(() => service.stop())

const MISSING = '019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11'
const withId = endpoints.filter((one) => one.path.includes('{id}'))

describe("another account's resource", () => {
  it('is asked for in every way there is', () => {
    expect(withId.map(({ name }) => name).sort()).toEqual(
      [
        'deletePost',
        'getPostDeliveries',
        'retryPost',
        'deleteSite',
        'getPost',
        'getSite',
        'publishPost',
        'rotateSiteKeys',
        'testSiteDelivery',
        'updatePost',
        'updateSite',
      ].sort(),
    )
  })

  it.each(withId.map((one) => ({ name: one.name, one })))(
    'cannot be told from a missing one: $name',
    async ({ one }) => {
      const noun = one.path.includes('/posts/') ? 'posts' : 'sites'
      const ask = (id: string) =>
        request(service.url + one.path.replace('{id}', id), {
          method: one.method.toUpperCase(),
          token: mallory,
          ...(one.body === undefined ? {} : { body: {} }),
        })
      const [foreign, missing] = [await ask(theirs[noun]), await ask(MISSING)]
      expect(foreign.status).toBe(404)
      expect(foreign.json).toEqual(missing.json)
      const comparable = ({ headers }: typeof foreign) =>
        [...headers].filter(([name]) => !['x-request-id', 'date'].includes(name))
      expect(comparable(foreign)).toEqual(comparable(missing))
    },
  )

  it('never shows in lists, searches or filters', async () => {
    const titles = async (query: string) => {
      const { json } = await request(`${service.url}/api/posts${query}`, { token: mallory })
      return (json.data as Array<{ title: string }>).map(({ title }) => title)
    }
    expect(await titles('')).toEqual(['Own'])
    expect(await titles('?search=private')).toEqual([])
    expect(await titles(`?site_id=${theirs.sites}`)).toEqual([])
    expect(await titles(`?site_id=${MISSING}`)).toEqual([])
    expect((await request(`${service.url}/api/sites`, { token: mallory })).json).toEqual({ sites: [], total: 0 })
  })

  it('cannot be published to', async () => {
    const mine = await request(`${service.url}/api/posts`, { method: 'POST', token: mallory, body: { title: 'Spam' } })
    const publish = (siteId: string) =>
      request(`${service.url}/api/posts/${mine.json.id}/publish`, {
        method: 'POST',
        token: mallory,
        body: { site_ids: [siteId] },
      })
    const [foreign, missing] = [await publish(theirs.sites), await publish(MISSING)]
    expect({ status: foreign.status, ...foreign.json }).toMatchObject({
      status: 400,
      error: 'validation_error',
      field: 'site_ids.0',
    })
    expect(foreign.json).toEqual(missing.json)
  })
})
