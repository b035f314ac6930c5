/**
 * One post being written. Its parts, in the order in which a keystroke passes them:
 *
 *     change() → edit-state.ts      the draft on the screen, the post on the service
 *              → draft-copy.ts      a copy in this browser, within a third of a second (on the shelf of draft-shelf.ts)
 *              → autosave.ts        a second after the last change, one request at a time
 *              → save-request.ts    the POST or PATCH, or the PUT of a working copy
 *              → reconcile.ts       if the service has something else: merged, or a conflict for a person to decide
 *
 * A draft or a scheduled post is saved as it is; changes to a published post beside it, in its working copy, until they are published:
 * its sites are sent every change of the post itself.
 * The copy in the browser is removed when the service has answered. Nothing typed is ever discarded without being asked: when a
 * request is refused, the screen and the copy stay as they are.
 */
import type { PostWithDeliveries, UpdatePost } from '@postrider/sdk'
import { unlessMissing } from '../../../api.ts'
import { type Draft, draftOf, type Field } from '../draft.ts'
import { Autosave, type AutosaveContext } from './autosave.ts'
import { DraftCopy } from './draft-copy.ts'
import type { Copy, Shelf } from './draft-shelf.ts'
import { EditState, type View } from './edit-state.ts'
import { decide, joinConflict, reconcile, restore } from './reconcile.ts'
import { contentOf, isNews, type Stored } from './stored.ts'

/** What an open post needs of the page. */
type Context = AutosaveContext & { shelf: Shelf }

export class OpenPost {
  readonly #state: EditState
  readonly #copy: DraftCopy
  readonly #autosave: Autosave
  readonly #context: Context

  /** `stored` is undefined for a new post; `id` is the key of the copy that this browser may have. */
  constructor(id: string, stored: Stored | undefined, context: Context) {
    this.#state = new EditState(id, stored)
    this.#copy = new DraftCopy(this.#state, context.shelf)
    this.#autosave = new Autosave(this.#state, this.#copy, context)
    this.#context = context
    this.#restore(this.#copy.read())
    this.#saveSoon()
  }

  readonly subscribe = (listener: () => void): (() => void) => this.#state.subscribe(listener)

  readonly view = (): View => this.#state.view

  /** The post's id, or its local id until it is stored. */
  get id(): string {
    return this.#state.id
  }

  /** Whether sites are told of a change of the post. */
  get isPublished(): boolean {
    return this.#state.isPublished
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
    this.#autosave.schedule()
  }

  /** Writes the copy in this browser, now. */
  keep(): void {
    this.#copy.keep()
  }

  /** Saves all changes. False when some are left; the view says why. */
  save(): Promise<boolean> {
    return this.#autosave.save()
  }

  /** Saves all changes, and sends them to the sites of a published post. False when that was not possible; the view says why. */
  update(): Promise<boolean> {
    return this.#autosave.update()
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
    if (post === undefined || !this.isPublished) return this.command(input)
    await this.#autosave.idle()
    await this.#takeOver(await this.#context.api.update(post.id, input))
    return true
  }

  /**
   * Saves all changes, and sends the post to these sites, or to all. False when it could not be saved; the view says why. Throws
   * the service's refusal.
   */
  async publish(siteIds: string[] | undefined): Promise<boolean> {
    const { api } = this.#context
    if (!(await this.update()) || this.#state.post === undefined) return false
    const { id } = this.#state.post
    await api.publish(id, siteIds)
    // From here on it is published, whatever becomes of the next requests.
    const published = await api.get(id).catch(() => undefined)
    await this.#takeOver(published ?? { ...this.#state.post, status: 'published', scheduled_at: null })
    return true
  }

  /**
   * Gives the post the content that it had at a version; what is not saved yet is saved first, so that it is in the history. False when that
   * was not possible; the view says why. Throws the service's refusal.
   */
  async restore(version: number): Promise<boolean> {
    if (!(await this.save()) || this.#state.post === undefined) return false
    const { id, version: present } = this.#state.post
    await this.#takeOver(await this.#context.api.restore(id, version, present))
    return true
  }

  /**
   * Puts the post into the trash; what is not saved yet is saved first, so that it comes back with it. False when that was not possible; the
   * view says why. Throws the service's refusal.
   */
  async trash(): Promise<boolean> {
    if (!(await this.save()) || this.#state.post === undefined) return false
    const { id, version } = this.#state.post
    await this.#context.api.trash(id, version)
    return true
  }

  /** Takes over the answer to a request beside the saves: one that began meanwhile may be answered with the post as it was before. */
  async #takeOver(post: PostWithDeliveries): Promise<void> {
    await this.#autosave.idle()
    this.#context.onStored(post)
    this.observe({ post })
  }

  /** Takes over the post as the service has it now, with its working copy if that is known. */
  observe(stored: Stored): void {
    const state = this.#state
    const known = state.stored
    if (known === undefined || this.#autosave.isRunning || state.view.conflict !== undefined) return
    if (stored.post.version < known.post.version) return
    const { dirty } = state.view
    if (!isNews(stored, known)) state.stored = { ...known, post: stored.post }
    else if (state.readOnly && state.view.kept) state.adopt(stored, draftOf(contentOf(stored)))
    else reconcile(state, this.#copy, stored)
    state.show({ post: stored.post })
    // The service has everything: a save whose answer was lost has arrived.
    if (dirty && !state.view.dirty) {
      state.show({ problem: undefined })
      this.#copy.keep()
    }
    this.#saveSoon()
  }

  /** Decides a conflict: takes these fields from the service, all others from here. */
  async resolve(takeTheirs: readonly Field[]): Promise<void> {
    if (this.#state.view.conflict === undefined) return
    decide(this.#state, this.#copy, takeTheirs)
    await this.save()
  }

  /** Discards the changes that are not published, and returns to the post. Throws the service's refusal. */
  async discard(): Promise<void> {
    this.#autosave.cancel()
    await this.#autosave.idle()
    const { stored } = this.#state
    if (stored?.workingCopy !== undefined) {
      await unlessMissing(this.#context.api.workingCopy.discard(stored.post.id, stored.workingCopy.save_id))
      this.#context.onStored({ ...stored.post, has_changes: false })
    }
    this.#state.revert(stored && { post: { ...stored.post, has_changes: false } })
    this.#copy.keep()
  }

  /** Saves the draft as a new post, because the post was deleted. */
  saveAsNew(): Promise<boolean> {
    this.#state.detach()
    return this.save()
  }

  /** Saves again if changes are left. */
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
      if (conflict !== undefined) state.adopt(conflict.stored, draftOf(contentOf(conflict.stored)))
      state.show({ conflict: undefined })
      return
    }
    const copy = this.#copy.read()
    // Without a copy, what was never kept is only here, and so may be a new post.
    if (state.stored !== undefined && (copy !== undefined || kept)) state.adopt(state.stored, state.base)
    this.#restore(copy)
    this.#saveSoon()
  }

  #restore(copy: Copy | undefined): void {
    if (copy !== undefined) restore(this.#state, this.#copy, copy)
  }

  /** When the time is over, the browser has said whether another tab writes the post. */
  #saveSoon(): void {
    if (this.#state.view.dirty) this.#autosave.schedule()
  }
}
