/**
 * What is known of an open post: the draft on the screen, the post on the service, and what lies between the two. The other files
 * of this folder change it; the screen reads its `view`.
 */
import type { ConversionWarning, PostWithDeliveries, WorkingCopy } from '@postrider/sdk'
import {
  type Content,
  changesOf,
  type Draft,
  draftOf,
  EMPTY_DRAFT,
  type Field,
  fieldsOf,
  isSame,
  isSlugOfTitle,
} from '../draft.ts'
import { lostWords } from './lost-words.ts'
import type { SaveProblem } from './save-problem.ts'
import { contentOf, type Stored } from './stored.ts'

/**
 * A conflict: both sides changed these fields. In them `merged` has the values from here, and `theirs` those of the other side, which
 * became known with `stored`.
 */
export type Conflict = { stored: Stored; theirs: Content; fields: Field[]; merged: Draft }

/** What the screen shows; a new object for every change. */
export type View = {
  /** The post as the service has it; undefined until it is stored. */
  post: PostWithDeliveries | undefined
  /** Its changes that are on the service and not published. */
  workingCopy: WorkingCopy | undefined
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
  stored: Stored | undefined
  /** The version of the post with which the draft was last compared. */
  basedOn = 0
  draft: Draft
  /** The draft as it is here when it equals what the service has. */
  saved: Draft
  /** How often what somebody else had changed came into the draft. */
  merges = 0
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

  /** `stored` is undefined for a new post. */
  constructor(id: string, stored: Stored | undefined) {
    this.id = id
    this.#know(stored)
    this.saved = this.base
    this.draft = this.saved
    const { post, workingCopy } = stored ?? {}
    this.slugFollows = post === undefined || isSlugOfTitle(post.slug, post.title)
    const savedAt = workingCopy?.saved_at ?? post?.updated_at
    this.#view = {
      post,
      workingCopy,
      draft: this.draft,
      saved: this.saved,
      dirty: this.isUnsaved,
      saving: false,
      savedAt: savedAt === undefined ? undefined : new Date(savedAt).getTime(),
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

  get post(): PostWithDeliveries | undefined {
    return this.stored?.post
  }

  /** The draft as the service has it. */
  get base(): Draft {
    return this.stored === undefined ? EMPTY_DRAFT : draftOf(contentOf(this.stored))
  }

  /** The fields that the service does not have as they are here. */
  get changes(): Partial<Draft> {
    return changesOf(this.saved, this.draft)
  }

  /** Whether sites are told of a change of the post, so that changes are saved beside it. */
  get isPublished(): boolean {
    const { status, scheduled_at: scheduledAt } = this.post ?? {}
    if (status !== 'scheduled') return status === 'published'
    // A scheduled post whose time has passed counts as published, even if no event has said so yet.
    return scheduledAt == null || new Date(scheduledAt).getTime() <= Date.now()
  }

  /** Whether the post was changed after its working copy was begun, and the two have not been compared. */
  get isBehind(): boolean {
    return this.stored?.workingCopy !== undefined && this.basedOn < this.stored.post.version
  }

  /** Whether the service lacks something of the draft, or has it in the wrong place: a draft needs no working copy. */
  get isUnsaved(): boolean {
    const { workingCopy } = this.stored ?? {}
    if (fieldsOf(this.changes).length > 0 || this.isBehind) return true
    return workingCopy !== undefined && (!this.isPublished || workingCopy.based_on !== this.basedOn)
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Changes the view and notifies the screen. */
  show(part: Partial<View>): void {
    this.#view = { ...this.#view, ...part, workingCopy: this.stored?.workingCopy, saved: this.saved }
    for (const listener of this.#listeners) listener()
  }

  /** Takes over the service's answer to a request that sent this draft; `warnings`: what it could not keep of the body. */
  accept(stored: Stored, sent: Draft, warnings: readonly ConversionWarning[] = []): void {
    const isOtherBody = !isSame(sent.body, this.saved.body)
    const { slug, title, body } = contentOf(stored)
    this.#know(stored)
    this.attempted = undefined
    // Take only the slug from the service, and everything else as sent, so that nothing changes while somebody types.
    this.saved = { ...sent, slug, title: sent.title.trim() === '' ? title : sent.title }
    if (this.draft.slug === sent.slug) this.draft = { ...this.draft, slug }
    this.show({
      post: stored.post,
      draft: this.draft,
      dirty: this.isUnsaved,
      savedAt: Date.now(),
      problem: undefined,
      lost: sent.body.form === 'html' ? lostWords(sent.body.value, body.html) : [],
      // Whoever writes in the editor cannot do anything about what Markdown has no form for.
      ...(isOtherBody ? { warnings: sent.body.form === 'json' ? [] : warnings } : {}),
    })
  }

  /** Takes over a post that was stored by somebody else, or long ago, and goes on with this draft of it. */
  adopt(stored: Stored, draft: Draft): void {
    const replaced = !isSame(draft.body, this.draft.body)
    this.#know(stored)
    this.saved = this.base
    this.draft = draft
    this.attempted = undefined
    this.show({
      post: stored.post,
      draft,
      dirty: this.isUnsaved,
      ...(replaced ? { warnings: [] } : {}),
      epoch: this.#view.epoch + (replaced ? 1 : 0),
    })
  }

  /** Forgets the post, which was deleted: the draft becomes a new one. */
  detach(): void {
    this.#know(undefined)
    this.saved = EMPTY_DRAFT
    this.attempted = undefined
    this.draft = { ...this.draft, slug: '' }
    this.slugFollows = true
    this.show({ post: undefined, draft: this.draft, dirty: true })
  }

  /** Goes back to this, which the service has. */
  revert(stored: Stored | undefined): void {
    this.#know(stored)
    this.saved = this.base
    this.draft = this.saved
    this.show({
      post: stored?.post,
      draft: this.draft,
      dirty: this.isUnsaved,
      problem: undefined,
      lost: [],
      warnings: [],
      epoch: this.#view.epoch + 1,
    })
  }

  #know(stored: Stored | undefined): void {
    this.stored = stored
    this.basedOn = stored?.workingCopy?.based_on ?? stored?.post.version ?? 0
  }
}
