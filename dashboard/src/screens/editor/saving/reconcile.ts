/**
 * Brings the draft together with what came from elsewhere: another version of the post, or the copy of an earlier visit. Fields
 * that only one side changed are merged; the others wait for a person (`conflict`), and nothing is sent until then.
 */
import type { PostWithDeliveries } from '@postrider/sdk'
import { type Draft, draftOf, EMPTY_DRAFT, type Field, fieldsOf, isFrom, merge, pick } from '../draft.ts'
import type { DraftCopy } from './draft-copy.ts'
import type { Copy } from './draft-shelf.ts'
import type { EditState } from './edit-state.ts'

/** Merges the service's version with the changes made here, or waits for a person to decide. */
export function reconcile(state: EditState, copy: DraftCopy, theirs: PostWithDeliveries): void {
  mergeInto(state, copy, { was: state.base, mine: state.changes }, theirs)
}

/** Goes on with what a copy from before the page was opened holds. */
export function restore(state: EditState, copy: DraftCopy, { version, was, mine, sent, key }: Copy): void {
  const attempted = sent && { ...EMPTY_DRAFT, ...was, ...sent }
  if (state.post === undefined) {
    state.creating = key !== undefined && attempted !== undefined ? { key, sent: attempted } : undefined
    state.draft = { ...EMPTY_DRAFT, ...mine }
    state.show({ draft: state.draft, dirty: true })
  } else if (version !== state.post.version) {
    state.attempted = attempted
    mergeInto(state, copy, { was, mine }, state.post)
  } else {
    state.adopt(state.post, { ...state.saved, ...mine })
    // It may still be on its way.
    state.attempted = attempted
  }
  if (!state.view.dirty) copy.keep()
  state.slugFollows &&= !('slug' in mine)
}

/** A field that somebody was typing in when the conflict came up is committed as it goes away, and belongs to the conflict. */
export function joinConflict(state: EditState, copy: DraftCopy, mine: Partial<Draft>): void {
  const { conflict } = state.view
  if (conflict === undefined) return
  const { theirs, fields, merged } = conflict
  const was = pick(state.base, fieldsOf(mine))
  const { conflicts } = merge(was, mine, draftOf(theirs))
  const kept = copy.add(was, mine)
  state.show({
    conflict: { theirs, fields: [...new Set([...fields, ...conflicts])], merged: { ...merged, ...mine } },
    kept,
  })
}

/** Decides the conflict: takes these fields from the service, all others from here. */
export function decide(state: EditState, copy: DraftCopy, takeTheirs: readonly Field[]): void {
  const { conflict } = state.view
  if (conflict === undefined) return
  state.adopt(conflict.theirs, { ...conflict.merged, ...pick(draftOf(conflict.theirs), takeTheirs) })
  state.show({ conflict: undefined })
  copy.keep()
}

function mergeInto(
  state: EditState,
  copy: DraftCopy,
  { was, mine }: { was: Partial<Draft>; mine: Partial<Draft> },
  theirs: PostWithDeliveries,
): void {
  const theirDraft = draftOf(theirs)
  const { attempted } = state
  // What a request without an answer may have stored is no change by somebody else.
  const lostAnswer = attempted === undefined ? [] : fieldsOf(mine).filter((field) => isFrom(attempted, theirs, field))
  const { draft, conflicts } = merge({ ...was, ...pick(theirDraft, lostAnswer) }, mine, theirDraft)
  if (conflicts.length === 0) {
    state.adopt(theirs, draft)
    return
  }
  if (state.view.dirty) copy.keep()
  state.show({ saving: false, conflict: { theirs, fields: conflicts, merged: draft } })
}
