/** A service that answers as the tests of saving want it to, with its clock in their hands. */
import {
  type CreatePost,
  PostriderError,
  type PostWithDeliveries,
  type SaveWorkingCopy,
  type UpdatePost,
  type WorkingCopy,
} from '@postrider/sdk'
import { vi } from 'vitest'
import type { Body } from '../draft.ts'
import type { Copy, Shelf } from './draft-shelf.ts'
import type { OpenPost as OpenPostType } from './open-post.ts'

// The client of the page is made for the page's address.
vi.stubGlobal('location', { origin: 'https://postrider.example' })
const { OpenPost } = await import('./open-post.ts')

/** What becomes of a request: it is refused with a status, it takes milliseconds, it does not arrive, or its answer does not. */
type Fate = { refused: number; retryAfter?: number } | { slow: number } | 'not sent' | 'answer lost'

/** A document with one paragraph of these words. */
export const docOf = (words: string) => ({
  type: 'doc',
  content: [{ type: 'paragraph', content: [{ type: 'text', text: words }] }],
})
/** A body of these words, as the editor gives it. */
export const written = (words: string): Body => ({ form: 'json', value: docOf(words) })

/** A service that has one account's posts; the next requests meet these fates. */
export function serviceOf() {
  const posts = new Map<string, PostWithDeliveries>()
  const answers = new Map<string, { sent: string; post: PostWithDeliveries }>()
  const copies = new Map<string, WorkingCopy>()
  const versions = new Map<string, PostWithDeliveries>()
  let saves = 0
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
  const changed = (post: PostWithDeliveries, { site_ids, ...content }: UpdatePost): PostWithDeliveries => ({
    ...(Object.keys(content).length === 0 ? post : rewritten(post, content)),
    ...(site_ids === undefined ? {} : { site_ids }),
  })
  const rewritten = (post: PostWithDeliveries, { title, body, excerpt, status }: UpdatePost): PostWithDeliveries => ({
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
  const found = <Thing>(things: ReadonlyMap<string, Thing>, id: string): Thing => {
    const thing = things.get(id)
    if (thing === undefined) throw refusal(404)
    return thing
  }
  const replace = (post: PostWithDeliveries, input: UpdatePost) => {
    versions.set(`${post.id}/${post.version}`, post)
    const next = changed(post, input)
    posts.set(post.id, next)
    return next
  }
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
        const post = found(posts, id)
        if (version !== undefined && version !== post.version) throw refusal(412)
        return replace(post, input)
      }),
    get: (id: string) => meet(() => ({ ...found(posts, id), has_changes: copies.has(id) })),
    revision: (id: string, version: number) => meet(() => found(versions, `${id}/${version}`)),
    workingCopy: {
      get: (id: string) => meet(() => found(copies, id)),
      save: (id: string, { based_on = 1, ...input }: SaveWorkingCopy, seen?: number | string) =>
        meet(() => {
          const post = found(posts, id)
          if (seen !== (copies.get(id)?.save_id ?? post.version)) throw refusal(412)
          saves += 1
          const save_id = `save-${String(saves).padStart(3, '0')}`
          const copy = { ...changed(post, input), post_id: id, save_id, based_on, saved_at: new Date().toISOString() }
          copies.set(id, copy)
          return copy
        }),
      discard: (id: string, seen?: number | string) =>
        meet(() => {
          if (seen !== found(copies, id).save_id) throw refusal(412)
          copies.delete(id)
        }),
      publish: (id: string, seen?: number | string) =>
        meet(() => {
          const copy = found(copies, id)
          const post = found(posts, id)
          if (seen !== copy.save_id || copy.based_on !== post.version) throw refusal(412)
          copies.delete(id)
          const { title, excerpt, body } = copy
          return replace(post, { title, excerpt, body })
        }),
    },
    publish: (id: string) => meet(() => void posts.set(id, { ...found(posts, id), status: 'published' })),
  }
  return {
    api: api as unknown as ConstructorParameters<typeof OpenPost>[2]['api'],
    posts,
    copies,
    fates,
    create: api.create,
  }
}

/** A draft shelf in memory. */
export function shelfOf(): Shelf & { copies: Map<string, Copy> } {
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

/** Opens a post of the service as it is there, or a new one. */
export function open(
  { api, copies }: Service,
  id: string,
  post?: PostWithDeliveries,
  shelf: Shelf = shelfOf(),
): OpenPostType {
  return new OpenPost(id, post && { post, workingCopy: copies.get(id) }, {
    api,
    shelf,
    onCreated() {},
    onStored() {},
    onSignedOut() {},
  })
}

/** Lets this much time pass. */
export const later = (ms: number) => vi.advanceTimersByTimeAsync(ms)
