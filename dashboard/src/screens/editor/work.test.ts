import { type CreatePost, PostriderError, type PostWithDeliveries, type UpdatePost } from '@postrider/sdk'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Body } from './draft.ts'
import type { Copy, Shelf } from './local.ts'
import type { Work as OpenWork } from './work.ts'

// The client of the page is made for the page's address.
vi.stubGlobal('location', { origin: 'https://postrider.example' })
const { Work } = await import('./work.ts')

/** What becomes of a request: it is refused with a status, it takes milliseconds, it does not arrive, or its answer does not. */
type Fate = { refused: number; retryAfter?: number } | { slow: number } | 'not sent' | 'answer lost'

const docOf = (words: string) => ({
  type: 'doc',
  content: [{ type: 'paragraph', content: [{ type: 'text', text: words }] }],
})
const written = (words: string): Body => ({ form: 'json', value: docOf(words) })

/** A service that has one account's posts; the next requests meet these fates. */
function serviceOf() {
  const posts = new Map<string, PostWithDeliveries>()
  const answers = new Map<string, { sent: string; post: PostWithDeliveries }>()
  const fates: Array<Fate | undefined> = []
  const refusal = (status: number, retryAfter?: number) =>
    new PostriderError(
      new Response(null, { status, headers: retryAfter === undefined ? {} : { 'retry-after': `${retryAfter}` } }),
      { error: 'x', message: `Refused with ${status}.` },
    )
  const meet = async <Answer>(act: () => Answer): Promise<Answer> => {
    const fate = fates.shift()
    if (fate === 'not sent') throw new TypeError('fetch failed')
    if (typeof fate === 'object' && 'refused' in fate) throw refusal(fate.refused, fate.retryAfter)
    if (typeof fate === 'object') await new Promise((resolve) => setTimeout(resolve, fate.slow))
    const answer = act()
    if (fate === 'answer lost') throw new TypeError('fetch failed')
    return answer
  }
  const changed = (post: PostWithDeliveries, { title, body, excerpt, status }: UpdatePost): PostWithDeliveries => ({
    ...post,
    title: title?.trim() ?? post.title,
    excerpt: excerpt?.trim() ?? post.excerpt,
    status: status ?? post.status,
    body: {
      ...post.body,
      ...(body?.markdown === undefined ? {} : { json: docOf(body.markdown) }),
      ...(body as object),
    },
    version: post.version + 1,
  })
  const api = {
    create: (input: CreatePost, { idempotencyKey = '' } = {}) =>
      meet(() => {
        const sent = JSON.stringify(input)
        const before = answers.get(idempotencyKey)
        if (before !== undefined) {
          if (before.sent !== sent) throw refusal(409)
          return before.post
        }
        const id = `post-${posts.size + 1}`
        const empty = { id, version: 0, slug: `slug-${id}`, excerpt: '', tags: [], meta: {}, status: 'draft' } as const
        const times = { created_at: '2026-11-23T12:00:00Z', updated_at: '2026-11-23T12:00:00Z' }
        const body = { html: '', markdown: '', json: { type: 'doc', content: [{ type: 'paragraph' }] } }
        const blank = { ...empty, ...times, title: '', body } as unknown as PostWithDeliveries
        const post = changed(blank, input as UpdatePost)
        posts.set(id, post)
        answers.set(idempotencyKey, { sent, post })
        return post
      }),
    update: (id: string, input: UpdatePost, version?: number) =>
      meet(() => {
        const post = posts.get(id)
        if (post === undefined) throw refusal(404)
        if (version !== undefined && version !== post.version) throw refusal(412)
        const next = changed(post, input)
        posts.set(id, next)
        return next
      }),
    get: (id: string) =>
      meet(() => {
        const post = posts.get(id)
        if (post === undefined) throw refusal(404)
        return post
      }),
    publish: (id: string) =>
      meet(() => {
        const post = posts.get(id)
        if (post === undefined) throw refusal(404)
        posts.set(id, { ...post, status: 'published' })
      }),
  }
  return { api: api as unknown as ConstructorParameters<typeof Work>[2]['api'], posts, fates, create: api.create }
}

function shelfOf(): Shelf & { copies: Map<string, Copy> } {
  const copies = new Map<string, Copy>()
  return {
    copies,
    read: (id) => copies.get(id),
    write: (id, copy) => Boolean(copies.set(id, copy)),
    remove: (id) => void copies.delete(id),
    all: () => [],
  }
}

type Service = ReturnType<typeof serviceOf>

function open({ api }: Service, id: string, post?: PostWithDeliveries, shelf: Shelf = shelfOf()): OpenWork {
  return new Work(id, post, { api, shelf, onCreated() {}, onStored() {}, onSignedOut() {} })
}

const later = (ms: number) => vi.advanceTimersByTimeAsync(ms)

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a save whose answer was lost', () => {
  it('is no conflict with what was written since', async () => {
    const service = serviceOf()
    const post = await service.create({ title: 'Train' })
    const work = open(service, post.id, post)
    service.fates.push('answer lost', 'not sent')
    for (const words of ['In', 'In the', 'In the tunnel']) {
      work.change({ body: written(words) })
      await later(1_000)
    }
    expect(work.view()).toMatchObject({ conflict: undefined, dirty: false })
    expect(service.posts.get(post.id)).toMatchObject({ version: 3, body: { json: docOf('In the tunnel') } })
  })

  it('is recognised as the service stores it: texts trimmed, Markdown as it was given', async () => {
    const service = serviceOf()
    const post = await service.create({ title: 'Train' })
    const work = open(service, post.id, post)
    service.fates.push('answer lost')
    work.change({ title: 'Train ', excerpt: 'On the ', body: { form: 'markdown', value: 'Some *words*' } })
    await later(1_000)
    work.change({ title: 'Train ride', excerpt: 'On the way', body: { form: 'markdown', value: 'Some *words* more' } })
    await later(1_000)
    expect(work.view()).toMatchObject({ conflict: undefined, dirty: false })
    expect(service.posts.get(post.id)).toMatchObject({ title: 'Train ride', excerpt: 'On the way' })
    expect(service.posts.get(post.id)?.body.markdown).toBe('Some *words* more')
  })

  it('is a conflict all the same with what somebody else wrote', async () => {
    const service = serviceOf()
    const post = await service.create({ title: 'Train' })
    const work = open(service, post.id, post)
    service.fates.push('not sent')
    work.change({ body: written('Mine') })
    await later(1_000)
    service.posts.set(post.id, { ...post, version: 2, body: { ...post.body, json: docOf('Theirs') } })
    work.change({ body: written('Mine and more') })
    await later(1_000)
    expect(work.view().conflict?.fields).toEqual(['body'])
    expect(service.posts.get(post.id)?.body.json).toEqual(docOf('Theirs'))
  })

  it('is a conflict that has what was still being typed when it came up', async () => {
    const service = serviceOf()
    const post = await service.create({ title: 'Train', excerpt: 'On the way' })
    const shelf = shelfOf()
    const work = open(service, post.id, post, shelf)
    service.posts.set(post.id, {
      ...post,
      version: 2,
      excerpt: 'Theirs',
      body: { ...post.body, json: docOf('Theirs') },
    })
    work.change({ body: written('Mine') })
    await later(1_000)
    expect(work.view().conflict?.fields).toEqual(['body'])
    work.change({ excerpt: 'Mine too', canonicalUrl: 'https://blog.example/mine' })
    expect(work.view().conflict?.fields).toEqual(['body', 'excerpt'])
    expect(shelf.read(post.id)).toMatchObject({
      was: { excerpt: 'On the way' },
      mine: { body: written('Mine'), excerpt: 'Mine too' },
    })
    await work.resolve(['excerpt'])
    expect(work.view().draft).toMatchObject({
      body: written('Mine'),
      excerpt: 'Theirs',
      canonicalUrl: 'https://blog.example/mine',
    })
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
      left.rest(true)
      const stored = service.posts.get(post.id)
      const work = open(service, post.id, arrives === 'before' ? stored : post, shelf)
      expect(work.view()).toMatchObject({ conflict: undefined, dirty: true, draft: { body: written('In the tunnel') } })
      await later(1_000)
      expect(work.view()).toMatchObject({ conflict: undefined, dirty: false })
      expect(service.posts.get(post.id)?.body.json).toEqual(docOf('In the tunnel'))
      expect(shelf.copies.size).toBe(0)
    }
  })

  it('is done once the post is seen with it: nothing is left to save, to keep or to say', async () => {
    const service = serviceOf()
    const post = await service.create({ title: 'Train' })
    const shelf = shelfOf()
    const work = open(service, post.id, post, shelf)
    service.fates.push('answer lost')
    work.change({ body: written('In') })
    await later(1_000)
    expect(work.view().problem?.kind).toBe('offline')
    const stored = service.posts.get(post.id)
    if (stored !== undefined) work.observe(stored)
    expect(work.view()).toMatchObject({ dirty: false, problem: undefined, conflict: undefined })
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
    left.rest(true)
    const work = open(service, 'new-1', undefined, shelf)
    expect(work.view().draft).toMatchObject({ title: 'Once only', tags: ['a'] })
    await later(1_000)
    expect(work.view()).toMatchObject({ dirty: false, problem: undefined })
    expect([...service.posts.values()].map(({ title }) => title)).toEqual(['Once only'])
    expect(shelf.copies.size).toBe(0)
  })

  it('is repeated as it was for a new post, whatever refuses it for a time, so that there is one', async () => {
    for (const fate of [{ refused: 401 }, { refused: 429 }, { refused: 409, retryAfter: 1 }]) {
      const service = serviceOf()
      const work = open(service, 'new-1')
      service.fates.push('answer lost', fate)
      work.change({ title: 'Once' })
      await later(1_000)
      work.change({ title: 'Once only' })
      await later(1_000)
      work.tryAgain()
      await later(1_000)
      expect([...service.posts.values()].map(({ title }) => title)).toEqual(['Once only'])
    }
  })
})

describe('a tab that only shows the post', () => {
  it('neither keeps nor saves its older text, and goes on with what the other has left', async () => {
    for (const status of ['draft', 'published'] as const) {
      const service = serviceOf()
      const post = { ...(await service.create({ title: 'One pen' })), status }
      service.posts.set(post.id, post)
      const shelf = shelfOf()
      const writer = open(service, post.id, post, shelf)
      if (writer.savesByItself) service.fates.push('not sent')
      writer.change({ body: written('Old') })
      await later(1_000)

      const reader = open(service, post.id, post, shelf)
      reader.rest(true)
      await later(2_000)
      expect(service.posts.get(post.id)?.version).toBe(1)
      writer.change({ body: written('New') })
      writer.keep()
      reader.leave()
      expect(shelf.read(post.id)?.mine.body).toEqual(written('New'))

      await writer.save()
      const stored = service.posts.get(post.id)
      expect(stored?.body.json).toEqual(docOf('New'))
      if (stored !== undefined) reader.observe(stored)
      expect(reader.view()).toMatchObject({ conflict: undefined, dirty: false, draft: { body: written('New') } })
      reader.leave()
      expect(shelf.copies.size).toBe(0)

      writer.change({ body: written('Newer') })
      writer.leave()
      writer.rest(true)
      reader.rest(false)
      expect(reader.view()).toMatchObject({ conflict: undefined, draft: { body: written('Newer') } })
    }
  })
})

describe('a command', () => {
  it('leaves what it did not store to be saved by itself: it was refused, or the words came meanwhile', async () => {
    const service = serviceOf()
    const post = await service.create({ title: 'Plan' })
    const work = open(service, post.id, post)
    work.change({ body: written('Words') })
    service.fates.push({ refused: 400 })
    await expect(work.command({ status: 'scheduled' })).rejects.toThrow('Refused')
    await later(1_000)
    expect(work.view()).toMatchObject({ dirty: false, saving: false })
    expect(service.posts.get(post.id)?.body.json).toEqual(docOf('Words'))

    service.fates.push({ slow: 3_000 })
    const done = work.command({ status: 'draft' })
    work.change({ body: written('More words') })
    await later(3_000)
    expect(await done).toBe(true)
    await later(1_000)
    expect(work.view()).toMatchObject({ dirty: false, saving: false })
    expect(service.posts.get(post.id)?.body.json).toEqual(docOf('More words'))
  })
})

describe('publishing', () => {
  it('is done when the service has done it, though the post could not be read after it', async () => {
    const service = serviceOf()
    const post = await service.create({ title: 'Out' })
    const work = open(service, post.id, post)
    service.fates.push(undefined, 'not sent')
    expect(await work.publish(undefined)).toBe(true)
    expect(work.view().post?.status).toBe('published')
    // Its sites are told of a change at once, so none is saved by itself.
    work.change({ body: written('Not yet') })
    await later(2_000)
    expect(service.posts.get(post.id)?.version).toBe(1)
  })

  it('is not undone by the late answer of a save that came before', async () => {
    const service = serviceOf()
    const post = await service.create({ title: 'Out' })
    const work = open(service, post.id, post)
    const { update } = service.api
    // Carried out at once, answered late.
    service.api.update = async (...args) => {
      const stored = await update(...args)
      await new Promise((resolve) => setTimeout(resolve, 3_000))
      return stored
    }
    service.fates.push({ slow: 2_000 })
    const published = work.publish(undefined)
    work.change({ metaDescription: 'Written in the dialog' })
    await later(5_000)
    expect(await published).toBe(true)
    expect(work.view().post?.status).toBe('published')
  })
})
