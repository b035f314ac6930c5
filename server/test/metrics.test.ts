import type { PostriderClient } from '@postrider/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeDraft, writtenBy } from './support/drafts.ts'
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

  const scrape = (authorization?: string) =>
    fetch(`${service.url}/metrics`, authorization === undefined ? {} : { headers: { authorization } })

  /** The value of a metric; NaN when it is not there. */
  async function metric(name: string): Promise<number> {
    const text = await (await scrape(`Bearer ${TOKEN}`)).text()
    const line = text.split('\n').find((one) => one.startsWith(`${name} `))
    return Number(line?.split(' ').at(-1) ?? 'none')
  }

  it('is for those who have the token', async () => {
    expect((await scrape()).status).toBe(401)
    expect((await scrape('Bearer another')).status).toBe(401)
    expect((await scrape(`Bearer ${TOKEN}`)).headers.get('content-type')).toMatch(/^text\/plain/)
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

  it('shows whether the database answers, and without it what the process knows', async () => {
    expect(await metric('postrider_database_up')).toBe(1)
    const stranded = await startService({ METRICS_TOKEN: TOKEN })
    await stranded.cutDatabase()
    const answer = await fetch(`${stranded.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
    const shown = (await answer.text()).split('\n').map((line) => line.split(' ')[0])
    expect(answer.status).toBe(200)
    expect(shown).toEqual(expect.arrayContaining(['postrider_held_lanes', 'process_resident_memory_bytes']))
    expect(shown).not.toContain('postrider_lanes_due')
    expect(shown).toContain('postrider_database_up')
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
  const scraped = await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
  expect((await scraped.text()).split('\n')).toEqual(
    expect.arrayContaining([
      'postrider_drafts_total{outcome="complete"} 1',
      'postrider_drafts_total{outcome="model_quota"} 1',
      `postrider_draft_tokens_total{kind="output"} ${tokens.output}`,
    ]),
  )
  await service.stop()
  await model.close()
})

it('without a token there are no metrics', async () => {
  const service = await startService()
  expect((await fetch(`${service.url}/metrics`)).status).toBe(404)
  await service.stop()
})
