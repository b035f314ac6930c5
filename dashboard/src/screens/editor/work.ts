/**
 * One post being written: the draft on the screen, the post on the service, and saving the one to the other.
 *
 * Every change is kept in this browser within a third of a second, and when the page is left. A draft or a scheduled post is
 * saved a second after the last change, one request at a time; a published post only on request, because its sites are told
 * at once. The copy in the browser is removed when the service has answered. Requests use optimistic concurrency: if the service
 * has another version, fields that only one side changed are merged, and the others wait for a person (`conflict`). Nothing
 * typed is ever discarded without being asked: when a request is refused, the screen and the copy stay as they are.
 */
import {
  type ConversionWarning,
  type PostriderClient,
  PostriderError,
  type PostWithDeliveries,
  type UpdatePost,
  type WrittenPost,
} from '@postrider/sdk'
import {
  changesOf,
  type Draft,
  draftOf,
  EMPTY_DRAFT,
  type Field,
  fieldsOf,
  inputOf,
  isFrom,
  isSame,
  isSlugOfTitle,
  merge,
  newPostOf,
  pick,
} from './draft.ts'
import type { Copy, Shelf } from './local.ts'
import { lostWords } from './lost-words.ts'
import { passes, type SaveProblem, saveProblem, tryAgainAfterMs } from './save-problem.ts'

const KEEP_AFTER_MS = 300
const SAVE_AFTER_MS = 1_000

/** A conflict: both sides changed these fields. In them `merged` has the values from here. */
export type Conflict = { theirs: PostWithDeliveries; fields: Field[]; merged: Draft }

/** What the screen shows; a new object for every change. */
export type View = {
  /** The post as the service has it; undefined until it is stored. */
  post: PostWithDeliveries | undefined
  draft: Draft
  /** The draft as it is here when it equals what the service has. */
  saved: Draft
  /** There are changes that the service does not have. */
  dirty: boolean
  saving: boolean
  /** Milliseconds since 1970. */
  savedAt: number | undefined
  problem: SaveProblem | undefined
  /** Whether this browser has a copy of the changes that the service does not have. */
  kept: boolean
  conflict: Conflict | undefined
  /** Words of the typed HTML that the service drops. */
  lost: readonly string[]
  /** What the service could not keep of the HTML or Markdown that was saved last. */
  warnings: readonly ConversionWarning[]
  /** Rises when anything but typing replaces the text. */
  epoch: number
}

type Surroundings = {
  api: PostriderClient['posts']
  shelf: Shelf
  /** The post was stored for the first time; `id` was its local id. */
  onCreated(id: string, post: PostWithDeliveries): void
  /** The service has answered with the post as it is now. */
  onStored(post: PostWithDeliveries): void
  /** The service says that nobody is signed in. */
  onSignedOut(): void
}

export class Work {
  #id: string
  #post: PostWithDeliveries | undefined
  #draft: Draft
  /** The draft as it is here when it equals what the service has. */
  #saved: Draft
  /** The draft in the last request, which may have been stored although its answer was lost. */
  #attempted: Draft | undefined
  /** A creation without an answer yet. It is retried unchanged, with the same idempotency key, so that there is one post. */
  #creating: { key: string; sent: Draft } | undefined
  #slugFollows: boolean
  #running: Promise<boolean> | undefined
  #keepTimer: ReturnType<typeof setTimeout> | undefined
  #saveTimer: ReturnType<typeof setTimeout> | undefined
  /** Another tab writes the post. */
  #resting = false
  readonly #around: Surroundings
  readonly #listeners = new Set<() => void>()
  #view: View

  /** `post` is undefined for a new one; `id` is the key of the copy that this browser may have. */
  constructor(id: string, post: PostWithDeliveries | undefined, around: Surroundings) {
    this.#id = id
    this.#around = around
    this.#post = post
    this.#saved = post === undefined ? EMPTY_DRAFT : draftOf(post)
    this.#draft = this.#saved
    this.#slugFollows = post === undefined || isSlugOfTitle(post.slug, post.title)
    this.#view = {
      post,
      draft: this.#draft,
      saved: this.#saved,
      dirty: false,
      saving: false,
      savedAt: post === undefined ? undefined : new Date(post.updated_at).getTime(),
      problem: undefined,
      kept: true,
      conflict: undefined,
      lost: [],
      warnings: [],
      epoch: 0,
    }
    const copy = around.shelf.read(id)
    if (copy !== undefined) this.#restore(copy)
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly view = (): View => this.#view

  /** The post's id, or its local id until it is stored. */
  get id(): string {
    return this.#id
  }

  /** Applies a change by the person. */
  change(part: Partial<Draft>): void {
    if ('slug' in part) this.#slugFollows = part.slug === ''
    this.#draft = { ...this.#draft, ...part }
    this.#show({ draft: this.#draft, dirty: true })
    if (this.#view.conflict !== undefined) {
      this.#join(this.#view.conflict, part)
      return
    }
    this.#keepTimer ??= setTimeout(() => this.keep(), KEEP_AFTER_MS)
    if (this.savesByItself) this.#saveIn(SAVE_AFTER_MS)
  }

  /** Whether changes are saved automatically. */
  get savesByItself(): boolean {
    const { status, scheduled_at: scheduledAt } = this.#post ?? {}
    if (status !== 'scheduled') return status !== 'published'
    // A scheduled post whose time has passed counts as published, even if no event has told us yet.
    return scheduledAt != null && new Date(scheduledAt).getTime() > Date.now()
  }

  /**
   * Another tab writes the post (`only-here.ts`): until that ends, this one only shows it, and neither saves nor keeps a copy,
   * because its text may be older. Then it goes on with what the other tab has left.
   */
  rest(resting: boolean): void {
    if (resting === this.#resting) return
    this.#resting = resting
    clearTimeout(this.#saveTimer)
    const { conflict, kept } = this.#view
    if (resting) {
      // The other tab has the same copy, and asks about it.
      if (conflict !== undefined) this.#adopt(conflict.theirs, draftOf(conflict.theirs))
      this.#show({ conflict: undefined })
      return
    }
    const copy = this.#around.shelf.read(this.#id)
    // Without a copy, what was never kept is only here, and so may be a new post.
    if (this.#post !== undefined && (copy !== undefined || kept)) this.#adopt(this.#post, draftOf(this.#post))
    if (copy !== undefined) this.#restore(copy)
  }

  /** Writes the copy in this browser, now. */
  keep(): void {
    clearTimeout(this.#keepTimer)
    this.#keepTimer = undefined
    if (this.#resting) return
    // Until the conflict is decided, only the copy has both `mine` and `was`.
    if (this.#view.conflict !== undefined) return
    const mine = changesOf(this.#saved, this.#draft)
    const fields = fieldsOf(mine)
    if (fields.length === 0 && this.#view.lost.length === 0) {
      this.#around.shelf.remove(this.#id)
      this.#show({ kept: true })
      return
    }
    const was = this.#post === undefined ? EMPTY_DRAFT : draftOf(this.#post)
    const all: Field[] = fields.length === 0 ? ['body'] : fields
    const sent = this.#creating?.sent ?? this.#attempted
    const kept = this.#around.shelf.write(this.#id, {
      version: this.#post?.version,
      was: pick(was, all),
      mine: pick(this.#draft, all),
      at: Date.now(),
      sent: sent && changesOf(was, sent),
      key: this.#creating?.key,
    })
    this.#show({ kept })
  }

  /** Saves all changes. False when some are left; the view says why. */
  save(): Promise<boolean> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /**
   * Changes the post's status and saves the changes made here, in one request, so that no site is told of one without the
   * other. False when something else has to be solved first; the view says what. Throws the service's refusal.
   */
  async command(input: UpdatePost): Promise<boolean> {
    while (this.#running !== undefined) await this.#running
    this.#running = this.#command(input).finally(() => {
      this.#running = undefined
      this.#show({ saving: false })
      // The command was refused, or something was written meanwhile: only the next change would save it.
      if (this.#view.dirty) this.#saveIn(SAVE_AFTER_MS)
    })
    return this.#running
  }

  /**
   * Saves all changes, and sends the post to these sites, or to all. False when it could not be saved; the view says why. Throws
   * the service's refusal.
   */
  async publish(siteIds: string[] | undefined): Promise<boolean> {
    const { api, onStored } = this.#around
    if (!(await this.save()) || this.#post === undefined) return false
    await api.publish(this.#post.id, siteIds)
    // From here on it is published, whatever becomes of the next requests.
    const published = await api.get(this.#post.id).catch(() => undefined)
    // Something was written meanwhile, and the answer to its save may be of the time before.
    while (this.#running !== undefined) await this.#running
    if (published !== undefined) onStored(published)
    this.observe(published ?? { ...this.#post, status: 'published', scheduled_at: null })
    return true
  }

  /** Takes over the post as the service has it now. */
  observe(post: PostWithDeliveries): void {
    if (this.#post === undefined || this.#running !== undefined || this.#view.conflict !== undefined) return
    if (post.version < this.#post.version) return
    const { dirty } = this.#view
    if (this.#resting && this.#view.kept) this.#adopt(post, draftOf(post))
    else if (post.version > this.#post.version) this.#meet(post)
    else this.#post = post
    this.#show({ post: this.#post })
    // The service has everything: a save whose answer was lost has arrived.
    if (dirty && !this.#view.dirty) {
      this.#show({ problem: undefined })
      this.keep()
    }
  }

  /** Decides a conflict: takes these fields from the service, all others from here. */
  async resolve(takeTheirs: readonly Field[]): Promise<void> {
    const { conflict } = this.#view
    if (conflict === undefined) return
    this.#adopt(conflict.theirs, { ...conflict.merged, ...pick(draftOf(conflict.theirs), takeTheirs) })
    this.#show({ conflict: undefined })
    this.keep()
    if (this.savesByItself) await this.save()
  }

  /** Discards the changes and returns to what the service has. */
  discard(): void {
    this.#draft = this.#saved
    this.#show({
      draft: this.#draft,
      dirty: false,
      problem: undefined,
      lost: [],
      warnings: [],
      epoch: this.#view.epoch + 1,
    })
    this.keep()
  }

  /** Saves the draft as a new post, because the post was deleted. */
  async saveAsNew(): Promise<boolean> {
    this.#post = undefined
    this.#saved = EMPTY_DRAFT
    this.#attempted = undefined
    this.#draft = { ...this.#draft, slug: '' }
    this.#slugFollows = true
    this.#show({ post: undefined, draft: this.#draft, dirty: true })
    return this.save()
  }

  /** Saves again if changes are left and saving is automatic. */
  tryAgain(): void {
    if (this.#view.dirty && this.savesByItself && !this.#resting) void this.save()
  }

  /** Keeps a copy and saves, because the page is being left. */
  leave(): void {
    if (!this.#view.dirty) return
    this.keep()
    this.tryAgain()
  }

  async #run(): Promise<boolean> {
    for (;;) {
      clearTimeout(this.#saveTimer)
      this.#saveTimer = undefined
      if (this.#view.conflict !== undefined) return false
      const sent = this.#draft
      const changes = changesOf(this.#saved, sent)
      if (fieldsOf(changes).length === 0) {
        this.#show({ dirty: false, problem: undefined })
        this.keep()
        return true
      }
      if (sent.title.trim() === '' && (this.#post === undefined || fieldsOf(changes).length === 1)) {
        this.#show({ saving: false, problem: { kind: 'untitled', text: 'it has no title yet', field: 'title' } })
        this.keep()
        return false
      }
      this.#show({ saving: true })
      try {
        await this.#store(sent, changes)
        this.#show({ saving: false })
      } catch (error) {
        this.#refused(error)
        return false
      }
    }
  }

  async #command(input: UpdatePost): Promise<boolean> {
    if (this.#post === undefined && !(await this.#run())) return false
    clearTimeout(this.#saveTimer)
    this.#show({ saving: true })
    try {
      for (;;) {
        if (this.#view.conflict !== undefined) return false
        const sent = this.#draft
        if (await this.#store(sent, changesOf(this.#saved, sent), input)) return true
      }
    } catch (error) {
      if (error instanceof PostriderError && error.status === 401) this.#around.onSignedOut()
      this.keep()
      throw error
    }
  }

  /** Stores changes. False when the service had another version, which has then been merged. `more` is added to an update. */
  async #store(sent: Draft, changes: Partial<Draft>, more: UpdatePost = {}): Promise<boolean> {
    if (this.#post === undefined) {
      await this.#create(sent)
      return true
    }
    const { api } = this.#around
    const { id, status, version } = this.#post
    const follows = this.#slugFollows && status === 'draft' && 'title' in changes
    const input = { ...inputOf(changes), ...(follows ? { slug: null } : {}), ...more }
    // The last request has no answer. Once this one takes its place, what it may have stored would look like somebody else's.
    if (this.#attempted !== undefined && this.#attempted !== sent) {
      const stored = await api.get(id)
      if (stored.version > version) {
        this.#meet(stored)
        return false
      }
    }
    this.#attempted = sent
    this.keep()
    try {
      this.#accept(await api.update(id, input, version), sent)
      return true
    } catch (error) {
      if (!(error instanceof PostriderError && error.status === 412)) throw error
      this.#meet(await api.get(id))
      return false
    }
  }

  async #create(draft: Draft): Promise<void> {
    const { api, shelf, onCreated } = this.#around
    // The page may be reloaded before the answer: the copy then has the same key for what it has sent.
    this.#creating ??= { key: `${this.#id}-${Date.now().toString(36)}`, sent: draft }
    this.keep()
    const { key, sent } = this.#creating
    try {
      const created = await api.create(newPostOf(sent), { idempotencyKey: key })
      this.#creating = undefined
      shelf.remove(this.#id)
      onCreated(this.#id, created)
      this.#id = created.id
      this.#accept(created, sent)
    } catch (error) {
      // After a refusal nothing was created, so the next request may differ. One that will pass says nothing of an earlier
      // request, which may have been carried out although its answer was lost.
      if (error instanceof PostriderError && !passes(error)) this.#creating = undefined
      throw error
    }
  }

  #accept({ warnings = [], ...stored }: WrittenPost, sent: Draft): void {
    const isOtherBody = !isSame(sent.body, this.#saved.body)
    this.#post = stored
    this.#attempted = undefined
    // Take only the slug from the service, and everything else as sent, so that nothing changes while somebody types.
    this.#saved = { ...sent, slug: stored.slug, title: sent.title.trim() === '' ? stored.title : sent.title }
    if (this.#draft.slug === sent.slug) this.#draft = { ...this.#draft, slug: stored.slug }
    this.#show({
      post: stored,
      draft: this.#draft,
      dirty: fieldsOf(changesOf(this.#saved, this.#draft)).length > 0,
      savedAt: Date.now(),
      problem: undefined,
      lost: sent.body.form === 'html' ? lostWords(sent.body.value, stored.body.html) : [],
      // Whoever writes in the editor cannot do anything about what Markdown has no form for.
      ...(isOtherBody ? { warnings: sent.body.form === 'json' ? [] : warnings } : {}),
    })
    this.keep()
    this.#around.onStored(stored)
  }

  #refused(error: unknown): void {
    this.#show({ saving: false, problem: saveProblem(error) })
    this.keep()
    if (error instanceof PostriderError && error.status === 401) this.#around.onSignedOut()
    const waitMs = tryAgainAfterMs(error)
    if (waitMs !== undefined) this.#saveIn(waitMs)
  }

  /** Merges another version with the changes made here, or waits for a person to decide. */
  #meet(theirs: PostWithDeliveries): void {
    const had = this.#post === undefined ? EMPTY_DRAFT : draftOf(this.#post)
    const mine = changesOf(this.#saved, this.#draft)
    this.#bring(had, mine, theirs)
  }

  #bring(had: Partial<Draft>, mine: Partial<Draft>, theirs: PostWithDeliveries): void {
    const theirDraft = draftOf(theirs)
    const sent = this.#attempted
    const lostAnswer = sent === undefined ? [] : fieldsOf(mine).filter((field) => isFrom(sent, theirs, field))
    const was = { ...had, ...pick(theirDraft, lostAnswer) }
    const { draft, conflicts } = merge(was, mine, theirDraft)
    if (conflicts.length === 0) this.#adopt(theirs, draft)
    else {
      if (this.#view.dirty) this.keep()
      this.#show({ saving: false, conflict: { theirs, fields: conflicts, merged: draft } })
    }
  }

  /** A field that somebody was typing in when the conflict came up is committed as it goes away, and belongs to the conflict. */
  #join({ theirs, fields, merged }: Conflict, mine: Partial<Draft>): void {
    const had = pick(this.#post === undefined ? EMPTY_DRAFT : draftOf(this.#post), fieldsOf(mine))
    const { conflicts } = merge(had, mine, draftOf(theirs))
    const conflict = { theirs, fields: [...new Set([...fields, ...conflicts])], merged: { ...merged, ...mine } }
    const copy = this.#around.shelf.read(this.#id)
    const kept =
      copy !== undefined &&
      this.#around.shelf.write(this.#id, { ...copy, was: { ...had, ...copy.was }, mine: { ...copy.mine, ...mine } })
    this.#show({ conflict, kept })
  }

  #adopt(post: PostWithDeliveries, draft: Draft): void {
    const replaced = !isSame(draft.body, this.#draft.body)
    this.#post = post
    this.#saved = draftOf(post)
    this.#draft = draft
    this.#attempted = undefined
    this.#show({
      post,
      draft,
      dirty: fieldsOf(changesOf(this.#saved, draft)).length > 0,
      ...(replaced ? { warnings: [] } : {}),
      epoch: this.#view.epoch + (replaced ? 1 : 0),
    })
  }

  /** Restores the copy from before the page was opened. */
  #restore({ version, was, mine, sent, key }: Copy): void {
    const attempted = sent && { ...EMPTY_DRAFT, ...was, ...sent }
    if (this.#post === undefined) {
      this.#creating = key !== undefined && attempted !== undefined ? { key, sent: attempted } : undefined
      this.#draft = { ...EMPTY_DRAFT, ...mine }
      this.#show({ draft: this.#draft, dirty: true })
    } else if (version !== this.#post.version) {
      this.#attempted = attempted
      this.#bring(was, mine, this.#post)
    } else {
      this.#adopt(this.#post, { ...this.#saved, ...mine })
      // It may still be on its way.
      this.#attempted = attempted
    }
    if (!this.#view.dirty) this.keep()
    this.#slugFollows &&= !('slug' in mine)
    // By then the browser has said whether another tab writes the post.
    if (this.#view.dirty && this.savesByItself) this.#saveIn(SAVE_AFTER_MS)
  }

  #saveIn(ms: number): void {
    clearTimeout(this.#saveTimer)
    this.#saveTimer = setTimeout(() => this.tryAgain(), ms)
  }

  #show(part: Partial<View>): void {
    this.#view = { ...this.#view, ...part, saved: this.#saved }
    for (const listener of this.#listeners) listener()
  }
}
