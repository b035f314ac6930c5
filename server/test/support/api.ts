/** An account on the wire: plain requests with its token, without the SDK between the test and the service. */
import { type PlainResponse, request } from './http.ts'

/** The requests of one account. `path` begins with `/api`. */
export type Api = {
  user: { id: string; name: string; email: string }
  password: string
  token: string
  get(path: string, headers?: Record<string, string>): Promise<PlainResponse>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<PlainResponse>
  put(path: string, body: unknown, headers?: Record<string, string>): Promise<PlainResponse>
  patch(path: string, body: unknown, headers?: Record<string, string>): Promise<PlainResponse>
  delete(path: string, headers?: Record<string, string>): Promise<PlainResponse>
}

const PASSWORD = 'correct horse'
let people = 0

/** Registers a new account. */
export async function newApi({ url }: { url: string }, headers: Record<string, string> = {}): Promise<Api> {
  people += 1
  const person = { name: 'Ada', email: `api-${process.pid}-${people}@example.com`, password: PASSWORD }
  const { status, json } = await request(`${url}/api/auth/register`, { method: 'POST', body: person, headers })
  if (status !== 201) throw new Error(`registering answered ${status}: ${JSON.stringify(json)}`)
  return apiOf({ url }, json)
}

/** The requests of an account that has registered or logged in: `session` is the answer to that. */
export function apiOf({ url }: { url: string }, session: Record<string, unknown>): Api {
  const token = String(session.token)
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    request(url + path, { method, token, body, headers })
  return {
    user: session.user as Api['user'], // as the specification has it; the tests of section 2 check it
    password: PASSWORD,
    token,
    get: (path, headers) => send('GET', path, undefined, headers),
    post: (path, body, headers) => send('POST', path, body, headers),
    put: (path, body, headers) => send('PUT', path, body, headers),
    patch: (path, body, headers) => send('PATCH', path, body, headers),
    delete: (path, headers) => send('DELETE', path, undefined, headers),
  }
}

/** A site whose webhooks go to `webhookUrl`; its platform is given, so that the service does not detect it. */
export async function newSite(api: Api, webhookUrl: string, more: object = {}): Promise<Record<string, string>> {
  const site = { name: 'My blog', url: 'https://blog.example.com', webhook_url: webhookUrl, platform: 'custom' }
  const { status, json } = await api.post('/api/sites', { ...site, ...more })
  if (status !== 201) throw new Error(`creating a site answered ${status}: ${JSON.stringify(json)}`)
  return json as Record<string, string> // the fields that tests use are strings
}

/** Creates a post; resolves with it. */
export async function newPost(
  api: Api,
  input: object,
): Promise<Record<string, unknown> & { id: string; slug: string }> {
  const { status, json } = await api.post('/api/posts', { title: 'A post', ...input })
  if (status !== 201) throw new Error(`creating a post answered ${status}: ${JSON.stringify(json)}`)
  return { ...json, id: String(json.id), slug: String(json.slug) }
}
