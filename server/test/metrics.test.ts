import type { PostriderClient } from '@postrider/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeDraft, writtenBy } from './support/drafts.ts'
import { scrape } from './support/metrics.ts'
import { startModelServer } from './support/model-server.ts'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { connectSite, newAccount, startService, type TestService } from './support/service.ts'

const TOKEN = 'a token for scrapers'

describe('GET /metrics', () => {
  let service: TestService
  let receiver: Receiver
  let client: PostriderClient

  beforeAll(async () => {
    service = await startService({ METRICS_TOKEN: TOKEN })
    receiver = await startReceiver()
    client = await newAccount(service)
    await connectSite(client, receiver)
  })

  afterAll(async () => {
    await service.stop()
    await receiver.close()
  })

  const metric = async (name: string) => (await scrape(service.url, TOKEN)).get(name)

  it('is for those who have the token', async () => {
    const ask = (headers: Record<string, string>) => fetch(`${service.url}/metrics`, { headers })
    expect((await ask({})).status).toBe(401)
    expect((await ask({ authorization: 'Bearer another' })).status).toBe(401)
    expect((await ask({ authorization: `Bearer ${TOKEN}` })).headers.get('content-type')).toMatch(/^text\/plain/)
  })

  it('shows what waits, and what came of attempts', async () => {
    receiver.answerNext(500)
    await client.posts.create({ title: 'One', status: 'published' })
    service.clock.advance(3_000)
    expect(await metric('postrider_deliveries_pending')).toBe(1)
    expect(await metric('postrider_lanes_due')).toBe(1)
    expect(await metric('postrider_oldest_due_seconds')).toBe(3)
    await service.drain()
    expect(await metric('postrider_attempts_total{outcome="http_error"}')).toBe(1)
    await service.advance(30_000)
    expect(await metric('postrider_attempts_total{outcome="delivered"}')).toBe(1)
    expect(await metric('postrider_attempt_duration_seconds_count{outcome="delivered"}')).toBe(1)
    expect(await metric('postrider_deliveries_pending')).toBe(0)
    expect(await metric('postrider_oldest_due_seconds')).toBe(0)
  })

  it('counts suspects that wait apart: nobody here can help them', async () => {
    const { db, clock } = service.ctx
    const lanes = db.root.updateTable('lanes')
    await lanes.set({ suspect: true, due_at: clock.now() }).execute()
    service.clock.advance(3_000)
    expect(await metric('postrider_suspects_due')).toBe(1)
    expect(await metric('postrider_lanes_due')).toBe(0)
    expect(await metric('postrider_oldest_due_seconds')).toBe(0)
    await lanes.set({ suspect: false, due_at: null }).execute()
  })

  it('shows whether the database answers, and without it what the process knows', async () => {
    expect(await metric('postrider_database_up')).toBe(1)
    const stranded = await startService({ METRICS_TOKEN: TOKEN })
    await stranded.cutDatabase()
    const shown = await scrape(stranded.url, TOKEN)
    expect([...shown.keys()]).toEqual(expect.arrayContaining(['postrider_held_lanes', 'process_resident_memory_bytes']))
    expect(shown.has('postrider_lanes_due')).toBe(false)
    expect(shown.get('postrider_database_up')).toBe(0)
  })

  it('counts requests by route', async () => {
    await client.posts.list()
    expect(
      await metric('postrider_request_duration_seconds_count{route="GET /api/posts",status="200"}'),
    ).toBeGreaterThan(0)
  })
})

it('drafts are counted, with the tokens they used, and with why they failed', async () => {
  const model = await startModelServer()
  const service = await startService(writtenBy(model, { METRICS_TOKEN: TOKEN }))
  const client = await newAccount(service)
  const { tokens } = await writeDraft(service, client, { topic: 'Watering tomatoes', length: 'short' })
  model.follow(() => ({ status: 402, body: 'no' }))
  await writeDraft(service, client, { topic: 'Watering tomatoes', length: 'short' })
  const shown = await scrape(service.url, TOKEN)
  expect(shown.get('postrider_drafts_total{outcome="complete"}')).toBe(1)
  expect(shown.get('postrider_drafts_total{outcome="model_quota"}')).toBe(1)
  expect(shown.get('postrider_draft_tokens_total{kind="output"}')).toBe(tokens.output)
  await service.stop()
  await model.close()
})

it('without a token there are no metrics', async () => {
  const service = await startService()
  expect((await fetch(`${service.url}/metrics`)).status).toBe(404)
  await service.stop()
})
