import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { docOf, later, open, serviceOf, shelfOf, written } from './open-post.fixture.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a save whose answer was lost', () => {
  it('is no conflict with what was written since', async () => {
    const service = serviceOf()
    const post = await service.create({ title: 'Train' })
    const openPost = open(service, post.id, post)
    service.fates.push('answer lost', 'not sent')
    for (const words of ['In', 'In the', 'In the tunnel']) {
      openPost.change({ body: written(words) })
      await later(1_000)
    }
    expect(openPost.view()).toMatchObject({ conflict: undefined, dirty: false })
    expect(service.posts.get(post.id)).toMatchObject({ version: 3, body: { json: docOf('In the tunnel') } })
  })

  it('is recognised as the service stores it: texts trimmed, Markdown as it was given', async () => {
    const service = serviceOf()
    const post = await service.create({ title: 'Train' })
    const openPost = open(service, post.id, post)
    service.fates.push('answer lost')
    openPost.change({ title: 'Train ', excerpt: 'On the ', body: { form: 'markdown', value: 'Some *words*' } })
    await later(1_000)
    openPost.change({
      title: 'Train ride',
      excerpt: 'On the way',
      body: { form: 'markdown', value: 'Some *words* more' },
    })
    await later(1_000)
    expect(openPost.view()).toMatchObject({ conflict: undefined, dirty: false })
    expect(service.posts.get(post.id)).toMatchObject({ title: 'Train ride', excerpt: 'On the way' })
    expect(service.posts.get(post.id)?.body.markdown).toBe('Some *words* more')
  })

  it('is no conflict with its author after a reload either', async () => {
    for (const arrives of ['before', 'after'] as const) {
      const service = serviceOf()
      const post = await service.create({ title: 'Train' })
      const shelf = shelfOf()
      const left = open(service, post.id, post, shelf)
      service.fates.push('answer lost')
      left.change({ body: written('In') })
      await later(1_000)
      left.change({ body: written('In the tunnel') })
      left.leave()
      left.setReadOnly(true)
      const stored = service.posts.get(post.id)
      const openPost = open(service, post.id, arrives === 'before' ? stored : post, shelf)
      expect(openPost.view()).toMatchObject({
        conflict: undefined,
        dirty: true,
        draft: { body: written('In the tunnel') },
      })
      await later(1_000)
      expect(openPost.view()).toMatchObject({ conflict: undefined, dirty: false })
      expect(service.posts.get(post.id)?.body.json).toEqual(docOf('In the tunnel'))
      expect(shelf.copies.size).toBe(0)
    }
  })

  it('is done once the post is seen with it: nothing is left to save, to keep or to say', async () => {
    const service = serviceOf()
    const post = await service.create({ title: 'Train' })
    const shelf = shelfOf()
    const openPost = open(service, post.id, post, shelf)
    service.fates.push('answer lost')
    openPost.change({ body: written('In') })
    await later(1_000)
    expect(openPost.view().problem?.kind).toBe('offline')
    const stored = service.posts.get(post.id)
    if (stored !== undefined) openPost.observe({ post: stored })
    expect(openPost.view()).toMatchObject({ dirty: false, problem: undefined, conflict: undefined })
    expect(shelf.copies.size).toBe(0)
  })

  it('is repeated as it was for a new post after a reload, so that there is one', async () => {
    const service = serviceOf()
    const shelf = shelfOf()
    const left = open(service, 'new-1', undefined, shelf)
    service.fates.push('answer lost')
    left.change({ title: 'Once', tags: ['a'] })
    await later(1_000)
    left.change({ title: 'Once only' })
    left.leave()
    left.setReadOnly(true)
    const openPost = open(service, 'new-1', undefined, shelf)
    expect(openPost.view().draft).toMatchObject({ title: 'Once only', tags: ['a'] })
    await later(1_000)
    expect(openPost.view()).toMatchObject({ dirty: false, problem: undefined })
    expect([...service.posts.values()].map(({ title }) => title)).toEqual(['Once only'])
    expect(shelf.copies.size).toBe(0)
  })

  it('is repeated as it was for a new post, whatever refuses it for a time, so that there is one', async () => {
    for (const fate of [{ refused: 401 }, { refused: 429 }, { refused: 409, retryAfter: 1 }]) {
      const service = serviceOf()
      const openPost = open(service, 'new-1')
      service.fates.push('answer lost', fate)
      openPost.change({ title: 'Once' })
      await later(1_000)
      openPost.change({ title: 'Once only' })
      await later(1_000)
      openPost.tryAgain()
      await later(1_000)
      expect([...service.posts.values()].map(({ title }) => title)).toEqual(['Once only'])
    }
  })
})
