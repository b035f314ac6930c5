/** When changes are sent: a second after the last one, on request, or again when time may have solved a problem. */
import { PostriderError, type UpdatePost } from '@postrider/sdk'
import { unlessMissing } from '../../../api.ts'
import { fieldsOf } from '../draft.ts'
import type { DraftCopy } from './draft-copy.ts'
import type { EditState } from './edit-state.ts'
import { catchUp, reconcile } from './reconcile.ts'
import { saveProblem, tryAgainAfterMs } from './save-problem.ts'
import { type SaveContext, sendChanges } from './save-request.ts'
import { readStored, type Stored } from './stored.ts'

const SAVE_AFTER_MS = 1_000

/** What saving needs of the page. */
export type AutosaveContext = SaveContext & {
  /** The service says that nobody is signed in. */
  onSignedOut(): void
}

/** Sends the changes of one post, one request at a time. */
export class Autosave {
  readonly #state: EditState
  readonly #copy: DraftCopy
  readonly #context: AutosaveContext
  #running: Promise<boolean> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(state: EditState, copy: DraftCopy, context: AutosaveContext) {
    this.#state = state
    this.#copy = copy
    this.#context = context
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  /** Resolves when no request is under way. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  /** Saves automatically in a second, unless this is called again before. */
  schedule(ms = SAVE_AFTER_MS): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.tryAgain(), ms)
  }

  cancel(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** Saves now if changes are left. */
  tryAgain(): void {
    const { view, readOnly } = this.#state
    if (view.dirty && !readOnly) void this.save()
  }

  /** Saves all changes. False when some are left; the view says why. */
  save(): Promise<boolean> {
    this.#running ??= this.#saveAll().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /**
   * Saves all changes, and makes them part of a published post, so that its sites are sent them. False when that was not possible; the view
   * says why.
   */
  async update(): Promise<boolean> {
    const { merges } = this.#state
    for (;;) {
      if (!(await this.save())) return false
      if (this.#state.merges !== merges) return this.#changedMeanwhile()
      const { stored, isPublished } = this.#state
      if (stored?.workingCopy === undefined || !isPublished) return true
      await this.idle()
      const publishing = this.#publishCopy(stored)
      this.#running = publishing.then(Boolean).finally(() => {
        this.#running = undefined
        if (this.#state.view.dirty) this.schedule()
      })
      const done = await publishing
      await this.idle()
      if (done !== undefined) return done
    }
  }

  /**
   * Changes the post's status and saves the changes made here, in one request, so that no site is notified of one without the
   * other. False when something else has to be solved first; the view says what. Throws the service's refusal.
   */
  async command(input: UpdatePost): Promise<boolean> {
    await this.idle()
    this.#running = this.#command(input).finally(() => {
      this.#running = undefined
      this.#state.show({ saving: false })
      // The command was refused, or something was written meanwhile: only the next change would save it.
      if (this.#state.view.dirty) this.schedule()
    })
    return this.#running
  }

  /** Sends what is changed until nothing is: somebody may type while a request is under way. */
  async #saveAll(): Promise<boolean> {
    const state = this.#state
    for (;;) {
      this.cancel()
      if (state.view.conflict !== undefined) return false
      const { draft: sent, changes } = state
      const fields = fieldsOf(changes)
      if (!state.isUnsaved) {
        state.show({ dirty: false, problem: undefined })
        this.#copy.keep()
        return true
      }
      if (sent.title.trim() === '' && (state.post === undefined || fields.length === 1)) {
        state.show({ saving: false, problem: { kind: 'untitled', text: 'it has no title yet', field: 'title' } })
        this.#copy.keep()
        return false
      }
      state.show({ saving: true })
      try {
        if (state.isBehind) await this.#catchUp()
        else await sendChanges(state, this.#copy, this.#context, { sent, changes })
        state.show({ saving: false })
      } catch (error) {
        return this.#refused(error)
      }
    }
  }

  /** Compares the working copy with the post, which was changed after it was begun. */
  async #catchUp(): Promise<void> {
    const { stored } = this.#state
    if (stored?.workingCopy === undefined) return
    const { api } = this.#context
    catchUp(this.#state, this.#copy, await unlessMissing(api.revision(stored.post.id, stored.workingCopy.based_on)))
  }

  /** False when it was refused; undefined when the service had something else, which has been merged. */
  async #publishCopy({ post, workingCopy }: Stored): Promise<boolean | undefined> {
    const state = this.#state
    const { api, onStored } = this.#context
    state.show({ saving: true })
    try {
      const published = await api.workingCopy.publish(post.id, workingCopy?.save_id)
      state.accept({ post: published }, state.saved)
      onStored(published)
      return true
    } catch (error) {
      if (!isElsewhere(error)) return this.#refused(error)
      try {
        reconcile(state, this.#copy, await readStored(api, post.id))
        return undefined
      } catch (unread) {
        return this.#refused(unread)
      }
    } finally {
      state.show({ saving: false })
    }
  }

  async #command(more: UpdatePost): Promise<boolean> {
    const state = this.#state
    if (state.post === undefined && !(await this.#saveAll())) return false
    this.cancel()
    const { merges } = state
    state.show({ saving: true })
    try {
      for (;;) {
        if (state.view.conflict !== undefined) return false
        if (state.merges !== merges && more.status !== 'draft') return this.#changedMeanwhile()
        const { draft: sent, changes } = state
        if (await sendChanges(state, this.#copy, this.#context, { sent, changes, more })) return true
      }
    } catch (error) {
      if (error instanceof PostriderError && error.status === 401) this.#context.onSignedOut()
      this.#copy.keep()
      throw error
    }
  }

  /** What would go out is not what the person has seen, who decides again. */
  #changedMeanwhile(): false {
    const text = 'somebody has changed it meanwhile. Look at it again, and go on then'
    this.#state.show({ saving: false, problem: { kind: 'refused', text } })
    return false
  }

  #refused(error: unknown): false {
    this.#state.show({ saving: false, problem: saveProblem(error) })
    this.#copy.keep()
    if (error instanceof PostriderError && error.status === 401) this.#context.onSignedOut()
    const waitMs = tryAgainAfterMs(error)
    if (waitMs !== undefined) this.schedule(waitMs)
    return false
  }
}

/** Whether a working copy was not published because the service has another one, none (it may be published already), or another post. */
function isElsewhere(error: unknown): boolean {
  return error instanceof PostriderError && ([404, 412].includes(error.status) || error.field === 'based_on')
}
