/** Lanes that are leased as they are filled, and handed to the dispatcher in the same process. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { PostriderClient, SiteWithSecrets } from '@postrider/sdk'
import { type PluginTransformQueryArgs, type PluginTransformResultArgs, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { type Dispatcher, enqueueEvents, handover } from '../src/deliveries/index.ts'
import { publishPost } from '../src/posts/publish-post.ts'
import { heldAnswer, type Receiver, startReceiver } from './support/receiver.ts'
import { connectSite, newAccount, startService, type TestService } from './support/service.ts'
import { workerOf } from './support/worker.ts'

let service: TestService
let receiver: Receiver
let client: PostriderClient
let sites: SiteWithSecrets[]
let dispatcher: Dispatcher
/** What was done before the publish's own, after it was promised that its lanes are taken. */
let meanwhile: () => void
let leftOver: boolean[]

beforeAll(async () => {
  service = await startService()
  receiver = await startReceiver()
})
beforeEach(async () => {
  await service.drain()
  client = await newAccount(service)
  sites = [await connectSite(client, receiver), await connectSite(client, receiver)]
  receiver.received.length = 0
  dispatcher = workerOf(service.ctx)
  meanwhile = () => {}
  leftOver = []
  // It has time once it has looked and found nothing.
  await dispatcher.step()
  handover(service.ctx).taker = {
    promise: (lanes, now) => dispatcher.promise(lanes, now),
    take: (filled) => {
      meanwhile()
      leftOver.push(filled.others)
      dispatcher.take(filled)
    },
  }
})
afterAll(async () => {
  handover(service.ctx).taker = undefined
  await receiver.close()
  await service.stop()
})

const publish = async (title = 'Post') => (await client.posts.create({ title, status: 'published' })).id
/** The state of the lanes. While the clock stands still, each lease after the first raises the fence by one. */
const lanes = async () => {
  const { rows } = await sql<{ fence: number; held: boolean; due: boolean }>`
    select fence, leased_until is not null as held, due_at is not null as due from lanes
    where site_id = any(${sites.map(({ id }) => id)}::uuid[]) order by site_id
  `.execute(service.ctx.db.root)
  const first = service.clock.now().getTime() * 1_000
  return rows.map(({ fence, ...state }) => ({ leases: fence === 0 ? 0 : fence - first + 1, ...state }))
}
const settled = async () => {
  await expect.poll(() => leftOver.length).toBeGreaterThan(0)
  await dispatcher.idle()
}

/** Another worker took the lane for abandoned, delivered what was due in it, and released it. */
async function deliveredElsewhere(siteId: string | undefined): Promise<void> {
  const { root } = service.ctx.db
  await sql`update deliveries set status = 'delivered', attempts = attempts + 1, next_attempt_at = null, finished_at = now()
    where site_id = ${siteId} and status = 'pending'`.execute(root)
  await sql`update lanes set fence = fence + 1, leased_until = null, due_at = null where site_id = ${siteId}`.execute(
    root,
  )
}

// Processes of their own have their own dispatchers.
describe.skipIf(inject('apart') !== undefined)('a lane that is idle when it is filled', () => {
  it('is attempted without a look for due lanes, under a lease like any other, and given back', async () => {
    await publish()
    await settled()
    expect(receiver.received).toHaveLength(2)
    expect(leftOver).toEqual([false])
    expect(await lanes()).toEqual([
      { leases: 1, held: false, due: false },
      { leases: 1, held: false, due: false },
    ])
    expect(await dispatcher.step()).toMatchObject({ again: false })
    expect(receiver.received).toHaveLength(2)
  })

  it('is attempted outside of the request that filled it: its trace is its own', async () => {
    const { ctx } = service
    const context = new AsyncLocalStorage<string>()
    const seen: unknown[] = []
    const { send } = ctx.egress
    ctx.egress.send = (request) => {
      seen.push(context.getStore())
      return send(request)
    }
    const { id } = await client.posts.create({ title: 'Post' })
    const { account_id } = await ctx.db.root
      .selectFrom('posts')
      .select('account_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    await context.run('the request', () => publishPost(ctx, account_id, id, undefined))
    await settled()
    ctx.egress.send = send
    expect(seen).toEqual([undefined, undefined])
  })

  it('is not taken when it is held already; its new delivery is found at the release', async () => {
    await sql`update lanes set leased_until = ${new Date(service.ctx.clock.now().getTime() + 5_000)}, due_at = ${new Date(service.ctx.clock.now().getTime() + 5_000)}
      where site_id = ${sites[0]?.id}`.execute(service.ctx.db.root)
    await publish()
    await settled()
    expect(leftOver).toEqual([true])
    expect(receiver.received).toHaveLength(1)
    await service.advance(5_000)
    expect(receiver.received).toHaveLength(2)
  })

  it('is not taken while an older delivery waits in it', async () => {
    receiver.answerNext(500, 500)
    await publish('First')
    await settled()
    leftOver = []
    receiver.received.length = 0
    await publish('Second')
    await settled()
    expect(leftOver).toEqual([true])
    expect(receiver.received).toHaveLength(0)
    await dispatcher.drain()
    expect(receiver.received).toHaveLength(2)
  })

  it.each([
    ['its last holder may not have recorded everything', 'recovering'],
    ['its site does not answer', 'suspect'],
  ])('is not taken when %s', async (_, column) => {
    const [first] = sites
    await sql`update lanes set ${sql.ref(column)} = true where site_id = ${first?.id}`.execute(service.ctx.db.root)
    await publish()
    await settled()
    expect(leftOver).toEqual([true])
    expect(receiver.received).toHaveLength(1)
    await dispatcher.drain()
    expect(receiver.received).toHaveLength(2)
  })

  it('is given back unattempted when its endpoint changes before the commit is heard of, and read afresh', async () => {
    const [first] = sites
    meanwhile = () => dispatcher.endpointChanged(first?.id)
    await publish()
    await settled()
    expect(receiver.received).toHaveLength(1)
    await dispatcher.drain()
    expect(receiver.received).toHaveLength(2)
  })

  it('is given back unattempted when others may take the worker for dead, which promises nothing meanwhile', async () => {
    meanwhile = () => dispatcher.membershipLost()
    await publish()
    await settled()
    expect(receiver.received).toHaveLength(0)
    expect(dispatcher.promise(1, service.ctx.clock.now())).toBeUndefined()
    dispatcher.membershipRegained()
    await dispatcher.drain()
    expect(receiver.received).toHaveLength(2)
  })

  it('is given back unattempted while an attempt under a lease that was lost is still in flight here', async () => {
    const { answer, finish } = heldAnswer()
    receiver.answerNext(answer)
    const [site] = sites
    const { id } = await client.posts.create({ title: 'First' })
    await client.posts.publish(id, [site?.id ?? ''])
    await expect.poll(() => receiver.received.length).toBe(1)
    await deliveredElsewhere(site?.id)
    await client.posts.update(id, { title: 'Second' })
    await expect.poll(() => leftOver.length).toBe(2)
    await expect.poll(lanes).toContainEqual({ leases: 3, held: false, due: true })
    await dispatcher.step()
    expect(receiver.received).toHaveLength(1)
    finish()
    await dispatcher.idle()
    await dispatcher.drain()
    expect(receiver.received).toHaveLength(2)
    expect(receiver.received.at(-1)?.body).toContain('Second')
  })

  it('ends what waits under a lease that was lost', async () => {
    const { answer, finish } = heldAnswer()
    receiver.answerNext(answer)
    // There is room for one content at a time.
    dispatcher = workerOf(service.ctx, { large: { above: 1, waiting: 10, prompt: 1, suspect: 1 } })
    await dispatcher.step()
    const [first, second] = sites.map(({ id }) => id)
    const { id: inTheWay } = await client.posts.create({ title: 'In the way' })
    await client.posts.publish(inTheWay, [first ?? ''])
    await expect.poll(() => receiver.received.length).toBe(1)
    const { id } = await client.posts.create({ title: 'First' })
    await client.posts.publish(id, [second ?? ''])
    await expect.poll(() => dispatcher.held().waitingForRoom).toBe(1)
    await deliveredElsewhere(second)
    await client.posts.update(id, { title: 'Second' })
    await expect.poll(() => leftOver.length).toBe(3)
    finish()
    await dispatcher.idle()
    await dispatcher.drain()
    const titles = receiver.received.map(({ json }) => (json.post as { title: string }).title)
    expect(titles).toEqual(['In the way', 'Second'])
  })

  it('is sent nothing that was read under a lease that was lost', async () => {
    const gate = Promise.withResolvers<void>()
    let read = 0
    const waiting = {
      transformQuery: ({ node }: PluginTransformQueryArgs) => node,
      async transformResult({ result }: PluginTransformResultArgs) {
        read += 1
        if (read > 1) await gate.promise // the first is the lease
        return result
      },
    }
    const { db } = service.ctx
    dispatcher = workerOf({ ...service.ctx, db: { ...db, root: db.root.withPlugin(waiting) } })
    const [site] = sites
    const { id } = await client.posts.create({ title: 'First' })
    const { taker } = handover(service.ctx)
    handover(service.ctx).taker = undefined
    await client.posts.publish(id, [site?.id ?? ''])
    const step = dispatcher.step()
    await expect.poll(() => read).toBeGreaterThan(2)
    await deliveredElsewhere(site?.id)
    handover(service.ctx).taker = taker
    const { answer, finish } = heldAnswer()
    receiver.answerNext(answer)
    await client.posts.update(id, { title: 'Second' })
    await expect.poll(() => receiver.received.length).toBe(1)
    gate.resolve()
    await step
    finish()
    await dispatcher.idle()
    await dispatcher.drain()
    expect(receiver.received.map(({ json }) => (json.post as { title: string }).title)).toEqual(['Second'])
  })

  it('is not taken for a paused site', async () => {
    await client.sites.update(sites[0]?.id ?? '', { status: 'inactive' })
    await publish()
    await settled()
    expect(receiver.received).toHaveLength(1)
    expect((await lanes()).map(({ leases }) => leases).sort()).toEqual([0, 1])
  })

  it('is left to all workers when more than 64 are filled at once, or the dispatcher has not looked yet', async () => {
    expect(dispatcher.promise(64, service.ctx.clock.now())).toBeDefined()
    expect(dispatcher.promise(65, service.ctx.clock.now())).toBeUndefined()
    expect(workerOf(service.ctx).promise(1, service.ctx.clock.now())).toBeUndefined()
  })

  it('stays as it was when the transaction fails', async () => {
    const failing = service.ctx.db.tx(async (tx) => {
      const [site] = sites
      const { account_id } = await tx
        .selectFrom('endpoints')
        .select('account_id')
        .where('site_id', '=', site?.id ?? '')
        .executeTakeFirstOrThrow()
      const post = { id: service.ctx.ids.next(), slug: 'gone' }
      await enqueueEvents(
        service.ctx,
        tx,
        [
          {
            accountId: account_id,
            postId: post.id,
            sequence: 1,
            kind: 'post.deleted',
            previousVersion: null,
            post,
            siteIds: [site?.id ?? ''],
          },
        ],
        service.ctx.clock.now(),
      )
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    await dispatcher.idle()
    expect(leftOver).toEqual([])
    expect((await lanes()).every(({ held, due }) => !held && !due)).toBe(true)
  })
})
