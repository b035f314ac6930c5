/**
 * One request that stores changes: a POST for a new post, then a PATCH at the version they were made to; of a published post a PUT of its
 * working copy, because a PATCH would be sent to its sites.
 */
import { type PostriderClient, PostriderError, type PostWithDeliveries, type UpdatePost } from '@postrider/sdk'
import { unlessMissing } from '../../../api.ts'
import { changesOf, type Draft, draftOf, fieldsOf, inputOf, isSame, newPostOf } from '../draft.ts'
import type { DraftCopy } from './draft-copy.ts'
import type { EditState } from './edit-state.ts'
import { reconcile } from './reconcile.ts'
import { passes } from './save-problem.ts'
import { contentOf, isNews, readStored, type Stored, tagOf } from './stored.ts'

/** What a request needs of the page. */
export type SaveContext = {
  api: PostriderClient['posts']
  /** The post was stored for the first time; `id` was its local id. */
  onCreated(id: string, post: PostWithDeliveries): void
  /** The service has answered with the post as it is now. */
  onStored(post: PostWithDeliveries): void
}

type Change = { sent: Draft; changes: Partial<Draft>; more?: UpdatePost }

/**
 * Sends `changes`, which make the content `sent`: to the post, or beside a published one. False when the service had something else, which
 * has then been merged. `more` is added to an update of the post.
 */
export async function sendChanges(
  state: EditState,
  copy: DraftCopy,
  context: SaveContext,
  change: Change,
): Promise<boolean> {
  const { stored } = state
  const { sent, more } = change
  if (stored === undefined) {
    await create(state, copy, context, sent)
    return true
  }
  const { api } = context
  // The last request has no answer. Once this one takes its place, what it may have stored would look like somebody else's.
  if (state.attempted !== undefined && state.attempted !== sent) {
    const now = await readStored(api, stored.post.id)
    if (isNews(now, stored)) {
      reconcile(state, copy, now)
      return false
    }
  }
  state.attempted = sent
  copy.keep()
  try {
    await (state.isPublished && more === undefined ? saveBeside : saveInto)(state, stored, context, change)
    copy.keep()
    return true
  } catch (error) {
    if (!(error instanceof PostriderError && error.status === 412)) throw error
    reconcile(state, copy, await readStored(api, stored.post.id))
    return false
  }
}

/** Stores the draft in the post. A working copy that it had is in the draft, and not needed any more. */
async function saveInto(
  state: EditState,
  { post: { id, status, version, ...post }, workingCopy }: Stored,
  { api, onStored }: SaveContext,
  { sent, changes, more }: Change,
): Promise<void> {
  const all = workingCopy === undefined ? changes : changesOf(draftOf(post), sent)
  const follows = state.slugFollows && status === 'draft' && 'title' in all
  const input = { ...inputOf(all), ...(follows ? { slug: null } : {}), ...more }
  const { warnings, ...stored } = await api.update(id, input, version)
  state.accept({ post: stored }, sent, warnings)
  onStored(stored)
  // One that is left over has nothing that the post lacks.
  if (workingCopy !== undefined) await api.workingCopy.discard(id, workingCopy.save_id).catch(() => undefined)
}

/** Stores what the draft changes of a published post in its working copy. */
async function saveBeside(
  state: EditState,
  stored: Stored,
  { api, onStored }: SaveContext,
  { sent }: Change,
): Promise<void> {
  const { post, workingCopy } = stored
  const isSameBody = isSame(sent.body, state.saved.body)
  const body: Draft['body'] = isSameBody ? { form: 'json', value: contentOf(stored).body.json } : sent.body
  const apart = changesOf(draftOf(post), { ...sent, body })
  if (fieldsOf(apart).length === 0) {
    if (workingCopy !== undefined) await unlessMissing(api.workingCopy.discard(post.id, workingCopy.save_id))
    state.accept({ post: { ...post, has_changes: false } }, sent)
  } else {
    // A body that stays is sent in all its forms: made from one of them, the others could be different.
    const forms = isSameBody && workingCopy !== undefined && 'body' in apart ? { body: workingCopy.body } : {}
    const input = { ...inputOf(apart), ...forms, based_on: state.basedOn }
    const { warnings, ...saved } = await api.workingCopy.save(post.id, input, tagOf(stored))
    state.accept({ post: { ...post, has_changes: true }, workingCopy: saved }, sent, warnings)
  }
  if (state.post !== undefined) onStored(state.post)
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
    const { warnings, ...post } = created
    state.accept({ post }, sent, warnings)
    copy.keep()
    onStored(created)
  } catch (error) {
    // After a refusal nothing was created, so the next request may differ. One that will pass says nothing of an earlier
    // request, which may have been carried out although its answer was lost.
    if (error instanceof PostriderError && !passes(error)) state.creating = undefined
    throw error
  }
}
