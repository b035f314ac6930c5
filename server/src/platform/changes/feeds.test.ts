import { expect, it } from 'vitest'
import { type ManualClock, manualClock } from '../../../test/support/clock.ts'
import { unauthorized } from '../errors.ts'
import type { ChangeListener, Changes } from './changes.ts'
import { Cursors } from './cursors.ts'
import { Feeds } from './feeds.ts'

const START = new Date('2026-11-02T08:00:00.000Z')

const follower = {
  owner: 'somebody',
  requestId: 'r',
  cursor: undefined,
  expiresAt: new Date(START.getTime() + 3_600_000),
  mayGoOn: async () => {},
}

it('ends a stream whose login ended while it was opened', async () => {
  let loggedIn = true
  const ends: string[] = []
  const announced = Promise.withResolvers<void>()
  const changes: Pick<Changes, 'listen' | 'watch'> = { listen() {}, watch: () => announced.promise }
  const log = {
    debug() {},
    info: (event: string) => void ends.push(event),
    warn() {},
    error() {},
  }
  const feeds = new Feeds({ changes: changes as Changes, clock: manualClock(START), log, read: async () => [] })
  const opening = feeds.open({
    ...follower,
    async mayGoOn() {
      if (!loggedIn) throw unauthorized('Bearer', 'This login is no longer valid.')
    },
  })
  loggedIn = false
  await feeds.recheck('somebody')
  announced.resolve()
  await opening
  await new Promise(setImmediate)
  expect(ends).toEqual(['stream.ended'])
  await feeds.close()
})

it.each<[string, (clock: ManualClock) => void]>([
  [
    'the clock was set back',
    (clock) => {
      clock.advance(-600_000)
      clock.advance(70_000)
    },
  ],
  ['the machine slept', (clock) => clock.suspend(70_000)],
])('relies on a watch no longer because %s', async (_, pass) => {
  const clock = manualClock(START)
  let heard: ChangeListener | undefined
  const changes: Pick<Changes, 'listen' | 'watch'> = {
    listen: (listener) => {
      heard = listener
    },
    watch: async () => {},
  }
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const feeds = new Feeds({ changes: changes as Changes, clock, log, read: async () => [] })
  feeds.start()
  heard?.watched('somebody')
  clock.advance(18_000)
  heard?.changed('somebody', 'post', ['019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11'])
  clock.advance(2_000)
  const cursor = new Cursors().at(clock.now().getTime())
  // The watch lapses, and what changes then is told to nobody.
  pass(clock)
  const stream = await feeds.open({ ...follower, cursor })
  let told = ''
  const decoder = new TextDecoder()
  void (async () => {
    for await (const chunk of stream.body) told += decoder.decode(chunk)
  })()
  await expect.poll(() => told).toContain('resync')
  await feeds.close()
})
