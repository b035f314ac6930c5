/** What a collector of OpenTelemetry is told. The collector is a plain HTTP server: OTLP in JSON is what it gets. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { follow } from './support/follow.ts'
import { request } from './support/http.ts'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { connectSite, newAccount, startService, type TestService } from './support/service.ts'

type Value = { stringValue?: string; intValue?: number }
type OtlpSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  status: { code?: number; message?: string }
  attributes: Array<{ key: string; value: Value }>
}
type Batch = {
  resourceSpans: Array<{ resource: { attributes: OtlpSpan['attributes'] }; scopeSpans: Array<{ spans: OtlpSpan[] }> }>
}

let collected: Array<{ path: string | undefined; headers: IncomingMessage['headers']; body: Buffer }>
let status: number
let collector: ReturnType<typeof createServer>
let receiver: Receiver
let service: TestService

beforeEach(async () => {
  collected = []
  status = 200
  collector = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    collected.push({ path: incoming.url, headers: incoming.headers, body: Buffer.concat(chunks) })
    response.writeHead(status).end('{}')
  })
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
  receiver = await startReceiver()
})
afterEach(async () => {
  await receiver.close()
  collector.closeAllConnections()
  await new Promise((resolve) => collector.close(resolve))
})

async function start(more: Record<string, string> = {}): Promise<void> {
  const { port } = collector.address() as AddressInfo // it listens on TCP
  service = await startService({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=two%20words',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_SERVICE_NAME: 'blogs',
    ...more,
  })
}

const batches = () => collected.map(({ body }): Batch => JSON.parse(body.toString('utf8')))
const spans = () =>
  batches().flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  )
const named = (name: string) => spans().filter((span) => span.name === name)
const facts = ({ attributes }: Pick<OtlpSpan, 'attributes'>) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]))

describe('a collector', () => {
  it('is told of requests with their statements, and of attempts with what came of them', async () => {
    await start()
    const client = await newAccount(service)
    const site = await connectSite(client, receiver)
    receiver.answerNext(500)
    await client.posts.create({ title: 'A secret title', status: 'published' })
    await service.drain()
    await service.advance(30_000)
    await service.stop()

    expect(collected.every(({ path, headers }) => path === '/v1/traces' && headers['x-key'] === 'two words')).toBe(true)
    const resources = batches().flatMap(({ resourceSpans }) => resourceSpans.map(({ resource }) => facts(resource)))
    expect(resources[0]).toMatchObject({ 'service.name': 'blogs' })

    const [created] = named('POST /api/posts')
    expect(created && facts(created)).toMatchObject({ 'http.route': '/api/posts', 'http.response.status_code': 201 })
    const statements = named('sql').filter(({ parentSpanId }) => parentSpanId === created?.spanId)
    expect(statements.length).toBeGreaterThan(1)
    expect(statements.map((one) => String(facts(one)['db.query.text'])).join('\n')).toContain('insert into "posts"')

    // Another process may have made the second attempt, and told of it earlier.
    const attempts = named('deliver').sort(
      (one, other) => Number(facts(one)['postrider.attempt']) - Number(facts(other)['postrider.attempt']),
    )
    expect(attempts.map((one) => [facts(one)['postrider.attempt'], facts(one)['http.response.status_code']])).toEqual([
      [1, 500],
      [2, 200],
    ])
    expect(attempts.map((one) => facts(one)['postrider.site_id'])).toEqual([site.id, site.id])
    expect(attempts[0]?.status).toMatchObject({ code: 2, message: 'http_error' })
    expect(attempts[1]?.status.code ?? 0).toBe(0)

    // Nothing that somebody wrote and no secret is in it.
    const everything = collected.map(({ body }) => body.toString('utf8')).join('\n')
    for (const secret of ['A secret title', site.webhook_secret, site.api_key]) expect(everything).not.toContain(secret)
  })

  it('is told of no statement as part of the request that happened to be the first of its kind', async () => {
    await start()
    const client = await newAccount(service)
    const site = await connectSite(client, receiver)
    const key = { headers: { 'x-api-key': site.api_key } }
    for (let times = 1; times <= 3; times += 1) await request(`${service.url}/api/pull/posts?page=${times}`, key)
    await service.stop()
    const pulled = named('GET /api/pull/posts')
    expect(pulled).toHaveLength(3)
    const traces = new Set(pulled.map(({ traceId }) => traceId))
    // One statement answers many requests, so it belongs to none of them.
    expect(named('sql').filter(({ traceId }) => traces.has(traceId))).toEqual([])
  })

  it('is not told that a change was announced as part of the request that made another one', async () => {
    await start()
    const [ada, ben] = [await newAccount(service, 'Ada'), await newAccount(service, 'Ben')]
    const stream = await follow(ben, { clock: service.clock })
    // The second is announced by the loop that the first has started.
    await ada.posts.create({ title: 'One' })
    const { id } = await ben.posts.create({ title: 'Two' })
    await stream.changed('post', id)
    await stream.close()
    await service.stop()
    const traces = new Set(named('POST /api/posts').map(({ traceId }) => traceId))
    expect(traces.size).toBe(2)
    const statements = named('sql').filter(({ traceId }) => traces.has(traceId))
    const texts = statements.map((one) => String(facts(one)['db.query.text']).trim())
    expect(texts.filter((text) => text.includes('pg_notify'))).toEqual([])
  })

  it('finds a request in the trace of whoever made it, and the trace in the log', async () => {
    await start()
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
    const sent = await request(`${service.url}/api/auth/login`, {
      method: 'POST',
      body: { email: 'nobody@example.com', password: 'not the one' },
      headers: { traceparent: `00-${trace}-00f067aa0ba902b7-01` },
    })
    expect(sent.status).toBe(401)
    await service.caughtUp()
    expect(service.logged.find(({ event }) => event === 'request.done')?.fields).toMatchObject({ trace_id: trace })
    await service.stop()
    expect(named('POST /api/auth/login')).toMatchObject([{ traceId: trace, parentSpanId: '00f067aa0ba902b7' }])
  })

  it('gets no more than the share asked for', async () => {
    await start({ OTEL_TRACES_SAMPLER_ARG: '0' })
    await newAccount(service)
    await service.stop()
    expect(collected).toEqual([])
  })

  it('gets Protocol Buffers unless told otherwise', async () => {
    await start({ OTEL_EXPORTER_OTLP_PROTOCOL: '' })
    await newAccount(service)
    await service.stop()
    expect(collected[0]?.headers['content-type']).toBe('application/x-protobuf')
    expect(collected[0]?.body.toString('latin1')).toContain('POST /api/auth/register')
  })

  it('that refuses holds up nothing, and the log says so', async () => {
    status = 503
    await start()
    const client = await newAccount(service)
    await connectSite(client, receiver)
    await client.posts.create({ title: 'Hello', status: 'published' })
    await service.drain()
    expect(receiver.received).toHaveLength(1)
    await service.stop()
    const told = service.logged.filter(({ event }) => event === 'traces.not_sent')
    expect(told[0]).toMatchObject({ level: 'warn', fields: { status: 503 } })
  })
})
