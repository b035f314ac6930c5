/**
 * Brings the draft together with what came from elsewhere: another version of the post, or the copy of an earlier visit. Fields
 * that only one side changed are merged; the others wait for a person (`conflict`), and nothing is sent until then.
 */
import {
  type Content,
  changesOf,
  type Draft,
  draftOf,
  EMPTY_DRAFT,
  type Field,
  fieldsOf,
  isFrom,
  merge,
  pick,
} from '../draft.ts'
import type { DraftCopy } from './draft-copy.ts'
import type { Copy } from './draft-shelf.ts'
import type { EditState } from './edit-state.ts'
import { contentOf, type Stored, tagOf } from './stored.ts'

/** Merges what the service has now with the changes made here, or waits for a person to decide. */
export function reconcile(state: EditState, copy: DraftCopy, theirs: Stored): void {
  mergeInto(state, copy, { was: state.base, mine: state.changes }, theirs)
}

/** Goes on with what a copy from before the page was opened holds. */
export function restore(state: EditState, copy: DraftCopy, { seen, was, mine, sent, key }: Copy): void {
  const attempted = sent && { ...EMPTY_DRAFT, ...was, ...sent }
  if (state.stored === undefined) {
    state.creating = key !== undefined && attempted !== undefined ? { key, sent: attempted } : undefined
    state.draft = { ...EMPTY_DRAFT, ...mine }
    state.show({ draft: state.draft, dirty: true })
  } else if (seen !== tagOf(state.stored)) {
    state.attempted = attempted
    mergeInto(state, copy, { was, mine }, state.stored)
  } else {
    state.adopt(state.stored, { ...state.saved, ...mine })
    // It may still be on its way.
    state.attempted = attempted
  }
  if (!state.view.dirty) copy.keep()
  state.slugFollows &&= !('slug' in mine)
}

/**
 * Brings the draft up to a post that was changed after its working copy was begun, from the post as it was then (`before`; undefined: that
 * is not known any more, so every difference is a conflict).
 */
export function catchUp(state: EditState, copy: DraftCopy, before: Content | undefined): void {
  const { stored } = state
  if (stored === undefined) return
  const theirs = draftOf(stored.post)
  const mine = changesOf(before === undefined ? theirs : draftOf(before), state.draft)
  const was = before === undefined ? {} : pick(draftOf(before), fieldsOf(mine))
  const { draft, conflicts } = merge(was, mine, theirs)
  if (conflicts.length > 0) {
    copy.keep()
    state.show({ saving: false, conflict: { stored, theirs: stored.post, fields: conflicts, merged: draft } })
    return
  }
  state.adopt(stored, draft)
  state.basedOn = stored.post.version
  state.show({ dirty: state.isUnsaved })
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
    conflict: { ...conflict, fields: [...new Set([...fields, ...conflicts])], merged: { ...merged, ...mine } },
    kept,
  })
}

/** Decides the conflict: takes these fields from the service, all others from here. */
export function decide(state: EditState, copy: DraftCopy, takeTheirs: readonly Field[]): void {
  const { conflict } = state.view
  if (conflict === undefined) return
  const { stored, theirs, merged } = conflict
  state.adopt(stored, { ...merged, ...pick(draftOf(theirs), takeTheirs) })
  if (theirs === stored.post) state.basedOn = stored.post.version
  state.show({ dirty: state.isUnsaved, conflict: undefined })
  copy.keep()
}

function mergeInto(
  state: EditState,
  copy: DraftCopy,
  { was, mine }: { was: Partial<Draft>; mine: Partial<Draft> },
  stored: Stored,
): void {
  const theirs = contentOf(stored)
  const theirDraft = draftOf(theirs)
  const { attempted } = state
  // What a request without an answer may have stored is no change by somebody else.
  const lostAnswer = attempted === undefined ? [] : fieldsOf(mine).filter((field) => isFrom(attempted, theirs, field))
  const { draft, conflicts } = merge({ ...was, ...pick(theirDraft, lostAnswer) }, mine, theirDraft)
  if (conflicts.length === 0) {
    const foreign = fieldsOf(changesOf(state.base, theirDraft)).filter((field) => !lostAnswer.includes(field))
    if (foreign.length > 0) state.merges += 1
    state.adopt(stored, draft)
    return
  }
  if (state.view.dirty) copy.keep()
  state.show({ saving: false, conflict: { stored, theirs, fields: conflicts, merged: draft } })
}
