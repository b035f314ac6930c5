import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { docOf, later, open, serviceOf, written } from './open-post.fixture.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a command', () => {
  it('leaves what it did not store to be saved by itself: it was refused, or the words came meanwhile', async () => {
    const service = serviceOf()
    const post = await service.create({ title: 'Plan' })
    const openPost = open(service, post.id, post)
    openPost.change({ body: written('Words') })
    service.fates.push({ refused: 400 })
    await expect(openPost.command({ status: 'scheduled' })).rejects.toThrow('Refused')
    await later(1_000)
    expect(openPost.view()).toMatchObject({ dirty: false, saving: false })
    expect(service.posts.get(post.id)?.body.json).toEqual(docOf('Words'))

    service.fates.push({ slow: 3_000 })
    const done = openPost.command({ status: 'draft' })
    openPost.change({ body: written('More words') })
    await later(3_000)
    expect(await done).toBe(true)
    await later(1_000)
    expect(openPost.view()).toMatchObject({ dirty: false, saving: false })
    expect(service.posts.get(post.id)?.body.json).toEqual(docOf('More words'))
  })
})
