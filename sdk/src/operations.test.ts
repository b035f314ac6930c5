/** The SDK against the OpenAPI document: a method for every operation, sending what the document says. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createClient, type PostriderClient } from './client.ts'
import { type Confirmation, createPullClient } from './pull.ts'

type Content = { examples: Record<string, { value: unknown }> }
type Operation = {
  operationId: string
  parameters?: Array<{ name?: string; in?: string; $ref?: string }>
  requestBody?: { content: { 'application/json'?: Content } }
  responses: Record<string, { content?: { 'application/json': Content } }>
}

const document = JSON.parse(readFileSync(new URL('../../openapi/openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>
  components: { parameters: Record<string, { name: string; in: string }> }
}
/** The endless stream is tested in events.test.ts. */
const STREAMED = 'streamEvents'
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([, { operationId }]) => operationId !== STREAMED)
    .map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
)

const firstExample = (content: Content | undefined) => Object.values(content?.examples ?? {})[0]?.value
const exampleOf = (operationId: string) => {
  const found = operations.find((operation) => operation.operationId === operationId)
  return firstExample(found?.requestBody?.content['application/json']) as never // the callee's own type is the document's
}

/** A request as it left the client. */
type Sent = { method: string; url: URL; headers: Headers; body: unknown }
let sent: Sent | undefined

/** Answers with the document's examples. */
const documented: typeof fetch = async (input, init) => {
  const url = new URL(String(input))
  const body = typeof init?.body === 'string' ? JSON.parse(init.body) : init?.body
  sent = { method: init?.method ?? 'GET', url, headers: new Headers(init?.headers), body }
  const one = operationFor(sent)
  if (one === undefined) throw new Error(`${sent.method} ${url.pathname} is no operation`)
  const [status = '500', response] = Object.entries(one.responses)[0] ?? []
  const example = firstExample(response?.content?.['application/json'])
  return new Response(example === undefined ? null : JSON.stringify(example), { status: Number(status) })
}

function operationFor({ method, url }: Sent) {
  const matching = operations.filter(
    (one) => one.method === method && new RegExp(`^${one.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(url.pathname),
  )
  return matching.find(({ path }) => path === url.pathname) ?? matching[0]
}

type HasConfirmations = { confirmations: Confirmation[] }

const options = { baseUrl: 'https://postrider.example.com', fetch: documented }
const freshClient = () => createClient({ ...options, token: 'token' })
const pull = createPullClient({ ...options, apiKey: 'key' })
const ID = 'a/b?c'

/** Every operation, called with every argument its method takes. */
const calls: Record<string, (client: PostriderClient) => Promise<unknown>> = {
  createToken: (client) => client.tokens.create(exampleOf('createToken')),
  listTokens: (client) => client.tokens.list(),
  revokeToken: (client) => client.tokens.revoke(ID),
  listProposals: (client) => client.posts.proposals.list({ post_id: ID, limit: 5 }),
  proposePost: (client) => client.posts.proposals.make(ID, exampleOf('proposePost')),
  dismissProposal: (client) => client.posts.proposals.dismiss(ID),
  createPreview: (client) => client.posts.previews.create(ID, exampleOf('createPreview')),
  listPreviews: (client) => client.posts.previews.list(ID),
  revokePreview: (client) => client.posts.previews.revoke(ID, ID),
  pullPreview: () => pull.preview(ID),
  trashPost: (client) => client.posts.trash(ID, 1),
  untrashPost: (client) => client.posts.untrash(ID),
  getWorkingCopy: (client) => client.posts.workingCopy.get(ID),
  saveWorkingCopy: (client) => client.posts.workingCopy.save(ID, exampleOf('saveWorkingCopy'), 1),
  discardWorkingCopy: (client) => client.posts.workingCopy.discard(ID, 'save'),
  publishWorkingCopy: (client) => client.posts.workingCopy.publish(ID, 'save'),
  register: (client) => client.auth.register(exampleOf('register')),
  login: (client) => client.auth.login(exampleOf('login')),
  logout: (client) => client.auth.logout(),
  logoutEverywhere: (client) => client.auth.logoutEverywhere(),
  changePassword: (client) => client.auth.changePassword(exampleOf('changePassword')),
  forgotPassword: (client) => client.auth.forgotPassword('ada@example.com'),
  resetPassword: (client) => client.auth.resetPassword(exampleOf('resetPassword')),
  listIncidents: (client) => client.incidents(),
  listNotificationChannels: (client) => client.notifications.list(),
  createNotificationChannel: (client) => client.notifications.create(exampleOf('createNotificationChannel')),
  updateNotificationChannel: (client) => client.notifications.update(ID, exampleOf('updateNotificationChannel')),
  deleteNotificationChannel: (client) => client.notifications.delete(ID),
  testNotificationChannel: (client) => client.notifications.test(ID),
  verifyNotificationAddress: (client) => client.notifications.verify('token'),
  getAccount: (client) => client.account(),
  updateAccount: (client) => client.updateAccount(exampleOf('updateAccount')),
  listPosts: (client) =>
    client.posts.list({ status: 'draft', page: 2, limit: 5, site_id: 's', search: 'bread & butter', tag: 't' }),
  createPost: (client) => client.posts.create(exampleOf('createPost'), { idempotencyKey: 'mine' }),
  getPost: (client) => client.posts.get(ID),
  updatePost: (client) => client.posts.update(ID, exampleOf('updatePost'), 3),
  deletePost: (client) => client.posts.delete(ID, 3),
  getPostCanonical: (client) => client.posts.canonical(ID),
  convertBody: (client) => client.posts.convert(exampleOf('convertBody')),
  publishPost: (client) => client.posts.publish(ID, ['s']),
  duplicatePost: (client) => client.posts.duplicate(ID),
  uploadMedium: (client) => client.media.upload(new File(['x'], 'loaf.jpg', { type: 'image/jpeg' }), { alt: 'A loaf' }),
  addMediumFromUrl: (client) => client.media.addFromUrl(exampleOf('addMediumFromUrl')),
  listMedia: (client) => client.media.list({ search: 'loaf', limit: 5, cursor: ID }),
  getMedium: (client) => client.media.get(ID),
  updateMedium: (client) => client.media.update(ID, exampleOf('updateMedium')),
  deleteMedium: (client) => client.media.delete(ID, { force: true }),
  listRevisions: (client) => client.posts.revisions(ID, { limit: 5, cursor: '3' }),
  getRevision: (client) => client.posts.revision(ID, 2),
  diffRevisions: (client) => client.posts.diff(ID, { from: 1, to: 2 }),
  restoreRevision: (client) => client.posts.restore(ID, 1, 3),
  listPostSummaries: (client) => client.posts.summaries({ status: 'scheduled', sort: 'scheduled_at', search: 'a&b' }),
  changePosts: (client) => client.posts.bulk(exampleOf('changePosts')),
  createImport: (client) => client.imports.create(new Blob(['<rss/>'], { type: 'text/xml' }), { name: 'blog.xml' }),
  listImports: (client) => client.imports.list({ page: 2, limit: 5 }),
  getImport: (client) => client.imports.get(ID),
  listImportedPosts: (client) => client.imports.posts(ID, { outcome: 'refused', lossy: 'true', limit: 5 }),
  runImport: (client) => client.imports.run(ID),
  deleteImport: (client) => client.imports.delete(ID),
  exportPosts: (client) => client.export({ format: 'markdown' }),
  listDeliveries: (client) =>
    client.deliveries.list({ status: 'failed', site_id: 's', post_id: 'p', from: '2026-11-01', limit: 5, cursor: ID }),
  getDelivery: (client) => client.deliveries.get(ID),
  retryDelivery: (client) => client.deliveries.retry(ID),
  retryDeliveries: (client) => client.deliveries.retryFailed({ site_id: 's' }),
  generateDraft: (client) => client.drafts.generate(exampleOf('generateDraft'), { idempotencyKey: 'mine' }),
  getGenerationJob: (client) => client.drafts.job(ID),
  cancelGenerationJob: (client) => client.drafts.cancel(ID),
  listSites: (client) => client.sites.list(),
  createSite: (client) => client.sites.create(exampleOf('createSite')),
  getSite: (client) => client.sites.get(ID),
  updateSite: (client) => client.sites.update(ID, exampleOf('updateSite')),
  deleteSite: (client) => client.sites.delete(ID),
  rotateSiteKeys: (client) => client.sites.rotateKeys(ID),
  retrySite: (client) => client.sites.retry(ID),
  checkPages: (client) => client.sites.checkPages(ID),
  backfillSite: (client) => client.sites.backfill(ID),
  testSiteDelivery: (client) => client.sites.testDelivery(ID),
  detectPlatform: (client) => client.sites.detectPlatform('https://kitchen.example.com'),
  getOverview: (client) => client.analytics.overview({ from: '2026-11-01', to: '2026-11-02', site_id: 's' }),
  getDeliveriesOverTime: (client) => client.analytics.deliveries({ granularity: 'week', from: '2026-11-01' }),
  getPostDeliveries: (client) => client.analytics.postDeliveries(ID),
  listFailures: (client) => client.analytics.failures({ from: '2026-11-01', site_id: 's' }),
  retryPost: (client) => client.analytics.retry(ID, 's'),
  pullPosts: () => pull.list({ page: 2, limit: 5, tag: 't' }),
  pullPost: () => pull.get(ID),
  pullChanges: () => pull.changes({ cursor: ID, limit: 5, include: 'body' }),
  confirmDeliveries: () => pull.confirmMany((exampleOf('confirmDeliveries') as HasConfirmations).confirmations),
  lookUpPost: () => pull.lookUp('slug'),
  pullDigest: () => pull.digest(),
  comparePosts: () => pull.compare(exampleOf('comparePosts')),
  confirmDelivery: () => pull.confirm(ID, 's', 'failed', { error_message: 'full', metadata: { a: 1 } }),
}

describe('the SDK', () => {
  it('has a method for every operation of the document, and for nothing else', () => {
    expect(Object.keys(calls).sort()).toEqual(operations.map(({ operationId }) => operationId).sort())
  })

  it.each(operations)('asks for $operationId as documented, and gives back what is answered', async (operation) => {
    const answer = await calls[operation.operationId]?.(freshClient())
    if (sent === undefined) throw new Error('nothing was sent')
    expect(operationFor(sent)?.operationId).toBe(operation.operationId)
    const known = (operation.parameters ?? []).map(
      ({ $ref, ...inline }) => document.components.parameters[$ref?.split('/').at(-1) ?? ''] ?? inline,
    )
    const named = (place: string) => known.filter((one) => one.in === place).map(({ name }) => name?.toLowerCase())
    for (const name of sent.url.searchParams.keys()) expect(named('query')).toContain(name)
    for (const name of sent.headers.keys())
      expect(['authorization', 'content-type', 'x-api-key', ...named('header')]).toContain(name)
    expect(sent.headers.get(operation.path.startsWith('/api/pull') ? 'x-api-key' : 'authorization')).not.toBeNull()
    if (operation.path.includes('{')) expect(sent.url.pathname).toContain('/a%2Fb%3Fc')
    if (operation.requestBody?.content['application/json'] !== undefined) expect(sent.body).toBeTypeOf('object')
    const [success] = Object.values(operation.responses)
    if ('application/zip' in (success?.content ?? {})) return // which is a stream
    const example = firstExample(success?.content?.['application/json'])
    expect(answer).toEqual(example)
  })
})
