import { expect, it } from 'vitest'
import { manualClock } from '../../test/support/clock.ts'
import { recordingLog } from '../../test/support/log.ts'
import { away } from './db/database.ts'
import { defineLoop } from './loop.ts'

/** How long the loop waits after each of ten steps that fail like this, in milliseconds. */
async function waitsAfter(error: Error): Promise<number[]> {
  const clock = manualClock(new Date('2026-11-02T08:00:00.000Z'))
  const steps: number[] = []
  const step = async () => {
    steps.push(clock.now().getTime())
    throw error
  }
  const loop = defineLoop({ name: 'test', everyMs: 1_000, clock, log: recordingLog(() => {}), step })
  loop.start()
  while (steps.length < 11) {
    await new Promise(setImmediate)
    clock.advance(250)
  }
  await loop.stop()
  return steps.slice(1).map((at, index) => at - (steps[index] ?? 0))
}

it('backs off from what fails again and again', async () => {
  expect(await waitsAfter(new Error('broken'))).toEqual([
    250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000,
  ])
})

it('is back soon after the database', async () => {
  const error = away(new Error('connect ECONNREFUSED'))
  expect(await waitsAfter(error)).toEqual([250, 500, 1_000, 2_000, 2_000, 2_000, 2_000, 2_000, 2_000, 2_000])
})
