/** The two ways to an endpoint that is asked often, the direct one and the router's, differ in nothing that a client sees. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PostriderClient, SiteWithSecrets } from '@postrider/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPipeline } from '../src/platform/http/pipeline.ts'
import { pullRoutes } from '../src/pull/index.ts'
import { request } from './support/http.ts'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { connectSite, newAccount, startService, type TestService } from './support/service.ts'

let service: TestService
let receiver: Receiver
let client: PostriderClient
let site: SiteWithSecrets
let tag = ''

beforeAll(async () => {
  service = await startService({ RATE_LIMIT_PULL: '8/h' })
  receiver = await startReceiver()
  client = await newAccount(service)
  site = await connectSite(client, receiver)
  await client.posts.create({ title: 'Bread & “butter” 🍞', tags: ['kitchen'], status: 'published' })
  tag = (await ask('/posts', { 'X-API-Key': site.api_key })).headers.get('etag') ?? ''
})
afterAll(async () => {
  await receiver.close()
  await service.stop()
})

/** The router takes escapes for what they stand for; the direct way leaves paths that have any to it. */
const ask = (path: string, headers: Record<string, string>, pull = 'pull') =>
  request(`${service.url}/api/${pull}${path}`, { headers })

/** What may differ from one request to the next. */
const OWN = ['date', 'x-request-id', 'ratelimit-remaining']

async function answers(path: string, headers: Record<string, string>) {
  return Promise.all(
    ['pull', 'p%75ll'].map(async (pull) => {
      const { status, headers: got, json } = await ask(path, headers, pull)
      return {
        status,
        headers: [...got].filter(([name]) => !OWN.includes(name)).sort(),
        remaining: got.has('ratelimit-remaining'),
        id: got.get('x-request-id')?.length,
        json,
      }
    }),
  )
}

describe('a pull request', () => {
  it('takes the direct way', async () => {
    const endpoint = pullRoutes.find(({ name }) => name === 'pullPosts')
    if (endpoint === undefined) throw new Error('there is no such endpoint')
    const { app, direct } = createPipeline(service.ctx, [endpoint], [])
    const server = createServer((incoming, outgoing) => {
      if (!direct(incoming, outgoing)) outgoing.writeHead(418).end()
    }).listen(0)
    const url = `http://localhost:${(server.address() as AddressInfo).port}`
    const headers = { 'X-API-Key': site.api_key }
    expect((await fetch(`${url}/api/pull/posts?page=1`, { headers })).status).toBe(200)
    expect((await fetch(`${url}/api/p%75ll/posts?page=1`, { headers })).status).toBe(418)
    expect((await app.request('/api/p%75ll/posts?page=1', { headers })).status).toBe(200)
    server.close()
  })

  it.each([
    ['for a list', 200, '/posts?limit=5&page=1', () => ({})],
    ['for a post', 200, '/posts/bread-butter', () => ({})],
    ['for what is known', 304, '/posts', () => ({ 'If-None-Match': tag })],
    ['for a post that is not there', 404, '/posts/cake', () => ({})],
    ['for a page that there cannot be', 400, '/posts?page=0', () => ({})],
    ['with a bad key', 401, '/posts', () => ({ 'X-API-Key': 'nobody' })],
    ['too many', 429, '/posts', () => ({})],
  ] as const)('%s is answered the same on both ways', async (_, status, path, headers) => {
    service.clock.advance(3_600_000)
    if (status === 429) for (let count = 0; count < 8; count += 1) await ask(path, { 'X-API-Key': site.api_key })
    const [direct, routed] = await answers(path, { 'X-API-Key': site.api_key, ...headers() })
    expect(direct?.status).toBe(status)
    expect(direct).toEqual(routed)
  })
})
