import type { components, paths } from './generated/api.ts'
import { createTransport, type TransportOptions } from './transport.ts'

type Schemas = components['schemas']
export type User = Schemas['User']
export type Session = Schemas['Session']
export type Account = Schemas['Account']
export type Post = Schemas['Post']
export type PostWithDeliveries = Schemas['PostWithDeliveries']
export type Site = Schemas['Site']
export type SiteWithSecrets = Schemas['SiteWithSecrets']
export type CreatePost = Schemas['CreatePost']
export type UpdatePost = Schemas['UpdatePost']
export type CreateSite = Schemas['CreateSite']
export type UpdateSite = Schemas['UpdateSite']
export type Dispatched = Schemas['Dispatched']
export type TestDelivery = Schemas['TestDelivery']
export type RotatedKeys = Schemas['RotatedKeys']
export type Overview = Schemas['Overview']
export type DeliveriesOverTime = Schemas['DeliveriesOverTime']
export type PostDeliveries = Schemas['PostDeliveries']
export type Failures = Schemas['Failures']
export type RetryQueued = Schemas['RetryQueued']
export type PostPage = paths['/api/posts']['get']['responses'][200]['content']['application/json']
export type SiteList = paths['/api/sites']['get']['responses'][200]['content']['application/json']

/** What a list of posts is narrowed to. */
export type ListPosts = {
  status?: Post['status']
  page?: number
  limit?: number
  site_id?: string
  search?: string
  tag?: string
}

/** A span of time and a site. Dates, or times with their offset. */
export type AnalyticsRange = { from?: string; to?: string; site_id?: string }

/** How a client reaches the service. */
export type ClientOptions = TransportOptions & {
  /** The access token of register or login; may be set later with `setToken`. */
  token?: string
}

/** A client of the Management API. Every method throws PostriderError when the service refuses. */
export type PostriderClient = ReturnType<typeof createClient>

/** Makes a client. */
export function createClient({ token, ...options }: ClientOptions) {
  let accessToken = token
  const call = createTransport(options, () =>
    accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` },
  )

  const at = (noun: 'posts' | 'sites' | 'analytics/posts', id: string, action = '') =>
    `/api/${noun}/${encodeURIComponent(id)}${action}`
  const ifMatch = (version: number | undefined) =>
    version === undefined ? {} : { headers: { 'if-match': `"${version}"` } }

  /** The key makes it safe to send again when the connection is lost. */
  const post = <Result>(path: string, body?: unknown) =>
    call<Result>({ method: 'POST', path, body, safe: true, headers: { 'idempotency-key': crypto.randomUUID() } })
  const listPosts = (query: ListPosts = {}) => call<PostPage>({ method: 'GET', path: '/api/posts', query })

  return {
    /** The token that later calls carry. */
    setToken(value: string | undefined): void {
      accessToken = value
    },
    auth: {
      /** Creates an account; the client carries its token from now on. */
      async register(input: { name: string; email: string; password: string }): Promise<Session> {
        const session = await call<Session>({ method: 'POST', path: '/api/auth/register', body: input })
        accessToken = session.token
        return session
      },
      /** Logs in; the client carries the token from now on. */
      async login(input: { email: string; password: string }): Promise<Session> {
        const session = await call<Session>({ method: 'POST', path: '/api/auth/login', body: input })
        accessToken = session.token
        return session
      },
    },
    /** Who the token belongs to, the plan and what is left of its limits. */
    account: () => call<Account>({ method: 'GET', path: '/api/account' }),
    posts: {
      list: listPosts,
      /** Every post that matches, page by page. */
      async *all(query: Omit<ListPosts, 'page'> = {}): AsyncGenerator<Post> {
        for (let page = 1, pages = 1; page <= pages; page += 1) {
          const { data, pagination } = await listPosts({ limit: 100, ...query, page })
          pages = pagination.pages
          yield* data
        }
      },
      get: (id: string) => call<PostWithDeliveries>({ method: 'GET', path: at('posts', id) }),
      create: (input: CreatePost) => post<PostWithDeliveries>('/api/posts', input),
      /** Changes a post; with `version`, only if that is still its version (412 otherwise). */
      update: (id: string, input: UpdatePost, version?: number) =>
        call<PostWithDeliveries>({ method: 'PATCH', path: at('posts', id), body: input, ...ifMatch(version) }),
      delete: (id: string, version?: number) =>
        call<void>({ method: 'DELETE', path: at('posts', id), ...ifMatch(version) }),
      /** Publishes to the named sites, or to all. */
      publish: (id: string, siteIds?: string[]) =>
        post<Dispatched>(at('posts', id, '/publish'), siteIds === undefined ? {} : { site_ids: siteIds }),
    },
    sites: {
      list: () => call<SiteList>({ method: 'GET', path: '/api/sites' }),
      get: (id: string) => call<SiteWithSecrets>({ method: 'GET', path: at('sites', id) }),
      create: (input: CreateSite) => post<SiteWithSecrets>('/api/sites', input),
      update: (id: string, input: UpdateSite) => call<Site>({ method: 'PATCH', path: at('sites', id), body: input }),
      delete: (id: string) => call<void>({ method: 'DELETE', path: at('sites', id) }),
      rotateKeys: (id: string) => post<RotatedKeys>(at('sites', id, '/rotate-keys')),
      testDelivery: (id: string) => post<TestDelivery>(at('sites', id, '/test-delivery')),
    },
    analytics: {
      overview: (range: AnalyticsRange = {}) =>
        call<Overview>({ method: 'GET', path: '/api/analytics/overview', query: range }),
      deliveries: (query: AnalyticsRange & { granularity?: DeliveriesOverTime['granularity'] } = {}) =>
        call<DeliveriesOverTime>({ method: 'GET', path: '/api/analytics/deliveries', query }),
      postDeliveries: (postId: string) =>
        call<PostDeliveries>({ method: 'GET', path: at('analytics/posts', postId, '/deliveries') }),
      failures: (range: Omit<AnalyticsRange, 'to'> = {}) =>
        call<Failures>({ method: 'GET', path: '/api/analytics/failures', query: range }),
      /** Sends the post's failed deliveries again; with `siteId`, only that site's. */
      retry: (postId: string, siteId?: string) =>
        post<RetryQueued>(at('analytics/posts', postId, '/retry'), siteId === undefined ? {} : { site_id: siteId }),
    },
  }
}
