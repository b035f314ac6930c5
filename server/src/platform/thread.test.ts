import { describe, expect, it } from 'vitest'
import { isOutOfMemory, Thread } from './thread.ts'

const threadOf = (idleMs: number) =>
  new Thread<'who' | 'fail' | 'grow', number>({
    module: new URL('./thread.fixture.ts', import.meta.url),
    idleMs,
    memoryMb: { young: 4, old: 32 },
  })

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
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await thread.ask('who')).toBeGreaterThan(first)
  })

  it('that fails rejects, and another is started', async () => {
    const thread = threadOf(60_000)
    const first = await thread.ask('who')
    await expect(thread.ask('fail')).rejects.toThrow('no answer')
    expect(await thread.ask('who')).toBeGreaterThan(first)
  })

  it('that needs more memory than it may ends alone', async () => {
    const thread = threadOf(60_000)
    const error = await thread.ask('grow').catch((thrown: unknown) => thrown)
    expect(isOutOfMemory(error)).toBe(true)
    expect(await thread.ask('who')).toBeGreaterThan(0)
  })
})
