import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { docOf, later, open, serviceOf, shelfOf, written } from './open-post.fixture.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('what somebody else wrote', () => {
  it('is a conflict, though an own save had no answer', async () => {
    const service = serviceOf()
    const post = await service.create({ title: 'Train' })
    const openPost = open(service, post.id, post)
    service.fates.push('not sent')
    openPost.change({ body: written('Mine') })
    await later(1_000)
    service.posts.set(post.id, { ...post, version: 2, body: { ...post.body, json: docOf('Theirs') } })
    openPost.change({ body: written('Mine and more') })
    await later(1_000)
    expect(openPost.view().conflict?.fields).toEqual(['body'])
    expect(service.posts.get(post.id)?.body.json).toEqual(docOf('Theirs'))
  })

  it('is a conflict that has what was still being typed when it came up', async () => {
    const service = serviceOf()
    const post = await service.create({ title: 'Train', excerpt: 'On the way' })
    const shelf = shelfOf()
    const openPost = open(service, post.id, post, shelf)
    service.posts.set(post.id, {
      ...post,
      version: 2,
      excerpt: 'Theirs',
      body: { ...post.body, json: docOf('Theirs') },
    })
    openPost.change({ body: written('Mine') })
    await later(1_000)
    expect(openPost.view().conflict?.fields).toEqual(['body'])
    openPost.change({ excerpt: 'Mine too', canonicalUrl: 'https://blog.example/mine' })
    expect(openPost.view().conflict?.fields).toEqual(['body', 'excerpt'])
    expect(shelf.read(post.id)).toMatchObject({
      was: { excerpt: 'On the way' },
      mine: { body: written('Mine'), excerpt: 'Mine too' },
    })
    await openPost.resolve(['excerpt'])
    expect(openPost.view().draft).toMatchObject({
      body: written('Mine'),
      excerpt: 'Theirs',
      canonicalUrl: 'https://blog.example/mine',
    })
  })
})
