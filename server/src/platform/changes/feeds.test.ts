import { expect, it } from 'vitest'
import { manualClock } from '../../../test/support/clock.ts'
import { unauthorized } from '../errors.ts'
import type { Changes } from './changes.ts'
import { Feeds } from './feeds.ts'

const START = new Date('2026-11-02T08:00:00.000Z')

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
    owner: 'somebody',
    requestId: 'r',
    cursor: undefined,
    expiresAt: new Date(START.getTime() + 3_600_000),
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
