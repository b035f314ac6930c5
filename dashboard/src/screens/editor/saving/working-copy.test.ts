import type { PostWithDeliveries } from '@postrider/sdk'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { docOf, later, open, serviceOf, written } from './open-post.fixture.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const publishedOn = async (service: ReturnType<typeof serviceOf>): Promise<PostWithDeliveries> => {
  const post: PostWithDeliveries = { ...(await service.create({ title: 'Bread' })), status: 'published' }
  service.posts.set(post.id, post)
  return post
}

describe('changes to a published post', () => {
  it('are saved beside it as they are written, and are the post once it is updated', async () => {
    const service = serviceOf()
    const post = await publishedOn(service)
    const openPost = open(service, post.id, post)
    openPost.change({ body: written('Mix') })
    await later(1_000)
    openPost.change({ body: written('Mix well') })
    await later(1_000)
    expect(openPost.view()).toMatchObject({ dirty: false, workingCopy: { based_on: 1 }, post: { has_changes: true } })
    expect(service.posts.get(post.id)).toMatchObject({ version: 1, body: { json: post.body.json } })
    expect(await openPost.update()).toBe(true)
    expect(service.posts.get(post.id)).toMatchObject({ version: 2, body: { json: docOf('Mix well') } })
    expect(openPost.view()).toMatchObject({ dirty: false, workingCopy: undefined, post: { version: 2 } })
  })

  it('are what another machine goes on with', async () => {
    const service = serviceOf()
    const post = await publishedOn(service)
    const first = open(service, post.id, post)
    first.change({ body: written('Mix') })
    await later(1_000)
    const second = open(service, post.id, post)
    expect(second.view()).toMatchObject({ dirty: false, draft: { body: written('Mix') } })
    second.change({ title: 'Better bread' })
    await later(1_000)
    // The first has not seen that, and writes into another field.
    first.change({ excerpt: 'Short' })
    await later(2_000)
    expect(first.view()).toMatchObject({ conflict: undefined, draft: { title: 'Better bread', excerpt: 'Short' } })
    expect(service.copies.get(post.id)).toMatchObject({ title: 'Better bread', excerpt: 'Short' })
    expect(await first.update()).toBe(true)
    expect(service.posts.get(post.id)).toMatchObject({ title: 'Better bread', excerpt: 'Short' })
  })

  it('that two machines made to the same part are a conflict, which a person decides', async () => {
    const service = serviceOf()
    const post = await publishedOn(service)
    const [first, second] = [open(service, post.id, post), open(service, post.id, post)]
    first.change({ body: written('Mine') })
    await later(1_000)
    second.change({ body: written('Theirs') })
    await later(1_000)
    expect(second.view().conflict?.fields).toEqual(['body'])
    expect(await second.update()).toBe(false)
    expect(service.copies.get(post.id)?.body.json).toEqual(docOf('Mine'))
    await second.resolve([])
    expect(service.copies.get(post.id)?.body.json).toEqual(docOf('Theirs'))
  })

  it('are merged with a change that a program made to the post meanwhile', async () => {
    const service = serviceOf()
    const post = await publishedOn(service)
    const openPost = open(service, post.id, post)
    openPost.change({ body: written('Mix') })
    await later(1_000)
    await service.api.update(post.id, { title: 'Better bread' })
    expect(await openPost.update()).toBe(true)
    expect(service.posts.get(post.id)).toMatchObject({
      version: 3,
      title: 'Better bread',
      body: { json: docOf('Mix') },
    })
  })

  it('are merged with such a change also when they are opened again', async () => {
    const service = serviceOf()
    const post = await publishedOn(service)
    const left = open(service, post.id, post)
    left.change({ body: written('Mix') })
    await later(1_000)
    const changed = await service.api.update(post.id, { excerpt: 'Theirs' })
    const openPost = open(service, post.id, changed)
    await later(1_000)
    expect(openPost.view()).toMatchObject({ dirty: false, draft: { excerpt: 'Theirs', body: written('Mix') } })
    expect(service.copies.get(post.id)).toMatchObject({ based_on: 2, excerpt: 'Theirs' })
  })

  it('are a conflict with such a change of the same part', async () => {
    const service = serviceOf()
    const post = await publishedOn(service)
    const openPost = open(service, post.id, post)
    openPost.change({ title: 'Mine' })
    await later(1_000)
    const changed = await service.api.update(post.id, { title: 'Theirs' })
    openPost.observe({ post: changed, workingCopy: service.copies.get(post.id) })
    await later(1_000)
    expect(openPost.view().conflict).toMatchObject({ fields: ['title'], theirs: { title: 'Theirs' } })
    await openPost.resolve(['title'])
    // Nothing is left that the post lacks.
    expect(openPost.view()).toMatchObject({ dirty: false, workingCopy: undefined, draft: { title: 'Theirs' } })
    expect(service.copies.size).toBe(0)
  })

  it('are sent once it is decided that they stay', async () => {
    const service = serviceOf()
    const post = await publishedOn(service)
    const openPost = open(service, post.id, post)
    openPost.change({ title: 'Mine' })
    await later(1_000)
    await service.api.update(post.id, { title: 'Theirs', excerpt: 'Theirs' })
    expect(await openPost.update()).toBe(false)
    expect(openPost.view().conflict?.fields).toEqual(['title'])
    await openPost.resolve([])
    expect(openPost.view()).toMatchObject({
      dirty: false,
      conflict: undefined,
      draft: { title: 'Mine', excerpt: 'Theirs' },
    })
    expect(await openPost.update()).toBe(true)
    expect(service.posts.get(post.id)).toMatchObject({ version: 3, title: 'Mine', excerpt: 'Theirs' })
  })

  it('are gone when they are taken back by hand, or discarded', async () => {
    const service = serviceOf()
    const post = await publishedOn(service)
    const openPost = open(service, post.id, post)
    for (const takeBack of [() => openPost.change({ title: 'Bread' }), () => openPost.discard()]) {
      openPost.change({ title: 'Breads' })
      await later(1_000)
      expect(service.copies.size).toBe(1)
      await takeBack()
      await later(1_000)
      expect(service.copies.size).toBe(0)
      expect(openPost.view()).toMatchObject({ dirty: false, workingCopy: undefined, draft: { title: 'Bread' } })
    }
  })

  it('are sent once, though the answer to that is lost', async () => {
    const service = serviceOf()
    const post = await publishedOn(service)
    const openPost = open(service, post.id, post)
    openPost.change({ body: written('Mix') })
    await later(1_000)
    service.fates.push('answer lost')
    expect(await openPost.update()).toBe(false)
    expect(openPost.view().problem?.kind).toBe('offline')
    expect(await openPost.update()).toBe(true)
    expect(openPost.view()).toMatchObject({ dirty: false, workingCopy: undefined, problem: undefined })
    expect(service.posts.get(post.id)).toMatchObject({ version: 2, body: { json: docOf('Mix') } })
  })

  it('become part of the post when it is a draft again', async () => {
    const service = serviceOf()
    const post = await publishedOn(service)
    const left = open(service, post.id, post)
    left.change({ body: written('Mix') })
    await later(1_000)
    const draft = { ...post, status: 'draft' } as const
    service.posts.set(post.id, draft)
    const openPost = open(service, post.id, draft)
    await later(1_000)
    expect(openPost.view()).toMatchObject({ dirty: false, workingCopy: undefined, draft: { body: written('Mix') } })
    expect(service.posts.get(post.id)?.body.json).toEqual(docOf('Mix'))
    expect(service.copies.size).toBe(0)
  })
})
