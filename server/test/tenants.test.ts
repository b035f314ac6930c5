/**
 * Every operation of the document × every id it takes × everybody who must not get through: what is somebody else's is
 * answered like what is nowhere, and shows nothing. A new operation fails here until it is listed.
 */
import { createClient } from '@postrider/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SCOPE_NAMES } from '../src/accounts/api-tokens/scopes.ts'
import { type Api, newApi, newPost, newSite } from './support/api.ts'
import { type PlainResponse, request } from './support/http.ts'
import { type Operation, operations, resolved, type Schema } from './support/operations.ts'
import { smallPicture } from './support/pictures.ts'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { startService, type TestService } from './support/service.ts'

/** Where an operation takes an id. */
type Place = { in: 'path' | 'query' | 'body'; name: string }

/** What an id of somebody else is answered with, by operation and place. Beside 404: see the tests of the endpoint. */
const FOREIGN: Record<string, number> = {
  'listPosts query site_id': 400,
  'listPostSummaries query site_id': 400,
  'createPost body primary_site_id': 400,
  'createPost body site_ids': 400,
  'updateAccount body primary_site_id': 400,
  'changePosts body ids': 200, // passed over
  'changePosts body site_ids': 400,
  'changePosts body primary_site_id': 400,
  'getPost path id': 404,
  'updatePost path id': 404,
  'updatePost body site_ids': 400,
  'updatePost body primary_site_id': 400,
  'getPostCanonical path id': 404,
  'deletePost path id': 404,
  'duplicatePost path id': 404,
  'listRevisions path id': 404,
  'diffRevisions path id': 404,
  'getRevision path id': 404,
  'restoreRevision path id': 404,
  'trashPost path id': 404,
  'listProposals query post_id': 200, // a filter that nothing passes
  'proposePost path id': 404,
  'dismissProposal path id': 404,
  'createPreview path id': 404,
  'listPreviews path id': 404,
  'revokePreview path id': 404,
  'revokePreview path preview_id': 404,
  'untrashPost path id': 404,
  'getWorkingCopy path id': 404,
  'saveWorkingCopy path id': 404,
  'discardWorkingCopy path id': 404,
  'publishWorkingCopy path id': 404,
  'getMedium path id': 404,
  'updateMedium path id': 404,
  'deleteMedium path id': 404,
  'publishPost path id': 404,
  'publishPost body site_ids': 400,
  'generateDraft body site_id': 400,
  'getGenerationJob path job_id': 404,
  'cancelGenerationJob path job_id': 404,
  'getSite path id': 404,
  'updateSite path id': 404,
  'deleteSite path id': 404,
  'rotateSiteKeys path id': 404,
  'testSiteDelivery path id': 404,
  'backfillSite path id': 404,
  'retrySite path id': 404,
  'checkPages path id': 404,
  'checkPages body post_id': 404,
  'updateNotificationChannel path id': 404,
  'deleteNotificationChannel path id': 404,
  'testNotificationChannel path id': 404,
  'listDeliveries query site_id': 400,
  'listDeliveries query post_id': 200, // a filter that nothing passes
  'getDelivery path id': 404,
  'retryDelivery path id': 404,
  'retryDeliveries body ids': 202, // passed over
  'retryDeliveries body site_id': 400,
  'getOverview query site_id': 400,
  'getDeliveriesOverTime query site_id': 400,
  'getPostDeliveries path id': 404,
  'listFailures query site_id': 400,
  'retryPost path id': 404,
  'retryPost body site_id': 400,
  'revokeToken path id': 404,
  'createToken body site_ids': 400,
  'getImport path id': 404,
  'listImportedPosts path id': 404,
  'runImport path id': 404,
  'deleteImport path id': 404,
  'pullPost path slug': 404,
  'pullPreview path token': 404,
  'lookUpPost query slug': 200, // with nothing in it
  'confirmDelivery body post_id': 404,
  'confirmDelivery body site_id': 403,
}

/** What bodies need beside ids. */
const BODIES: Record<string, object> = {
  createPost: { title: 'Stolen' },
  updatePost: { title: 'Stolen' },
  createToken: { name: 'Stolen', scopes: ['posts:read'] },
  changePosts: { action: 'publish' },
  generateDraft: { topic: 'Stolen' },
  proposePost: { reason: 'Stolen' },
  updateSite: { name: 'Stolen' },
  updateNotificationChannel: { events: [] },
  updateMedium: { alt: 'Stolen' },
  confirmDelivery: { status: 'delivered' },
}

/** The ids of somebody, by the names that paths, queries and bodies have for them. */
type Ids = Record<
  | 'post_id'
  | 'site_id'
  | 'delivery_id'
  | 'job_id'
  | 'channel_id'
  | 'import_id'
  | 'medium_id'
  | 'preview_id'
  | 'token_id'
  | 'token'
  | 'slug',
  string
>

const NOWHERE: Ids = {
  post_id: '019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11',
  site_id: '019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a12',
  delivery_id: '019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a13',
  job_id: '019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a14',
  channel_id: '019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a15',
  preview_id: '019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a16',
  token: 'n'.repeat(43),
  medium_id: '019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a17',
  import_id: '019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a18',
  token_id: '019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a19',
  slug: 'nowhere',
}

/** Somebody with rights of their own: headers by the way in, and what is theirs. */
type Stranger = { name: string; headers: Record<string, string>; ids: Ids }

let service: TestService
let receiver: Receiver
let owner: Api
let theirs: Ids
/** Texts that only the owner may see. */
let secrets: string[]
let before: unknown
/** By the way in that they use. */
let strangers: Record<string, Stranger[]>
/** What opens nothing, by name; `lets` is the way in where the same would be right. */
let wrong: Record<string, { headers: Record<string, string>; lets?: string }>

beforeAll(async () => {
  service = await startService()
  receiver = await startReceiver()
  const expired = await signedIn(await newApi(service))
  service.clock.advance(7 * 86_400_000)
  owner = await newApi(service)
  const site = await newSite(owner, receiver.url, { name: 'Private blog' })
  const post = await newPost(owner, { title: 'Private plans', slug: 'private-plans', body: { markdown: 'Buy gold.' } })
  await owner.post(`/api/posts/${post.id}/publish`, { site_ids: [site.id] })
  await service.drain()
  receiver.received.length = 0
  theirs = {
    post_id: post.id,
    site_id: String(site.id),
    delivery_id: await deliveryOf(owner, post.id),
    job_id: await newJob(owner, 'Private plans'),
    channel_id: await newChannel(owner),
    ...(await newPreview(owner, post.id)),
    medium_id: await newPicture(owner, 'Private loaf'),
    import_id: await newImport(owner, 'Private plans'),
    token_id: (await newToken(owner, 'Private program')).id,
    slug: post.slug,
  }
  secrets = ['Private', 'Buy gold', String(site.api_key), String(site.webhook_secret), owner.user.email]
  const sibling = await withThings(owner, 'sibling')
  await service.drain()
  before = await ownersView()
  const other = await newApi(service)
  const others = await withThings(other, 'others')
  const { cookie } = await signedIn(other)
  const bearer = (token: unknown) => ({ authorization: `Bearer ${token}` })
  const key = (text: unknown) => ({ 'x-api-key': String(text) })
  strangers = {
    accessToken: [{ name: 'the token of another account', headers: bearer(other.token), ids: others.ids }],
    dashboardSession: [
      { name: 'the session of another account', headers: { cookie, origin: service.url }, ids: others.ids },
    ],
    apiToken: [{ name: 'the token of a program of another account', headers: bearer(others.token), ids: others.ids }],
    siteKey: [
      { name: "the key of another account's site", headers: key(others.apiKey), ids: others.ids },
      { name: 'the key of another site of the account', headers: key(sibling.apiKey), ids: sibling.ids },
    ],
  }
  const session = await signedIn(owner)
  wrong = {
    nothing: { headers: {} },
    'an expired token': { headers: bearer(expired.token) },
    'an expired session': { headers: { cookie: expired.cookie, origin: service.url } },
    'a garbled token': { headers: bearer(`${owner.token}x`) },
    'the token as a key': { headers: key(owner.token) },
    'the token as a session': { headers: { cookie: `postrider_session=${owner.token}`, origin: service.url } },
    'the session as a token': { headers: bearer(session.cookie.split('=')[1]) },
    'the session from elsewhere': { headers: { cookie: session.cookie, origin: 'https://elsewhere.example' } },
    'the token': { headers: bearer(owner.token), lets: 'accessToken' },
    'the session': { headers: { cookie: session.cookie, origin: service.url }, lets: 'dashboardSession' },
    "the site's key": { headers: key(site.api_key), lets: 'siteKey' },
    "the site's key as a token": { headers: bearer(site.api_key) },
    "another site's key": { headers: key(sibling.apiKey), lets: 'siteKey' },
    "the site's former key": { headers: key(sibling.formerKey) },
  }
})
afterAll(async () => {
  await receiver.close()
  await service.stop()
})

/** All that the owner can see of what is theirs. */
async function ownersView(): Promise<unknown> {
  const paths = [
    '/api/posts',
    '/api/sites',
    '/api/deliveries',
    '/api/notifications/channels',
    '/api/tokens',
    '/api/media',
    `/api/posts/${theirs.post_id}`,
    `/api/sites/${theirs.site_id}`,
    `/api/posts/generate/${theirs.job_id}`,
    `/api/imports/${theirs.import_id}`,
  ]
  const analytics = ['overview', 'deliveries', 'failures', `posts/${theirs.post_id}/deliveries`]
  const all = [...paths, ...analytics.map((name) => `/api/analytics/${name}`)]
  return Promise.all(all.map(async (path) => (await owner.get(path)).json))
}

/** The token and the session cookie of an account. */
async function signedIn(api: Api): Promise<{ token: string; cookie: string }> {
  const body = { email: api.user.email, password: api.password, session: 'cookie' }
  const headers = { origin: service.url }
  const answer = await request(`${service.url}/api/auth/login`, { method: 'POST', body, headers })
  return { token: api.token, cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' }
}

/** Gives an account a site and a post published to it, which are not what is to be protected. */
async function withThings(
  api: Api,
  slug: string,
): Promise<{ ids: Ids; apiKey: unknown; formerKey: unknown; token: string }> {
  const site = await newSite(api, 'https://example.com/hook', { name: slug })
  const post = await newPost(api, { title: slug, slug })
  await api.post(`/api/posts/${post.id}/publish`, { site_ids: [site.id] })
  const { new_api_key } = (await api.post(`/api/sites/${site.id}/rotate-keys`)).json
  const program = await newToken(api)
  const ids = {
    post_id: post.id,
    site_id: String(site.id),
    delivery_id: await deliveryOf(api, post.id),
    job_id: await newJob(api, slug),
    channel_id: await newChannel(api),
    ...(await newPreview(api, post.id)),
    medium_id: await newPicture(api, slug),
    import_id: await newImport(api, slug),
    token_id: program.id,
    slug,
  }
  return { ids, apiKey: new_api_key, formerKey: site.api_key, token: program.token }
}

/** The id of a job that writes a draft. */
async function newJob(api: Api, topic: string): Promise<string> {
  return String((await api.post('/api/posts/generate', { topic })).json.job_id)
}

/** A preview link: its id, and the end of its address. */
async function newPreview(api: Api, postId: string): Promise<{ preview_id: string; token: string }> {
  const { id, url } = (await api.post(`/api/posts/${postId}/previews`)).json
  return { preview_id: String(id), token: String(url).split('/').at(-1) ?? '' }
}

/** A token of a program that may do everything a program may. */
async function newToken(api: Api, name = 'A program'): Promise<{ id: string; token: string }> {
  const { id, token } = (await api.post('/api/tokens', { name, scopes: SCOPE_NAMES })).json
  return { id: String(id), token: String(token) }
}

/** The id of a notification channel. */
async function newChannel(api: Api): Promise<string> {
  const body = { kind: 'slack', target: 'https://chat.example.com/hooks/private' }
  return String((await api.post('/api/notifications/channels', body)).json.id)
}

/** The id of a picture. */
async function newPicture({ token }: Api, alt: string): Promise<string> {
  const client = createClient({ baseUrl: service.url, token })
  return (await client.media.upload(new Blob([await smallPicture()]), { alt })).id
}

/** The id of an import of one post. */
async function newImport(api: Api, title: string): Promise<string> {
  const raw = JSON.stringify({ data: { posts: [{ id: '1', title, html: '<p>Buy gold.</p>' }] } })
  return String((await request(`${service.url}/api/imports`, { method: 'POST', token: api.token, raw })).json.import_id)
}

/** The id of a post's newest delivery. */
async function deliveryOf(api: Api, postId: string): Promise<string> {
  const { data } = (await api.get(`/api/deliveries?post_id=${postId}`)).json as { data: Array<{ id: string }> }
  return String(data[0]?.id)
}

/** Which id belongs in a place. */
function kindOf({ path }: Operation, { name }: Place): keyof Ids {
  const own = path.includes('/channels/')
    ? 'channel_id'
    : path.includes('/media/')
      ? 'medium_id'
      : path.includes('/imports/')
        ? 'import_id'
        : path.includes('/tokens/')
          ? 'token_id'
          : path.includes('/posts/')
            ? 'post_id'
            : path.includes('/deliveries/')
              ? 'delivery_id'
              : 'site_id'
  const kind = /^ids?$/.test(name) ? own : name.replace(/^primary_|s$/g, '')
  if (kind in NOWHERE) return kind as keyof Ids // it is a key
  throw new Error(`${path} takes "${name}": say here whose id that is`)
}

/** What looks like ids and is none: a place in a stream is a time, a version a number, and neither says whose. */
const NO_IDS = new Set(['last_event_id', 'version'])

/** The path of an operation, with these ids; of whatever has versions the first. */
const pathWith = (one: Operation, idAt: (place: Place) => string) =>
  one.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (NO_IDS.has(name) ? '1' : idAt({ in: 'path', name })))

function placesOf({ parameters, body }: Operation): Place[] {
  const properties = Object.entries((body?.schema.properties ?? {}) as Record<string, Schema>)
  return [
    ...parameters.flatMap((one) => (one.in === 'path' || one.in === 'query' ? [{ in: one.in, name: one.name }] : [])),
    ...properties
      .filter(([, schema]) => resolved(schema).readOnly !== true)
      .map(([name]) => ({ in: 'body' as const, name })),
  ].filter(
    ({ in: where, name }) =>
      !NO_IDS.has(name) && (where === 'path' || (where === 'query' && name === 'slug') || /(^|_)ids?$/.test(name)),
  )
}

/** Asks with the stranger's own ids everywhere but at `place`, where `id` stands. */
function ask(one: Operation, stranger: Stranger, place: Place, id: Ids): Promise<PlainResponse> {
  const idAt = (at: Place) => (at.in === place.in && at.name === place.name ? id : stranger.ids)[kindOf(one, at)]
  const valueAt = (at: Place) => (at.name.endsWith('ids') ? [idAt(at)] : idAt(at))
  const required = placesOf(one).filter((at) => at.in !== 'query' || at.name === place.name)
  const path = pathWith(one, idAt)
  const query = required.filter((at) => at.in === 'query').map((at) => `${at.name}=${idAt(at)}`)
  const ids = required.filter((at) => at.in === 'body').map((at) => [at.name, valueAt(at)])
  return request(`${service.url}${path}?${query.join('&')}`, {
    method: one.method,
    headers: stranger.headers,
    ...(one.body === undefined ? {} : { body: { ...BODIES[one.name], ...Object.fromEntries(ids) } }),
  })
}

function expectNothingShown({ json }: PlainResponse): void {
  for (const secret of secrets) expect(JSON.stringify(json)).not.toContain(secret)
}

const secured = operations.filter(({ security }) => security.length > 0)
const withIds = secured.flatMap((one) =>
  placesOf(one).map((place) => ({ name: `${one.name} ${place.in} ${place.name}`, one, place })),
)

it('every id that an operation takes is listed, and every way in has its strangers', () => {
  expect(withIds.map(({ name }) => name).sort()).toEqual(Object.keys(FOREIGN).sort())
  expect([...new Set(secured.flatMap(({ security }) => security))].sort()).toEqual(Object.keys(strangers).sort())
})

describe('who may not get through', () => {
  it.each(secured.map((one) => ({ name: one.name, one })))('at $name', async ({ one }) => {
    const path = pathWith(one, (place) => theirs[kindOf(one, place)])
    for (const [name, { headers, lets }] of Object.entries(wrong)) {
      if (lets !== undefined && one.security.includes(lets)) continue
      const answer = await request(service.url + path, {
        method: one.method,
        headers,
        ...(one.body === undefined ? {} : { body: {} }),
      })
      const elsewhere = name === 'the session from elsewhere' && one.security.includes('dashboardSession')
      expect({ name, status: answer.status }).toEqual({ name, status: elsewhere ? 403 : 401 })
      expectNothingShown(answer)
    }
  })
})

describe('what is somebody else’s cannot be told from what is nowhere', () => {
  it.each(withIds)('$name', async ({ name, one, place }) => {
    for (const stranger of one.security.flatMap((way) => strangers[way] ?? [])) {
      const [foreign, missing] = [await ask(one, stranger, place, theirs), await ask(one, stranger, place, NOWHERE)]
      expect({ to: stranger.name, status: foreign.status }).toEqual({ to: stranger.name, status: FOREIGN[name] })
      expect(foreign.json).toEqual(missing.json)
      const comparable = ({ headers }: PlainResponse) =>
        [...headers].filter(([header]) => !/^(x-request-id|date|ratelimit-.*)$/.test(header))
      expect(comparable(foreign)).toEqual(comparable(missing))
      expectNothingShown(foreign)
    }
  })
})

describe('what needs no id', () => {
  const lists = secured.filter(
    (one) =>
      one.method === 'GET' &&
      !one.streams &&
      placesOf(one).every((place) => place.name !== 'slug' && place.in !== 'path'),
  )
  it.each(lists.map((one) => ({ name: one.name, one })))('$name shows nobody else’s', async ({ one }) => {
    for (const { headers } of one.security.flatMap((way) => strangers[way] ?? []))
      for (const query of ['', '?search=private', '?tag=gold']) {
        const answer = await request(service.url + one.path + query, { headers })
        expect(answer.status).toBe(200)
        expectNothingShown(answer)
      }
  })
})

it('and nothing of it has changed, or was sent', async () => {
  await service.drain()
  expect(receiver.received).toEqual([])
  const now = await ownersView()
  expect(JSON.stringify(now)).toContain('Private plans')
  expect(now).toEqual(before)
})
