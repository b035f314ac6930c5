import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Thread } from './thread.ts'

const threadOf = (idleMs: number) =>
  new Thread<'who' | 'fail' | 'leave' | 'answer and fail', number>(
    new URL('./thread.fixture.ts', import.meta.url),
    idleMs,
  )

describe('a thread', () => {
  it('answers one question after the other', async () => {
    const thread = threadOf(60_000)
    const first = await thread.ask('who')
    expect(first).toBeGreaterThan(0)
    expect(await thread.ask('who')).toBe(first)
  })

  it('ends when it has been idle, and another is started', async () => {
    const thread = threadOf(1)
    const first = await thread.ask('who')
    await sleep(50)
    expect(await thread.ask('who')).toBeGreaterThan(first)
  })

  it.each([
    ['fails', 'fail', 'no answer'],
    ['ends', 'leave', 'The thread ended with code 0.'],
  ] as const)('that %s rejects, and another is started', async (_, question, message) => {
    const thread = threadOf(60_000)
    const first = await thread.ask('who')
    await expect(thread.ask(question)).rejects.toThrow(message)
    expect(await thread.ask('who')).toBeGreaterThan(first)
  })

  it('that fails after its answer is replaced', async () => {
    const thread = threadOf(60_000)
    const first = await thread.ask('answer and fail')
    await sleep(200)
    expect(await thread.ask('who')).toBeGreaterThan(first)
  })
})
