/** One request that stores changes: a POST for a new post, then a PATCH at the version they were made to. */
import { type PostriderClient, PostriderError, type PostWithDeliveries, type UpdatePost } from '@postrider/sdk'
import { type Draft, inputOf, newPostOf } from '../draft.ts'
import type { DraftCopy } from './draft-copy.ts'
import type { EditState } from './edit-state.ts'
import { reconcile } from './reconcile.ts'
import { passes } from './save-problem.ts'

/** What a request needs of the page. */
export type SaveContext = {
  api: PostriderClient['posts']
  /** The post was stored for the first time; `id` was its local id. */
  onCreated(id: string, post: PostWithDeliveries): void
  /** The service has answered with the post as it is now. */
  onStored(post: PostWithDeliveries): void
}

/**
 * Sends `changes`, which make the post `sent`. False when the service had another version, which has then been merged. `more` is
 * added to an update.
 */
export async function sendChanges(
  state: EditState,
  copy: DraftCopy,
  context: SaveContext,
  { sent, changes, more }: { sent: Draft; changes: Partial<Draft>; more?: UpdatePost },
): Promise<boolean> {
  if (state.post === undefined) {
    await create(state, copy, context, sent)
    return true
  }
  const { api, onStored } = context
  const { id, status, version } = state.post
  const follows = state.slugFollows && status === 'draft' && 'title' in changes
  const input = { ...inputOf(changes), ...(follows ? { slug: null } : {}), ...more }
  // The last request has no answer. Once this one takes its place, what it may have stored would look like somebody else's.
  if (state.attempted !== undefined && state.attempted !== sent) {
    const stored = await api.get(id)
    if (stored.version > version) {
      reconcile(state, copy, stored)
      return false
    }
  }
  state.attempted = sent
  copy.keep()
  try {
    const stored = await api.update(id, input, version)
    state.accept(stored, sent)
    copy.keep()
    onStored(stored)
    return true
  } catch (error) {
    if (!(error instanceof PostriderError && error.status === 412)) throw error
    reconcile(state, copy, await api.get(id))
    return false
  }
}

async function create(
  state: EditState,
  copy: DraftCopy,
  { api, onCreated, onStored }: SaveContext,
  draft: Draft,
): Promise<void> {
  // The page may be reloaded before the answer: the copy then has the same key for what it has sent.
  state.creating ??= { key: `${state.id}-${Date.now().toString(36)}`, sent: draft }
  copy.keep()
  const { key, sent } = state.creating
  try {
    const created = await api.create(newPostOf(sent), { idempotencyKey: key })
    state.creating = undefined
    copy.remove()
    onCreated(state.id, created)
    state.id = created.id
    state.accept(created, sent)
    copy.keep()
    onStored(created)
  } catch (error) {
    // After a refusal nothing was created, so the next request may differ. One that will pass says nothing of an earlier
    // request, which may have been carried out although its answer was lost.
    if (error instanceof PostriderError && !passes(error)) state.creating = undefined
    throw error
  }
}
