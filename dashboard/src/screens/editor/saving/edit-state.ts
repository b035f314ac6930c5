/**
 * What is known of an open post: the draft on the screen, the post on the service, and what lies between the two. The other files
 * of this folder change it; the screen reads its `view`.
 */
import type { ConversionWarning, PostWithDeliveries, WrittenPost } from '@postrider/sdk'
import { changesOf, type Draft, draftOf, EMPTY_DRAFT, type Field, fieldsOf, isSame, isSlugOfTitle } from '../draft.ts'
import { lostWords } from './lost-words.ts'
import type { SaveProblem } from './save-problem.ts'

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

export class EditState {
  /** The post's id, or its local id until it is stored. */
  id: string
  post: PostWithDeliveries | undefined
  draft: Draft
  /** The draft as it is here when it equals what the service has. */
  saved: Draft
  /** The draft in the last request, which may have been stored although its answer was lost. */
  attempted: Draft | undefined
  /** A creation without an answer yet. It is retried unchanged, with the same idempotency key, so that there is one post. */
  creating: { key: string; sent: Draft } | undefined
  /** Whether the slug is made from the title. */
  slugFollows: boolean
  /** Another tab writes the post: this one only shows it. */
  readOnly = false
  readonly #listeners = new Set<() => void>()
  #view: View

  /** `post` is undefined for a new one. */
  constructor(id: string, post: PostWithDeliveries | undefined) {
    this.id = id
    this.post = post
    this.saved = post === undefined ? EMPTY_DRAFT : draftOf(post)
    this.draft = this.saved
    this.slugFollows = post === undefined || isSlugOfTitle(post.slug, post.title)
    this.#view = {
      post,
      draft: this.draft,
      saved: this.saved,
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
  }

  get view(): View {
    return this.#view
  }

  /** The draft as the service has it. */
  get base(): Draft {
    return this.post === undefined ? EMPTY_DRAFT : draftOf(this.post)
  }

  /** The fields that the service does not have as they are here. */
  get changes(): Partial<Draft> {
    return changesOf(this.saved, this.draft)
  }

  /** Whether changes are saved automatically. */
  get savesByItself(): boolean {
    const { status, scheduled_at: scheduledAt } = this.post ?? {}
    if (status !== 'scheduled') return status !== 'published'
    // A scheduled post whose time has passed counts as published, even if no event has said so yet.
    return scheduledAt != null && new Date(scheduledAt).getTime() > Date.now()
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Changes the view and notifies the screen. */
  show(part: Partial<View>): void {
    this.#view = { ...this.#view, ...part, saved: this.saved }
    for (const listener of this.#listeners) listener()
  }

  /** Takes over the service's answer to a request that sent this draft. */
  accept({ warnings = [], ...stored }: WrittenPost, sent: Draft): void {
    const isOtherBody = !isSame(sent.body, this.saved.body)
    this.post = stored
    this.attempted = undefined
    // Take only the slug from the service, and everything else as sent, so that nothing changes while somebody types.
    this.saved = { ...sent, slug: stored.slug, title: sent.title.trim() === '' ? stored.title : sent.title }
    if (this.draft.slug === sent.slug) this.draft = { ...this.draft, slug: stored.slug }
    this.show({
      post: stored,
      draft: this.draft,
      dirty: fieldsOf(this.changes).length > 0,
      savedAt: Date.now(),
      problem: undefined,
      lost: sent.body.form === 'html' ? lostWords(sent.body.value, stored.body.html) : [],
      // Whoever writes in the editor cannot do anything about what Markdown has no form for.
      ...(isOtherBody ? { warnings: sent.body.form === 'json' ? [] : warnings } : {}),
    })
  }

  /** Takes over a post that was stored by somebody else, or long ago, and goes on with this draft of it. */
  adopt(post: PostWithDeliveries, draft: Draft): void {
    const replaced = !isSame(draft.body, this.draft.body)
    this.post = post
    this.saved = draftOf(post)
    this.draft = draft
    this.attempted = undefined
    this.show({
      post,
      draft,
      dirty: fieldsOf(this.changes).length > 0,
      ...(replaced ? { warnings: [] } : {}),
      epoch: this.#view.epoch + (replaced ? 1 : 0),
    })
  }

  /** Forgets the post, which was deleted: the draft becomes a new one. */
  detach(): void {
    this.post = undefined
    this.saved = EMPTY_DRAFT
    this.attempted = undefined
    this.draft = { ...this.draft, slug: '' }
    this.slugFollows = true
    this.show({ post: undefined, draft: this.draft, dirty: true })
  }

  /** Goes back to what the service has. */
  revert(): void {
    this.draft = this.saved
    this.show({
      draft: this.draft,
      dirty: false,
      problem: undefined,
      lost: [],
      warnings: [],
      epoch: this.#view.epoch + 1,
    })
  }
}
