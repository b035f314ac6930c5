import { expect, it } from 'vitest'
import { endOfTurn } from './end-of-turn.ts'

it('lets all that wait in one turn of the event loop go on together', async () => {
  const order: string[] = []
  const goOn = async (name: string) => {
    await endOfTurn()
    order.push(name)
    await undefined
    order.push(`${name} again`)
  }
  const both = Promise.all([goOn('first'), goOn('second')])
  setImmediate(() => order.push('next in line'))
  await both
  expect(order).toEqual(['first', 'second', 'first again', 'second again'])
})

it('is one turn later for what asks at the end of one', async () => {
  await endOfTurn()
  let hasComeBy = false
  setImmediate(() => {
    hasComeBy = true
  })
  await endOfTurn()
  expect(hasComeBy).toBe(true)
})
