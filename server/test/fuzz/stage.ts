/** A service with somebody who has what requests are about, and keeps having it whatever the requests do. */
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { createClient } from '@postrider/sdk'
import { SCOPE_NAMES } from '../../src/accounts/api-tokens/scopes.ts'
import { type Api, apiOf, newApi, newPost, newSite } from '../support/api.ts'
import { request } from '../support/http.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import type { Operation } from '../support/operations.ts'
import { smallPicture } from '../support/pictures.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { startService, type TestService } from '../support/service.ts'
import type { Draft } from './requests.ts'

/** An answer as it came; of one that goes on, only the head. */
export type Answer = { status: number; headers: Headers; text: string }

/** Sends drafts as somebody. */
export type Stage = {
  service: TestService
  /** Gives the somebody all new things, whatever became of the old ones. */
  reset(): Promise<void>
  /** Puts in what the draft leaves open, and sends it. */
  send(one: Operation, draft: Draft): Promise<Answer>
  close(): Promise<void>
}

/** Limits high enough for any run, since their headers are to be there; and retries at once. */
const SETTINGS = {
  ...Object.fromEntries(['AUTH', 'STARTER', 'PULL', 'DASHBOARD'].map((name) => [`RATE_LIMIT_${name}`, '999999999/h'])),
  DELIVERY_RETRY_DELAYS: '0ms',
}

/** What an answer takes away, by operation. */
const TAKEN: Record<string, 'things' | 'job' | 'import' | 'session' | 'somebody'> = {
  deletePost: 'things',
  trashPost: 'things',
  untrashPost: 'things',
  dismissProposal: 'things',
  revokePreview: 'things',
  discardWorkingCopy: 'things',
  publishWorkingCopy: 'things',
  changePosts: 'things',
  deleteSite: 'things',
  rotateSiteKeys: 'things',
  cancelGenerationJob: 'job',
  runImport: 'import',
  deleteImport: 'import',
  logoutEverywhere: 'session',
  changePassword: 'somebody',
  resetPassword: 'somebody',
  verifyNotificationAddress: 'somebody',
  deleteNotificationChannel: 'somebody',
  deleteMedium: 'somebody',
  revokeToken: 'somebody',
}

/** Starts a service and sets the stage. */
export async function setStage(): Promise<Stage> {
  const mailServer = await startMailServer()
  const service = await startService({ ...SETTINGS, SMTP_URL: mailServer.url, MAIL_FROM: 'post@example.com' })
  const receiver = await startReceiver()
  const newSomebody = () => createSomebody(service, receiver, mailServer)
  const agent = new Agent({ keepAlive: true })
  let somebody = await newSomebody()
  const texts = (): Record<string, string> => {
    const { api, things, delivery, job, channel, medium, imported, program, tokens } = somebody
    const { post: post_id, trashed: trashed_post_id, preview, site: site_id, slug } = things
    return {
      post_id,
      trashed_post_id,
      preview_id: preview.id,
      preview_token: preview.token,
      site_id,
      slug,
      delivery_id: delivery,
      job_id: job,
      channel_id: channel,
      medium_id: medium.id,
      picture_url: medium.url.replace('http://localhost:0', service.url),
      import_id: imported,
      token_id: program.id,
      ...tokens,
      email: api.user.email,
      password: api.password,
    }
  }
  const credentials = (): Record<string, Record<string, string>> => ({
    accessToken: { authorization: `Bearer ${somebody.ways.token}` },
    dashboardSession: { cookie: somebody.ways.cookie, origin: service.url },
    apiToken: { authorization: `Bearer ${somebody.program.token}` },
    siteKey: { 'x-api-key': somebody.things.key },
  })
  return {
    service,
    async reset() {
      somebody = await newSomebody()
    },
    async send(one, { path, query, headers, who, body }) {
      const fill = (text: string) => text.replaceAll(/\{(\w+)\}/g, (mark, name: string) => texts()[name] ?? mark)
      const way = 'way' in who ? one.security[who.way] : undefined
      const rights = 'wrong' in who ? who.wrong : credentials()[way ?? '']
      if (rights === undefined) throw new Error(`nobody knows the way in "${way}"`)
      const target = one.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => fill(path[name] ?? ''))
      const payload =
        body === undefined
          ? undefined
          : typeof body.content === 'string'
            ? Buffer.from(fill(body.content))
            : Buffer.from(body.content)
      const answer = await exchange(new URL(service.url), agent, {
        method: one.method,
        target: `${target}${query === '' ? '' : `?${fill(query)}`}`,
        headers: {
          ...rights,
          ...(body?.type === undefined ? {} : { 'content-type': body.type }),
          ...Object.fromEntries(headers),
        },
        payload,
      })
      if (answer.status < 300) await restore(one.name)
      return answer
    },
    async close() {
      agent.destroy()
      await receiver.close()
      await service.stop()
      await mailServer.close()
    },
  }

  async function restore(name: string): Promise<void> {
    const taken = TAKEN[name]
    if (taken === 'somebody') somebody = await newSomebody()
    if (taken === 'session') somebody.ways = await waysIn(service.url, somebody.api)
    if (taken === 'job') somebody.job = await orderDraft(somebody.api)
    if (taken === 'import') somebody.imported = await uploadPost(service, somebody.api)
    if (taken === 'things') somebody.things = await give(apiOf(service, somebody.ways), receiver)
  }
}

type Things = {
  post: string
  trashed: string
  preview: { id: string; token: string }
  site: string
  slug: string
  key: string
}
type Ways = { token: string; cookie: string }

/** An account with things of its own; `delivery` is one that has failed, `job` writes a draft, `imported` is an import that can be run. */
type Somebody = {
  api: Api
  ways: Ways
  things: Things
  delivery: string
  job: string
  channel: string
  medium: { id: string; url: string }
  imported: string
  /** A token that may do all that a program may. */
  program: { id: string; token: string }
  tokens: { verify_token: string; reset_token: string }
}

async function createSomebody(service: TestService, receiver: Receiver, mailServer: MailServer): Promise<Somebody> {
  await service.drain()
  const api = await newApi(service)
  const failing = await newSite(api, 'http://127.0.0.1:1/')
  const { id } = await newPost(api, {})
  await api.post(`/api/posts/${id}/publish`, { site_ids: [failing.id] })
  await service.drain()
  const { deliveries } = (await api.get(`/api/analytics/posts/${id}/deliveries`)).json
  const [{ id: delivery } = { id: '' }] = deliveries as Array<{ id: string }>
  const job = await orderDraft(api)
  const { id: channel } = (await api.post('/api/notifications/channels', { kind: 'email', target: 'ada@example.org' }))
    .json
  await api.post('/api/auth/forgot-password', { email: api.user.email })
  await service.drain()
  const tokenFor = (path: string) =>
    mailServer.mails.map(({ text }) => text.match(new RegExp(`${path}\\?token=([\\w-]+)`))?.[1]).findLast(Boolean) ?? ''
  const tokens = { verify_token: tokenFor('verify-address'), reset_token: tokenFor('reset-password') }
  mailServer.mails.length = 0
  const client = createClient({ baseUrl: service.url, token: api.token })
  const medium = await client.media.upload(new Blob([await smallPicture()]))
  const imported = await uploadPost(service, api)
  const program = await client.tokens.create({ name: 'A program', scopes: SCOPE_NAMES })
  const own = { delivery, job, channel: String(channel), medium, imported, program, tokens }
  return { api, ways: await waysIn(service.url, api), things: await give(api, receiver), ...own }
}

async function uploadPost(service: TestService, { token }: Pick<Api, 'token'>): Promise<string> {
  const raw = JSON.stringify({ data: { posts: [{ id: '1', title: 'From Ghost', html: '<p>Boo</p>' }] } })
  const { json } = await request(`${service.url}/api/imports`, { method: 'POST', token, raw })
  await service.drain()
  return String(json.import_id)
}

async function orderDraft(api: Api): Promise<string> {
  const { job_id } = (await api.post('/api/posts/generate', { topic: 'Watering tomatoes' })).json
  return String(job_id)
}

/** A site, a post to change that has a working copy and a proposal to publish it, one in the trash, and a published post to pull. */
async function give(api: Api, receiver: Receiver): Promise<Things> {
  const site = await newSite(api, receiver.url, { verify: true })
  const [post, trashed, pulled] = [
    await newPost(api, { status: 'published' }),
    await newPost(api, {}),
    await newPost(api, { status: 'published', body: { markdown: 'x' } }),
  ]
  await api.put(`/api/posts/${post.id}/working-copy`, { title: 'Changed' })
  await api.put(`/api/posts/${post.id}/proposal`, { reason: 'It is ready.' })
  await api.post(`/api/posts/${trashed.id}/trash`)
  const { id, url } = (await api.post(`/api/posts/${post.id}/previews`)).json
  const preview = { id: String(id), token: String(url).split('/').at(-1) ?? '' }
  return {
    post: post.id,
    trashed: trashed.id,
    preview,
    slug: pulled.slug,
    site: String(site.id),
    key: String(site.api_key),
  }
}

/** A fresh token and a fresh session of the account. */
async function waysIn(url: string, { user: { email }, password }: Api): Promise<Ways> {
  const login = (more: object) =>
    request(`${url}/api/auth/login`, { method: 'POST', body: { email, password, ...more }, headers: { origin: url } })
  const [{ json }, { headers }] = [await login({}), await login({ session: 'cookie' })]
  return { token: String(json.token), cookie: headers.get('set-cookie')?.split(';')[0] ?? '' }
}

type Bytes = { method: string; target: string; headers: Record<string, string>; payload: Buffer | undefined }

const PATIENCE_MS = 20_000

/** One request by hand: `fetch` would mend or refuse what is sent here. */
function exchange({ hostname, port }: URL, agent: Agent, { method, target, headers, payload }: Bytes): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = payload === undefined ? {} : { 'content-length': payload.length }
    const sent = httpRequest({ hostname, port, agent, method, path: target, headers: { ...headers, ...length } })
    sent.setTimeout(PATIENCE_MS, () => sent.destroy(new Error(`no answer within ${PATIENCE_MS} ms`)))
    sent.on('error', reject)
    sent.on('response', (response) => read(response).then(resolve, reject))
    sent.end(payload)
  })
}

async function read(response: IncomingMessage): Promise<Answer> {
  let text = ''
  response.setEncoding('utf8')
  if (response.headers['content-type']?.startsWith('text/event-stream')) response.destroy()
  else for await (const chunk of response) text += chunk
  const headers = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)])
  return { status: response.statusCode ?? 0, headers: new Headers(headers), text }
}
