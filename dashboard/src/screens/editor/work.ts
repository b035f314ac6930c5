/**
 * One post being written: what stands on the screen, what the service has of it, and the way from one to the other.
 *
 * Every change is kept in this browser within a third of a second, and when the page is left. A draft or a scheduled post
 * is stored a second after the last change, one request at a time; a published one when somebody says so, since its sites
 * are told at once. The copy in the browser goes when the service has answered. Requests carry the version that was seen:
 * when the service has another one, what only one side has changed is merged, and the rest waits for a person
 * (`conflict`). Nothing that was typed is given up by itself: a refusal leaves both the screen and the copy as they are.
 */
import { type PostriderClient, PostriderError, type PostWithDeliveries, type UpdatePost } from '@postrider/sdk'
import { sentence } from '../../api.ts'
import {
  changesOf,
  type Draft,
  draftOf,
  EMPTY_DRAFT,
  FIELD_OF_API,
  type Field,
  fieldsOf,
  inputOf,
  isSame,
  isSlugOfTitle,
  merge,
  newPostOf,
  pick,
} from './draft.ts'
import type { Copy, Shelf } from './local.ts'
import { lostWords } from './lost-words.ts'

const KEEP_AFTER_MS = 300
const SAVE_AFTER_MS = 1_000
const TRY_AGAIN_AFTER_MS = 5_000

/** Why the last attempt to store did not work. `field` is the one to blame, when the service named one. */
export type Problem = {
  kind: 'offline' | 'signed-out' | 'untitled' | 'gone' | 'refused'
  text: string
  field?: Field | undefined
}

/** Both sides have changed these fields. `merged` has mine in them. */
export type Conflict = { theirs: PostWithDeliveries; fields: Field[]; merged: Draft }

/** What the screen shows; a new object whenever something has changed. */
export type View = {
  /** As the service has it; undefined until it does. */
  post: PostWithDeliveries | undefined
  draft: Draft
  /** What the fields are here when they are as the service has them. */
  saved: Draft
  /** There is something that the service does not have. */
  dirty: boolean
  saving: boolean
  /** Milliseconds since 1970. */
  savedAt: number | undefined
  problem: Problem | undefined
  /** Whether this browser keeps what the service does not have. */
  kept: boolean
  conflict: Conflict | undefined
  /** Words of the HTML that the service does not keep. */
  lost: readonly string[]
  /** Rises when the text was replaced by something else than typing. */
  epoch: number
}

type Surroundings = {
  api: PostriderClient['posts']
  shelf: Shelf
  /** The post exists now; it has been `id` here until then. */
  onCreated(id: string, post: PostWithDeliveries): void
  /** The service has answered with the post as it is now. */
  onStored(post: PostWithDeliveries): void
  /** The service does not believe that we are signed in. */
  onSignedOut(): void
}

export class Work {
  #id: string
  #post: PostWithDeliveries | undefined
  #draft: Draft
  /** What the fields are here when they are as the service has them. */
  #saved: Draft
  /** What the last request said, which may have been stored although its answer was lost. */
  #attempted: Draft | undefined
  /** A creation without an answer yet. It is asked for again as it was, under the same key, so that there is one post. */
  #creating: { key: string; sent: Draft } | undefined
  #creations = 0
  #slugFollows: boolean
  #running: Promise<boolean> | undefined
  #keepTimer: ReturnType<typeof setTimeout> | undefined
  #saveTimer: ReturnType<typeof setTimeout> | undefined
  readonly #around: Surroundings
  readonly #listeners = new Set<() => void>()
  #view: View

  /** `post` is undefined for a new one; `id` names the copy that this browser may have of it. */
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

  /** What names the post here. */
  get id(): string {
    return this.#id
  }

  /** Somebody has changed something. */
  change(part: Partial<Draft>): void {
    if ('slug' in part) this.#slugFollows = part.slug === ''
    this.#draft = { ...this.#draft, ...part }
    this.#show({ draft: this.#draft, dirty: true })
    this.#keepTimer ??= setTimeout(() => this.keep(), KEEP_AFTER_MS)
    if (this.savesByItself) this.#saveIn(SAVE_AFTER_MS)
  }

  /** Whether changes are stored without being told to. */
  get savesByItself(): boolean {
    const { status, scheduled_at: scheduledAt } = this.#post ?? {}
    if (status !== 'scheduled') return status !== 'published'
    // Once its time has come it is published, whether we have heard of it or not.
    return scheduledAt != null && new Date(scheduledAt).getTime() > Date.now()
  }

  /** Writes the copy in this browser, now. */
  keep(): void {
    clearTimeout(this.#keepTimer)
    this.#keepTimer = undefined
    // Until it is decided, the copy is the only place where mine stands beside what it was.
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
    const kept = this.#around.shelf.write(this.#id, {
      version: this.#post?.version,
      was: pick(was, all),
      mine: pick(this.#draft, all),
      at: Date.now(),
    })
    this.#show({ kept })
  }

  /** Stores everything there is to store. False when something is left; the view says why. */
  save(): Promise<boolean> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /**
   * Changes the post's standing and stores what was changed here, in one request, so that no site is told of one without the
   * other. False when something comes first; the view says what. Throws what the service refuses.
   */
  async command(input: UpdatePost): Promise<boolean> {
    while (this.#running !== undefined) await this.#running
    this.#running = this.#command(input).finally(() => {
      this.#running = undefined
      this.#show({ saving: false })
    })
    return this.#running
  }

  /**
   * Stores what there is to store, and sends the post to these sites, or to all. False when it could not be stored; the view
   * says why. Throws what the service refuses.
   */
  async publish(siteIds: string[] | undefined): Promise<boolean> {
    const { api, onStored } = this.#around
    if (!(await this.save()) || this.#post === undefined) return false
    await api.publish(this.#post.id, siteIds)
    const published = await api.get(this.#post.id)
    onStored(published)
    this.observe(published)
    return true
  }

  /** The service has told how the post stands now. */
  observe(post: PostWithDeliveries): void {
    if (this.#post === undefined || this.#running !== undefined || this.#view.conflict !== undefined) return
    if (post.version < this.#post.version) return
    if (post.version > this.#post.version) this.#meet(post)
    else this.#post = post
    this.#show({ post: this.#post })
  }

  /** Decides a conflict: these fields as the others have them, all else as here. */
  async resolve(takeTheirs: readonly Field[]): Promise<void> {
    const { conflict } = this.#view
    if (conflict === undefined) return
    this.#adopt(conflict.theirs, { ...conflict.merged, ...pick(draftOf(conflict.theirs), takeTheirs) })
    this.#show({ conflict: undefined })
    this.keep()
    if (this.savesByItself) await this.save()
  }

  /** Goes back to what the service has. */
  discard(): void {
    this.#draft = this.#saved
    this.#show({ draft: this.#draft, dirty: false, problem: undefined, lost: [], epoch: this.#view.epoch + 1 })
    this.keep()
  }

  /** The post is gone from the service; what stands here becomes a new one. */
  async saveAsNew(): Promise<boolean> {
    this.#post = undefined
    this.#saved = EMPTY_DRAFT
    this.#attempted = undefined
    this.#draft = { ...this.#draft, slug: '' }
    this.#slugFollows = true
    this.#show({ post: undefined, draft: this.#draft, dirty: true })
    return this.save()
  }

  /** Tries again, where something is left to store by itself. */
  tryAgain(): void {
    if (this.#view.dirty && this.savesByItself) void this.save()
  }

  /** The page is being left: keeps a copy and sends what is to be sent. */
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

  /** False when the service has another version, which has been met. `more` goes with an update. */
  async #store(sent: Draft, changes: Partial<Draft>, more: UpdatePost = {}): Promise<boolean> {
    if (this.#post === undefined) {
      await this.#create(sent)
      return true
    }
    const { api } = this.#around
    const { id, status, version } = this.#post
    const follows = this.#slugFollows && status === 'draft' && 'title' in changes
    const input = { ...inputOf(changes), ...(follows ? { slug: null } : {}), ...more }
    this.#attempted = sent
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
    if (this.#creating === undefined) {
      this.#creations += 1
      this.#creating = { key: `${this.#id}-${this.#creations}`, sent: draft }
    }
    const { key, sent } = this.#creating
    try {
      const created = await api.create(newPostOf(sent), { idempotencyKey: key })
      this.#creating = undefined
      shelf.remove(this.#id)
      onCreated(this.#id, created)
      this.#id = created.id
      this.#accept(created, sent)
    } catch (error) {
      // A refusal is an answer: the next request may be another one.
      if (error instanceof PostriderError && error.status < 500) this.#creating = undefined
      throw error
    }
  }

  #accept(stored: PostWithDeliveries, sent: Draft): void {
    this.#post = stored
    this.#attempted = undefined
    // The slug is the service's; everything else is as it was sent, so that nothing moves under somebody's hands.
    this.#saved = { ...sent, slug: stored.slug, title: sent.title.trim() === '' ? stored.title : sent.title }
    if (this.#draft.slug === sent.slug) this.#draft = { ...this.#draft, slug: stored.slug }
    this.#show({
      post: stored,
      draft: this.#draft,
      dirty: fieldsOf(changesOf(this.#saved, this.#draft)).length > 0,
      savedAt: Date.now(),
      problem: undefined,
      lost: sent.body.form === 'html' ? lostWords(sent.body.value, stored.body.html) : [],
    })
    this.keep()
    this.#around.onStored(stored)
  }

  #refused(error: unknown): void {
    if (!(error instanceof PostriderError) || error.status >= 500 || error.status === 429) {
      const kind = error instanceof PostriderError ? 'refused' : 'offline'
      this.#show({ saving: false, problem: { kind, text: sentence(error) } })
      const waitMs = error instanceof PostriderError ? 1_000 * (error.retryAfter ?? 0) : 0
      this.#saveIn(Math.max(TRY_AGAIN_AFTER_MS, waitMs))
    } else if (error.status === 401) {
      this.#show({ saving: false, problem: { kind: 'signed-out', text: 'your session has ended' } })
      this.#around.onSignedOut()
    } else if (error.status === 404) {
      this.#show({ saving: false, problem: { kind: 'gone', text: 'the post was deleted' } })
    } else {
      const field = error.field === undefined ? undefined : (FIELD_OF_API[error.field] ?? fieldOfPath(error.field))
      this.#show({ saving: false, problem: { kind: 'refused', text: error.message, field } })
    }
    this.keep()
  }

  /** Another version: merges it with what was changed here, or waits for a person. */
  #meet(theirs: PostWithDeliveries): void {
    const had = this.#post === undefined ? EMPTY_DRAFT : draftOf(this.#post)
    const mine = changesOf(this.#saved, this.#draft)
    const theirDraft = draftOf(theirs)
    const lostAnswer = fieldsOf(mine).filter((field) => isSame(this.#attempted?.[field], theirDraft[field]))
    const was = { ...had, ...pick(theirDraft, lostAnswer) }
    this.#bring(was, mine, theirs)
  }

  #bring(was: Partial<Draft>, mine: Partial<Draft>, theirs: PostWithDeliveries): void {
    const { draft, conflicts } = merge(was, mine, draftOf(theirs))
    if (conflicts.length === 0) this.#adopt(theirs, draft)
    else {
      if (this.#view.dirty) this.keep()
      this.#show({ saving: false, conflict: { theirs, fields: conflicts, merged: draft } })
    }
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
      epoch: this.#view.epoch + (replaced ? 1 : 0),
    })
  }

  /** What was kept here, from before the page was opened. */
  #restore({ version, was, mine }: Copy): void {
    if (this.#post !== undefined && version !== this.#post.version) this.#bring(was, mine, this.#post)
    else if (this.#post === undefined) {
      this.#draft = { ...EMPTY_DRAFT, ...mine }
      this.#show({ draft: this.#draft, dirty: true })
    } else this.#adopt(this.#post, { ...this.#saved, ...mine })
    this.#slugFollows &&= !('slug' in mine)
    if (this.#view.dirty && this.savesByItself) this.#saveIn(0)
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

/** `tags.3` is about the tags. */
function fieldOfPath(path: string): Field | undefined {
  const [first] = path.split('.')
  return first === 'tags' || first === 'body' ? first : undefined
}
