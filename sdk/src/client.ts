import { allByCursor, allPages } from './all-pages.ts'
import { type FinishedDraft, type WaitForDraft, waitForDraft } from './drafts.ts'
import { type FollowOptions, followEvents } from './events.ts'
import { mediaCalls } from './media.ts'
import { tokenCalls } from './tokens.ts'
import { transferCalls } from './transfer.ts'
import { type CallOptions, createTransport, type TransportOptions } from './transport.ts'
import type {
  Account,
  AnalyticsRange,
  Backfill,
  BackfillResult,
  CanonicalAddresses,
  ChangePassword,
  ChangePosts,
  ConvertedBody,
  CreateNotificationChannel,
  CreatePost,
  CreateSite,
  Credentials,
  DeliveriesOverTime,
  DeliveriesOverTimeRange,
  DeliveriesRequeued,
  DeliveryDetails,
  DeliveryPage,
  DeliveryRequeued,
  DetectedPlatform,
  Dispatched,
  Failures,
  FailuresRange,
  GenerateDraft,
  GenerationJob,
  IncidentList,
  ListDeliveries,
  ListedPostPage,
  ListPosts,
  ListSummaries,
  LoggedDelivery,
  NotificationChannel,
  NotificationChannelList,
  NotificationTest,
  Overview,
  PagesChecked,
  Post,
  PostDeliveries,
  PostPage,
  PostsChanged,
  PostWithDeliveries,
  ResetPassword,
  RetryDeliveries,
  RetryQueued,
  RetrySite,
  RotatedKeys,
  Session,
  Site,
  SiteList,
  SiteRetried,
  SiteWithSecrets,
  TestDelivery,
  UpdateAccount,
  UpdateNotificationChannel,
  UpdatePost,
  UpdateSite,
  WrittenPost,
} from './types.ts'
import { ifMatch, versionCalls } from './versions.ts'

/** How a client reaches the service. */
export type ClientOptions = TransportOptions & {
  /** The access token from register or login, or the token of a program (`pt_…`); can be set later with `setToken`. */
  token?: string
}

/** Options of one POST. */
export type PostOptions = CallOptions & {
  /** A repeat with the same key and input within 24 hours gets the first answer again. Default: a new random key. */
  idempotencyKey?: string
}

/** A client of the Management API. Every method throws PostriderError when the service refuses. */
export type PostriderClient = ReturnType<typeof createClient>

/** Makes a client. */
export function createClient({ token, ...options }: ClientOptions) {
  let accessToken = token
  const credentials = (): Record<string, string> =>
    accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` }
  const call = createTransport(options, credentials)

  const at = (
    noun: 'posts' | 'posts/generate' | 'sites' | 'deliveries' | 'analytics/posts' | 'notifications/channels',
    id: string,
    action = '',
  ) => `/api/${noun}/${encodeURIComponent(id)}${action}`
  const get = <Result>(path: string, { signal }: CallOptions = {}, query: object = {}) =>
    call<Result>({ method: 'GET', path, query, signal })
  /** The idempotency key makes it safe to retry after a lost connection. */
  const post = <Result>(path: string, body: unknown, { signal, idempotencyKey = randomKey() }: PostOptions = {}) =>
    call<Result>({ method: 'POST', path, body, safe: true, headers: { 'idempotency-key': idempotencyKey }, signal })
  const listPosts = (query: ListPosts = {}, options?: CallOptions) => get<PostPage>('/api/posts', options, query)
  const listDeliveries = (query: ListDeliveries = {}, options?: CallOptions) =>
    get<DeliveryPage>('/api/deliveries', options, query)
  const getJob = (jobId: string, options?: CallOptions) => get<GenerationJob>(at('posts/generate', jobId), options)

  return {
    ...transferCalls(call),
    /** Sets the token of later calls; undefined removes it. */
    setToken(value: string | undefined): void {
      accessToken = value
    },
    auth: {
      /** Creates an account; the client carries its token from now on. */
      async register(input: Credentials & { name: string }, { signal }: CallOptions = {}): Promise<Session> {
        const session = await call<Session>({ method: 'POST', path: '/api/auth/register', body: input, signal })
        accessToken = session.token
        return session
      },
      /** Logs in; the client carries the token from now on. */
      async login(input: Credentials, { signal }: CallOptions = {}): Promise<Session> {
        const session = await call<Session>({ method: 'POST', path: '/api/auth/login', body: input, signal })
        accessToken = session.token
        return session
      },
      /** Registers from one of the service's own pages: sets a cookie that scripts cannot read, instead of giving a token. */
      signUp: (input: Credentials & { name: string }, { signal }: CallOptions = {}) =>
        call<void>({ method: 'POST', path: '/api/auth/register', body: { ...input, session: 'cookie' }, signal }),
      /** Logs in from one of the service's own pages: sets a cookie that scripts cannot read, instead of giving a token. */
      signIn: (input: Credentials, { signal }: CallOptions = {}) =>
        call<void>({ method: 'POST', path: '/api/auth/login', body: { ...input, session: 'cookie' }, signal }),
      /** Ends the client's login, token or session cookie, on the service too. The account's other logins stay. */
      async logout(options?: PostOptions): Promise<void> {
        await post<void>('/api/auth/logout', undefined, options)
        accessToken = undefined
      },
      /** Ends every login of the account, this one included. */
      async logoutEverywhere(options?: PostOptions): Promise<void> {
        await post<void>('/api/auth/logout-everywhere', undefined, options)
        accessToken = undefined
      },
      /**
       * Changes the account's password and ends all its logins. The client carries the new token from now on. On the service's own
       * pages a new cookie is set instead, and the result is undefined.
       */
      async changePassword(input: ChangePassword, { signal }: CallOptions = {}): Promise<Session | undefined> {
        const path = '/api/account/password'
        const session = await call<Session | undefined>({ method: 'POST', path, body: input, signal })
        accessToken = session?.token
        return session
      },
      /** Has a link to a new password mailed to the account with this address, if there is one. */
      forgotPassword: (email: string, options: CallOptions = {}) =>
        call<void>({ method: 'POST', path: '/api/auth/forgot-password', body: { email }, ...options }),
      /** Chooses a new password with the token of that link; every login of the account ends. */
      resetPassword: (input: ResetPassword, options: CallOptions = {}) =>
        call<void>({ method: 'POST', path: '/api/auth/reset-password', body: input, ...options }),
    },
    /** The token's account, its plan and what is left of its limits. */
    account: (options?: CallOptions) => get<Account>('/api/account', options),
    /** Changes the account's defaults: which site has the original of new posts. */
    updateAccount: (change: UpdateAccount, { signal }: CallOptions = {}) =>
      call<Account>({ method: 'PATCH', path: '/api/account', body: change, signal }),
    /** Times in which sites did not accept posts: those that last, then the last that ended. */
    incidents: (options?: CallOptions) => get<IncidentList>('/api/incidents', options),
    notifications: {
      /** The channels, and whether the service can send mail. */
      list: (options?: CallOptions) => get<NotificationChannelList>('/api/notifications/channels', options),
      create: (input: CreateNotificationChannel, options?: PostOptions) =>
        post<NotificationChannel>('/api/notifications/channels', input, options),
      update: (id: string, change: UpdateNotificationChannel, { signal }: CallOptions = {}) =>
        call<NotificationChannel>({ method: 'PATCH', path: at('notifications/channels', id), body: change, signal }),
      delete: (id: string, { signal }: CallOptions = {}) =>
        call<void>({ method: 'DELETE', path: at('notifications/channels', id), signal }),
      /** Sends a sample now, and says whether it arrived; an address that has not accepted yet is sent the link again (undefined). */
      test: (id: string, options?: PostOptions) =>
        post<NotificationTest | undefined>(at('notifications/channels', id, '/test'), undefined, options),
      /** Accepts messages with the token of the link in the first mail. Needs no login. */
      verify: (token: string, { signal }: CallOptions = {}) =>
        call<void>({ method: 'POST', path: '/api/notifications/verify', body: { token }, signal }),
    },
    /** Streams changes: `for await (const { event, data } of client.events({ signal }))`. */
    events: (follow: FollowOptions = {}) => followEvents(options, credentials, follow),
    posts: {
      list: listPosts,
      /** Every post that matches, page by page; you may change or delete each as it comes. */
      all({ limit = 100, ...query }: Omit<ListPosts, 'page'> = {}, options?: CallOptions): AsyncGenerator<Post> {
        return allPages(limit, async (page) => {
          const { data, pagination } = await listPosts({ limit, ...query, page }, options)
          return { items: data, ...pagination }
        })
      },
      /** A page of posts without their texts, each with its newest delivery per site. */
      summaries: (query: ListSummaries = {}, options?: CallOptions) =>
        get<ListedPostPage>('/api/posts/summaries', options, query),
      get: (id: string, options?: CallOptions) => get<PostWithDeliveries>(at('posts', id), options),
      create: (input: CreatePost, options?: PostOptions) => post<WrittenPost>('/api/posts', input, options),
      /** Changes a post; with `version`, only if that is still its version (412 otherwise). */
      update: (id: string, input: UpdatePost, version?: number, { signal }: CallOptions = {}) =>
        call<WrittenPost>({ method: 'PATCH', path: at('posts', id), body: input, ...ifMatch(version), signal }),
      delete: (id: string, version?: number, { signal }: CallOptions = {}) =>
        call<void>({ method: 'DELETE', path: at('posts', id), ...ifMatch(version), signal }),
      /** Which address each of the post's sites is sent as `meta.canonical_url`, and why. */
      canonical: (id: string, options?: CallOptions) => get<CanonicalAddresses>(at('posts', id, '/canonical'), options),
      /** Converts a body into the three forms that a post with it would have; nothing is stored. */
      convert: (body: NonNullable<CreatePost['body']>, { signal }: CallOptions = {}) =>
        call<ConvertedBody>({ method: 'POST', path: '/api/posts/convert', body, safe: true, signal }),
      /** Makes the same change to up to 100 posts: to all of them or to none. */
      bulk: (change: ChangePosts, options?: PostOptions) => post<PostsChanged>('/api/posts/bulk', change, options),
      /** Publishes to the named sites, or to all. */
      publish: (id: string, siteIds?: string[], options?: PostOptions) =>
        post<Dispatched>(at('posts', id, '/publish'), siteIds === undefined ? {} : { site_ids: siteIds }, options),
      /** Makes a draft with the content of a post, for the same sites. */
      duplicate: (id: string, options?: PostOptions) =>
        post<PostWithDeliveries>(at('posts', id, '/duplicate'), undefined, options),
      ...versionCalls(call),
    },
    media: mediaCalls(call),
    tokens: tokenCalls(call),
    drafts: {
      /** Starts a job that writes a draft. */
      generate: (input: GenerateDraft, options?: PostOptions) =>
        post<GenerationJob>('/api/posts/generate', input, options),
      /** A job with its progress, and with its draft once that is written. */
      job: getJob,
      /** Stops the work on a draft and removes the job; a finished draft stays. */
      cancel: (jobId: string, { signal }: CallOptions = {}) =>
        call<void>({ method: 'DELETE', path: at('posts/generate', jobId), signal }),
      /** Waits until the draft is written. Throws DraftFailedError when there will be none, or the signal's reason. */
      waitForDraft: (jobId: string, options?: WaitForDraft): Promise<FinishedDraft> =>
        waitForDraft(() => getJob(jobId, options), options),
    },
    deliveries: {
      /** A page of the log, newest first. */
      list: listDeliveries,
      /** The whole log, page by page. */
      all: (query: Omit<ListDeliveries, 'cursor'> = {}, options?: CallOptions): AsyncGenerator<LoggedDelivery> =>
        allByCursor(async (from) => {
          const { data, next_cursor } = await listDeliveries({ limit: 100, ...query, ...from }, options)
          return { items: data, next: next_cursor }
        }),
      /** One delivery with its attempts, and what it sends. */
      get: (id: string, options?: CallOptions) => get<DeliveryDetails>(at('deliveries', id), options),
      /** Sends a failed delivery again, or makes a pending one's next attempt now. */
      retry: (id: string, options?: PostOptions) =>
        post<DeliveryRequeued>(at('deliveries', id, '/retry'), undefined, options),
      /** Sends failed deliveries again: those in `ids`, all of one site, or all. */
      retryFailed: (which: RetryDeliveries = {}, options?: PostOptions) =>
        post<DeliveriesRequeued>('/api/deliveries/retry', which, options),
    },
    sites: {
      list: (options?: CallOptions) => get<SiteList>('/api/sites', options),
      get: (id: string, options?: CallOptions) => get<SiteWithSecrets>(at('sites', id), options),
      create: (input: CreateSite, options?: PostOptions) => post<SiteWithSecrets>('/api/sites', input, options),
      update: (id: string, input: UpdateSite, { signal }: CallOptions = {}) =>
        call<Site>({ method: 'PATCH', path: at('sites', id), body: input, signal }),
      delete: (id: string, { signal }: CallOptions = {}) =>
        call<void>({ method: 'DELETE', path: at('sites', id), signal }),
      rotateKeys: (id: string, options?: PostOptions) =>
        post<RotatedKeys>(at('sites', id, '/rotate-keys'), undefined, options),
      testDelivery: (id: string, options?: PostOptions) =>
        post<TestDelivery>(at('sites', id, '/test-delivery'), undefined, options),
      /** Sends the posts that were never delivered to the site; with `dry_run` it counts them. */
      backfill: (id: string, which: Backfill = {}, options?: PostOptions) =>
        post<BackfillResult>(at('sites', id, '/backfill'), which, options),
      /** Sends the site again what failed, and what was published while it was paused. */
      retry: (id: string, which: RetrySite = {}, options?: PostOptions) =>
        post<SiteRetried>(at('sites', id, '/retry'), which, options),
      /** Has the pages looked at again of what the site accepted and does not show; with `postId`, the page of one post. */
      checkPages: (id: string, postId?: string, options?: PostOptions) =>
        post<PagesChecked>(at('sites', id, '/check-pages'), postId === undefined ? {} : { post_id: postId }, options),
      /** Fetches the site at an address and detects its platform. */
      detectPlatform: (url: string, options?: PostOptions) =>
        post<DetectedPlatform>('/api/sites/detect-platform', { url }, options),
    },
    analytics: {
      overview: (range: AnalyticsRange = {}, options?: CallOptions) =>
        get<Overview>('/api/analytics/overview', options, range),
      deliveries: (query: DeliveriesOverTimeRange = {}, options?: CallOptions) =>
        get<DeliveriesOverTime>('/api/analytics/deliveries', options, query),
      postDeliveries: (postId: string, options?: CallOptions) =>
        get<PostDeliveries>(at('analytics/posts', postId, '/deliveries'), options),
      failures: (range: FailuresRange = {}, options?: CallOptions) =>
        get<Failures>('/api/analytics/failures', options, range),
      /** Sends the post's failed deliveries again; with `siteId`, only that site's. */
      retry: (postId: string, siteId?: string, options?: PostOptions) =>
        post<RetryQueued>(
          at('analytics/posts', postId, '/retry'),
          siteId === undefined ? {} : { site_id: siteId },
          options,
        ),
    },
  }
}

/** Not `randomUUID`: browsers have that on https pages only. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
