import { AsyncLocalStorage } from 'node:async_hooks'
import { afterEach, expect, it } from 'vitest'
import { manualClock } from '../../../test/support/clock.ts'
import { EventStream } from '../http/event-stream.ts'
import { Cursors } from './cursors.ts'
import { Feed, type OpenStream, thingText } from './feed.ts'
import { Memory } from './memory.ts'

const START = new Date('2026-11-02T08:00:00.000Z')
const open: EventStream[] = []

/** A feed whose reading can be held up; `onRead` is called when it reads. */
function newFeed(onRead = () => {}) {
  const clock = manualClock(START)
  const memory = new Memory(clock.now().getTime())
  let held: Promise<void> | undefined
  const feed = new Feed(
    {
      clock,
      log: { debug() {}, info() {}, warn() {}, error() {} },
      cursors: new Cursors(),
      async read(_, things) {
        onRead()
        await held
        return [...things.values()].flat().map((id) => ({ event: 'post.changed', data: { id } }))
      },
    },
    'somebody',
    memory,
  )
  return {
    clock,
    feed,
    hear(id: string) {
      memory.note([thingText('post', id)], clock.now().getTime())
      feed.step()
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = promise
      return resolve
    },
    /** A stream that joins now, and all that it has been told. */
    async join(cursor?: string): Promise<{ one: OpenStream; told: () => string }> {
      const stream = new EventStream()
      open.push(stream)
      const expiresAt = new Date(START.getTime() + 3_600_000)
      const one = {
        owner: 'somebody',
        requestId: 'r',
        cursor,
        expiresAt,
        mayGoOn: async () => {},
        stream,
        openedAt: START,
      }
      let told = ''
      const decoder = new TextDecoder()
      void (async () => {
        for await (const chunk of stream.body) told += decoder.decode(chunk)
      })()
      feed.join(one)
      await turns()
      return { one, told: () => told }
    },
  }
}

/** Long enough for a step that waits for nothing. */
async function turns(): Promise<void> {
  for (let count = 0; count < 20; count += 1) await new Promise(setImmediate)
}

afterEach(() => {
  for (const stream of open.splice(0)) stream.end()
})

it('tells a stream what it has not been told, also when another one joins and leaves meanwhile', async () => {
  const { clock, feed, hear, hold, join } = newFeed()
  const first = await join()
  hear('one')
  await turns()
  clock.advance(200)
  hear('two')
  await turns()
  expect(first.told()).toContain('"one"')
  // Heard, and not told yet: the last reading was just now.
  hear('three')
  const goOn = hold()
  const second = await join()
  feed.leave(second.one)
  goOn()
  await turns()
  clock.advance(200)
  await turns()
  expect(first.told()).toContain('"three"')
})

it('does not wait for the time from which the clock was set back', async () => {
  const { clock, hear, join } = newFeed()
  const one = await join()
  hear('before')
  await turns()
  clock.advance(-45_000)
  hear('after')
  await turns()
  clock.advance(200)
  await turns()
  expect(one.told()).toContain('"after"')
})

it('reads in nobody’s context, also what is heard while the request that opened a stream is under way', async () => {
  const storage = new AsyncLocalStorage<string>()
  const seen: unknown[] = []
  const { hear, join } = newFeed(() => seen.push(storage.getStore()))
  const joining = storage.run('a request', () => join())
  hear('one')
  const { told } = await joining
  await turns()
  expect(told()).toContain('"one"')
  expect(seen).toEqual([undefined])
})
