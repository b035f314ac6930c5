/** The seam: a second kind of destination is one object beside the webhook's. This one appends to a file. */
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { type Channel, Channels } from '../src/destinations/index.ts'
import { addEndpoint, enqueueEvents } from '../src/engine/index.ts'
import { newAccount, startService, type TestService } from './support/service.ts'
import { workerOf } from './support/worker.ts'

const FileConfig = z.object({ path: z.string() })

const fileChannel: Channel<z.output<typeof FileConfig>> = {
  kind: 'file',
  config: FileConfig,
  budgetMs: 1_000,
  async attempt({ config, secret }, { deliveryId, attempt, content }) {
    if (attempt === 1) return { kind: 'refused', code: 503, error: 'busy', excerpt: 'Come back later', tookMs: 1 }
    const { title } = JSON.parse(new TextDecoder().decode(content.payload))
    await appendFile(config.path, `${content.kind} ${title} ${deliveryId.length} ${secret}\n`)
    return { kind: 'delivered', code: 200, tookMs: 1 }
  },
  async probe() {
    return {
      ok: true,
      code: null,
      error: null,
      excerpt: null,
      report: { store: null, previews: false, problem: null },
      tookMs: 0,
    }
  },
  preview: ({ config }) => ({ method: 'append', url: config.path, headers: {}, body: '' }),
}

let service: TestService
let directory: string
beforeAll(async () => {
  service = await startService()
  directory = await mkdtemp(join(tmpdir(), 'postrider-destination-'))
})
afterAll(async () => {
  await rm(directory, { recursive: true })
  await service.stop()
})

it('an event reaches a destination of another kind, by the same attempts and the same record', async () => {
  const { ctx } = service
  await newAccount(service)
  const { id: accountId } = await ctx.db.root.selectFrom('accounts').select('id').executeTakeFirstOrThrow()
  const [siteId, postId] = [ctx.ids.next(), ctx.ids.next()]
  const path = join(directory, 'posts')
  const now = ctx.clock.now()
  const event = { accountId, postId, sequence: 1, kind: 'post.published', version: 1, previousVersion: null } as const
  await ctx.db.tx(async (tx) => {
    const endpoint = {
      siteId,
      accountId,
      siteName: 'A file',
      kind: 'file',
      config: { path },
      debounceSeconds: null,
      verifies: false,
      recovers: false,
      secret: 'whisper',
      now,
    }
    await addEndpoint(tx, ctx.keys, endpoint)
    await enqueueEvents(ctx, tx, [{ ...event, payload: { title: 'Hello' }, siteIds: [siteId] }], now)
  })
  const worker = workerOf(ctx, {}, undefined, new Channels(ctx.keys, [fileChannel]))
  await worker.drain()
  service.clock.advance(30_000)
  await worker.drain()
  expect(await readFile(path, 'utf8')).toBe('post.published Hello 36 whisper\n')
  const deliveries = await ctx.db.root.selectFrom('deliveries').selectAll().where('site_id', '=', siteId).execute()
  expect(deliveries).toMatchObject([
    { status: 'delivered_retry', attempts: 2, history: [{ error: 'busy' }, { code: 200 }] },
  ])
})
