import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { docOf, later, open, serviceOf, shelfOf, written } from './open-post.fixture.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a tab that only shows the post', () => {
  it('neither keeps nor saves its older text, and goes on with what the other has left', async () => {
    for (const status of ['draft', 'published'] as const) {
      const service = serviceOf()
      const post = { ...(await service.create({ title: 'One pen' })), status }
      service.posts.set(post.id, post)
      const shelf = shelfOf()
      const writer = open(service, post.id, post, shelf)
      service.fates.push('not sent')
      writer.change({ body: written('Old') })
      await later(1_000)

      const reader = open(service, post.id, post, shelf)
      reader.setReadOnly(true)
      await later(2_000)
      expect(service.posts.get(post.id)?.version).toBe(1)
      writer.change({ body: written('New') })
      writer.keep()
      reader.leave()
      expect(shelf.read(post.id)?.mine.body).toEqual(written('New'))

      await writer.save()
      const workingCopy = service.copies.get(post.id)
      const stored = service.posts.get(post.id) ?? post
      expect((workingCopy ?? stored).body.json).toEqual(docOf('New'))
      reader.observe({ post: stored, workingCopy })
      expect(reader.view()).toMatchObject({ conflict: undefined, dirty: false, draft: { body: written('New') } })
      reader.leave()
      expect(shelf.copies.size).toBe(0)

      writer.change({ body: written('Newer') })
      writer.leave()
      writer.setReadOnly(true)
      reader.setReadOnly(false)
      expect(reader.view()).toMatchObject({ conflict: undefined, draft: { body: written('Newer') } })
    }
  })
})

describe('publishing', () => {
  it('is done when the service has done it, though the post could not be read after it', async () => {
    const service = serviceOf()
    const post = await service.create({ title: 'Out' })
    const openPost = open(service, post.id, post)
    service.fates.push(undefined, 'not sent')
    expect(await openPost.publish(undefined)).toBe(true)
    expect(openPost.view().post?.status).toBe('published')
    // Its sites are told of a change at once, so it is saved beside the post.
    openPost.change({ body: written('Not yet') })
    await later(2_000)
    expect(service.posts.get(post.id)?.version).toBe(1)
    expect(service.copies.get(post.id)?.body.json).toEqual(docOf('Not yet'))
  })

  it('is not undone by the late answer of a save that came before', async () => {
    const service = serviceOf()
    const post = await service.create({ title: 'Out' })
    const openPost = open(service, post.id, post)
    const { update } = service.api
    // Carried out at once, answered late.
    service.api.update = async (...args) => {
      const stored = await update(...args)
      await new Promise((resolve) => setTimeout(resolve, 3_000))
      return stored
    }
    service.fates.push({ slow: 2_000 })
    const published = openPost.publish(undefined)
    openPost.change({ metaDescription: 'Written in the dialog' })
    await later(5_000)
    expect(await published).toBe(true)
    expect(openPost.view().post?.status).toBe('published')
  })
})

describe('changing the sites of a published post', () => {
  it('is seen though its answer comes while a save is under way', async () => {
    const service = serviceOf()
    const draft = await service.create({ title: 'Out' })
    const post = { ...draft, status: 'published' as const }
    service.posts.set(post.id, post)
    const openPost = open(service, post.id, post)
    openPost.change({ body: written('Not yet') })
    service.fates.push({ slow: 2_000 }, { slow: 3_000 })
    const arranged = openPost.arrange({ site_ids: ['journal'] })
    await later(5_000)
    expect(await arranged).toBe(true)
    expect(openPost.view().post?.site_ids).toEqual(['journal'])
    expect(service.copies.get(post.id)?.body.json).toEqual(docOf('Not yet'))
  })
})
