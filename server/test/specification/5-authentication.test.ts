/** Section 5 of the specification: the two ways in, and the signature on the way out. */
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Api, newApi, newPost, newSite } from '../support/api.ts'
import { request } from '../support/http.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let receiver: Receiver
let api: Api

beforeAll(async () => {
  service = await startService()
  receiver = await startReceiver()
  api = await newApi(service)
})
afterAll(async () => {
  await receiver.close()
  await service.stop()
})

const MANAGEMENT = ['/api/posts', '/api/sites', '/api/analytics/overview']

it('§5 Management API: the token of register or login as Bearer, for 7 days', async () => {
  const person = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }
  const post = (path: string, body: unknown) => request(service.url + path, { method: 'POST', body })
  const { email, password } = person
  const registered = (await post('/api/auth/register', person)).json
  const loggedIn = (await post('/api/auth/login', { email, password })).json
  const ask = async (headers: Record<string, string>) => {
    const answers = await Promise.all(MANAGEMENT.map((path) => request(service.url + path, { headers })))
    return [...new Set(answers.map(({ status, json }) => (status === 200 ? 200 : `${status} ${json.error}`)))]
  }
  const bearer = (token: unknown) => ({ authorization: `Bearer ${token}` })
  for (const { token } of [registered, loggedIn]) expect(await ask(bearer(token))).toEqual([200])
  expect(await ask({})).toEqual(['401 unauthorized'])
  expect(await ask({ authorization: String(loggedIn.token) })).toEqual(['401 unauthorized'])
  expect(await ask({ 'x-api-key': String(loggedIn.token) })).toEqual(['401 unauthorized'])

  const sevenDays = 7 * 86_400_000
  service.clock.advance(sevenDays - 1_000)
  expect(await ask(bearer(loggedIn.token))).toEqual([200])
  service.clock.advance(1_000)
  expect(await ask(bearer(loggedIn.token))).toEqual(['401 unauthorized'])
  const again = (await post('/api/auth/login', { email, password })).json
  expect(await ask(bearer(again.token))).toEqual([200])
})

it('§5 Pull API: the key of a site, good for that site only, until it is rotated', async () => {
  api = await newApi(service)
  const [one, two] = [await newSite(api, receiver.url), await newSite(api, receiver.url)]
  const post = await newPost(api, { title: 'For one' })
  await api.post(`/api/posts/${post.id}/publish`, { site_ids: [one.id] })
  const pull = async (key: unknown, path = '/api/pull/posts/for-one') =>
    (await request(service.url + path, { headers: { 'x-api-key': String(key) } })).status
  expect(await pull(one.api_key)).toBe(200)
  expect(await pull(two.api_key)).toBe(404)
  for (const path of MANAGEMENT) expect(await pull(one.api_key, path)).toBe(401)
  expect((await request(`${service.url}/api/pull/posts`, { token: String(one.api_key) })).status).toBe(401)
  service.clock.advance(365 * 86_400_000)
  expect(await pull(one.api_key)).toBe(200)

  api = await newApi(service)
  const site = await newSite(api, receiver.url)
  const rotate = `/api/sites/${site.id}/rotate-keys`
  const withKey = await request(service.url + rotate, { method: 'POST', headers: { 'x-api-key': `${site.api_key}` } })
  expect(withKey.status).toBe(401)
  const rotated = (await api.post(rotate)).json
  expect(await pull(site.api_key, '/api/pull/posts')).toBe(401)
  expect(await pull(rotated.new_api_key, '/api/pull/posts')).toBe(200)
})

it('§5 Webhooks: sha256= and the HMAC-SHA256 of the raw body', async () => {
  await service.drain()
  receiver.received.length = 0
  api = await newApi(service)
  const site = await newSite(api, receiver.url)
  await newPost(api, { title: 'Signed: “ü” 🌱', status: 'published' })
  await service.drain()
  const [delivery] = receiver.received
  const mac = createHmac('sha256', String(site.webhook_secret)).update(String(delivery?.body)).digest('hex')
  expect(delivery?.headers['x-service-signature']).toBe(`sha256=${mac}`)
})
