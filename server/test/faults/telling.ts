import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@postrider/sdk'
import { startProcess } from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'
import type { KillOptions } from './kill.ts'
import type { Outcome } from './load.ts'

/** Incidents are looked for every five seconds: about as many kills come before the message as after it. */
const MOST_MS = 7_000
const ARRIVAL_DEADLINE_MS = 90_000

/**
 * kill -9 around the moment in which a delivery fails for good and its message is sent. Each round has a site of its own that refuses: one
 * message must tell of it. `acknowledged` are the sites; `lost` those that nobody was told of; `repeats` the messages that came
 * twice, which a crash between sending and recording explains once; `toldBeforeKill` the rounds in which the kill came too late.
 */
export async function killTelling({
  kills,
  env,
  random,
  onRound,
}: KillOptions): Promise<Outcome & { kills: number; toldBeforeKill: number }> {
  const settings = { ...env, DELIVERY_RETRY_DELAYS: '0s', RATE_LIMIT_AUTH: 'off', RATE_LIMIT_STARTER: 'off' }
  const host = await startReceiver()
  const chat = await startReceiver()
  let service = await startProcess(settings)
  const account = { name: 'Ada', email: `telling-${randomUUID()}@example.com`, password: 'correct horse' }
  const { token } = await createClient({ baseUrl: service.url }).auth.register(account)
  const client = () => createClient({ baseUrl: service.url, token })
  await client().notifications.create({ kind: 'webhook', target: chat.url, events: ['site.failing'] })
  /** How often each site was told of, and under how many ids of messages. */
  const told = (siteId: string) => {
    const messages = chat.received.filter(({ json }) => (json.data as { site: { id: string } }).site.id === siteId)
    return { times: messages.length, ids: new Set(messages.map(({ headers }) => headers['webhook-id'])).size }
  }
  const siteIds: string[] = []
  let toldBeforeKill = 0
  for (let round = 1; round <= kills; round += 1) {
    const site = { url: 'https://example.com', webhook_url: host.url, platform: 'custom' } as const
    const { id } = await client().sites.create({ ...site, name: `Site ${round}` })
    siteIds.push(id)
    const refused = Promise.withResolvers<void>()
    host.answerNext(503, (_, response) => response.writeHead(503).end(() => refused.resolve()))
    await client().posts.create({ title: 'Refused', status: 'published', site_ids: [id] })
    await refused.promise
    await sleep(random() * MOST_MS)
    await service.kill()
    host.forgetAnswers()
    host.answerUsually(503)
    if (told(id).times > 0) toldBeforeKill += 1
    service = await startProcess(settings)
    onRound?.(round)
  }
  const deadline = performance.now() + ARRIVAL_DEADLINE_MS
  const untold = () => siteIds.filter((id) => told(id).times === 0)
  while (untold().length > 0 && performance.now() < deadline) await sleep(50)
  await service.end('SIGTERM')
  await Promise.all([host.close(), chat.close()])
  const lost = untold()
  const all = siteIds.map(told)
  return {
    kills,
    acknowledged: siteIds.length,
    delivered: siteIds.length - lost.length,
    lost,
    repeats: all.reduce((sum, { times }) => sum + Math.max(0, times - 1), 0),
    unexplainedRepeats: all.filter(({ times, ids }) => times > 2 || ids > 1).length,
    toldBeforeKill,
  }
}
