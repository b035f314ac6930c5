/**
 * One post being written. Its parts, in the order in which a keystroke passes them:
 *
 *     change() → edit-state.ts      the draft on the screen, the post on the service
 *              → draft-copy.ts      a copy in this browser, within a third of a second (on the shelf of draft-shelf.ts)
 *              → autosave.ts        a second after the last change, one request at a time
 *              → save-request.ts    the POST or PATCH
 *              → reconcile.ts       if the service has another version: merged, or a conflict for a person to decide
 *
 * A draft or a scheduled post is saved automatically; a published post only on request, because its sites are notified at once.
 * The copy in the browser is removed when the service has answered. Nothing typed is ever discarded without being asked: when a
 * request is refused, the screen and the copy stay as they are.
 */
import type { PostWithDeliveries, UpdatePost } from '@postrider/sdk'
import { type Draft, draftOf, type Field } from '../draft.ts'
import { Autosave, type AutosaveContext } from './autosave.ts'
import { DraftCopy } from './draft-copy.ts'
import type { Copy, Shelf } from './draft-shelf.ts'
import { EditState, type View } from './edit-state.ts'
import { decide, joinConflict, reconcile, restore } from './reconcile.ts'

/** What an open post needs of the page. */
type Context = AutosaveContext & { shelf: Shelf }

export class OpenPost {
  readonly #state: EditState
  readonly #copy: DraftCopy
  readonly #autosave: Autosave
  readonly #context: Context

  /** `post` is undefined for a new one; `id` is the key of the copy that this browser may have. */
  constructor(id: string, post: PostWithDeliveries | undefined, context: Context) {
    this.#state = new EditState(id, post)
    this.#copy = new DraftCopy(this.#state, context.shelf)
    this.#autosave = new Autosave(this.#state, this.#copy, context)
    this.#context = context
    this.#restore(this.#copy.read())
  }

  readonly subscribe = (listener: () => void): (() => void) => this.#state.subscribe(listener)

  readonly view = (): View => this.#state.view

  /** The post's id, or its local id until it is stored. */
  get id(): string {
    return this.#state.id
  }

  /** Whether changes are saved automatically. */
  get savesByItself(): boolean {
    return this.#state.savesByItself
  }

  /** Applies a change by the person. */
  change(part: Partial<Draft>): void {
    const state = this.#state
    if ('slug' in part) state.slugFollows = part.slug === ''
    state.draft = { ...state.draft, ...part }
    state.show({ draft: state.draft, dirty: true })
    if (state.view.conflict !== undefined) {
      joinConflict(state, this.#copy, part)
      return
    }
    this.#copy.keepSoon()
    if (state.savesByItself) this.#autosave.schedule()
  }

  /** Writes the copy in this browser, now. */
  keep(): void {
    this.#copy.keep()
  }

  /** Saves all changes. False when some are left; the view says why. */
  save(): Promise<boolean> {
    return this.#autosave.save()
  }

  /** Changes the post's status together with what was changed here, as `Autosave.command` says. */
  command(input: UpdatePost): Promise<boolean> {
    return this.#autosave.command(input)
  }

  /**
   * Changes where the post goes, and until when. Nothing else of a published post is changed with that, because its sites would get it.
   * False when it could not be stored first; the view says why. Throws the service's refusal.
   */
  async arrange(input: Pick<UpdatePost, 'primary_site_id' | 'site_ids' | 'unpublish_at'>): Promise<boolean> {
    const { post } = this.#state
    if (post === undefined || this.savesByItself) return this.command(input)
    await this.#autosave.idle()
    const stored = await this.#context.api.update(post.id, input)
    this.#context.onStored(stored)
    this.observe(stored)
    return true
  }

  /**
   * Saves all changes, and sends the post to these sites, or to all. False when it could not be saved; the view says why. Throws
   * the service's refusal.
   */
  async publish(siteIds: string[] | undefined): Promise<boolean> {
    const { api, onStored } = this.#context
    if (!(await this.save()) || this.#state.post === undefined) return false
    await api.publish(this.#state.post.id, siteIds)
    // From here on it is published, whatever becomes of the next requests.
    const published = await api.get(this.#state.post.id).catch(() => undefined)
    // Something was written meanwhile, and the answer to its save may be of the time before.
    await this.#autosave.idle()
    if (published !== undefined) onStored(published)
    this.observe(published ?? { ...this.#state.post, status: 'published', scheduled_at: null })
    return true
  }

  /**
   * Gives the post the content that it had at a version; what is not saved yet is saved first, so that it is in the history. False when that
   * was not possible; the view says why. Throws the service's refusal.
   */
  async restore(version: number): Promise<boolean> {
    if (!(await this.save()) || this.#state.post === undefined) return false
    const { id, version: present } = this.#state.post
    const restored = await this.#context.api.restore(id, version, present)
    this.#context.onStored(restored)
    this.observe(restored)
    return true
  }

  /** Takes over the post as the service has it now. */
  observe(post: PostWithDeliveries): void {
    const state = this.#state
    if (state.post === undefined || this.#autosave.isRunning || state.view.conflict !== undefined) return
    if (post.version < state.post.version) return
    const { dirty } = state.view
    if (state.readOnly && state.view.kept) state.adopt(post, draftOf(post))
    else if (post.version > state.post.version) reconcile(state, this.#copy, post)
    else state.post = post
    state.show({ post: state.post })
    // The service has everything: a save whose answer was lost has arrived.
    if (dirty && !state.view.dirty) {
      state.show({ problem: undefined })
      this.#copy.keep()
    }
  }

  /** Decides a conflict: takes these fields from the service, all others from here. */
  async resolve(takeTheirs: readonly Field[]): Promise<void> {
    if (this.#state.view.conflict === undefined) return
    decide(this.#state, this.#copy, takeTheirs)
    if (this.savesByItself) await this.save()
  }

  /** Discards the changes and returns to what the service has. */
  discard(): void {
    this.#state.revert()
    this.#copy.keep()
  }

  /** Saves the draft as a new post, because the post was deleted. */
  saveAsNew(): Promise<boolean> {
    this.#state.detach()
    return this.save()
  }

  /** Saves again if changes are left and saving is automatic. */
  tryAgain(): void {
    this.#autosave.tryAgain()
  }

  /** Keeps a copy and saves, because the page is being left. */
  leave(): void {
    if (!this.#state.view.dirty) return
    this.#copy.keep()
    this.#autosave.tryAgain()
  }

  /**
   * While another tab writes the post (`one-tab.ts`), this one only shows it, and neither saves nor keeps a copy, because its text
   * may be older. Then it goes on with what the other tab has left.
   */
  setReadOnly(readOnly: boolean): void {
    const state = this.#state
    if (readOnly === state.readOnly) return
    state.readOnly = readOnly
    this.#autosave.cancel()
    const { conflict, kept } = state.view
    if (readOnly) {
      // The other tab has the same copy, and asks about it.
      if (conflict !== undefined) state.adopt(conflict.theirs, draftOf(conflict.theirs))
      state.show({ conflict: undefined })
      return
    }
    const copy = this.#copy.read()
    // Without a copy, what was never kept is only here, and so may be a new post.
    if (state.post !== undefined && (copy !== undefined || kept)) state.adopt(state.post, draftOf(state.post))
    this.#restore(copy)
  }

  #restore(copy: Copy | undefined): void {
    if (copy === undefined) return
    restore(this.#state, this.#copy, copy)
    // When the time is over, the browser has said whether another tab writes the post.
    if (this.#state.view.dirty && this.savesByItself) this.#autosave.schedule()
  }
}
