/**
 * Which changes of status a write may make (specification section 3, decision P5). The dashboard uses the same table, so
 * this file runs in browsers too and imports only what does.
 */
import { fail, invalid } from '../platform/errors.ts'

/** Specification, section 3. */
export const POST_STATUSES = ['draft', 'scheduled', 'published'] as const
export type PostStatus = (typeof POST_STATUSES)[number]

/** The status of a stored post: one in the trash allows no action, and becomes a draft again when it is taken out. */
export type StoredStatus = PostStatus | 'trash'

/** How long a post stays in the trash. */
export const TRASH_DAYS = 30

/** An action on a post's status. Editing and deleting are not listed: they are always possible. */
export type PostAction = 'schedule' | 'unschedule' | 'publish' | 'unpublish'

/** The actions a status allows, each with the status it leads to. Publishing again sends the post once more. */
const ACTIONS: Record<StoredStatus, Partial<Record<PostAction, PostStatus>>> = {
  draft: { schedule: 'scheduled', publish: 'published' },
  scheduled: { schedule: 'scheduled', unschedule: 'draft', publish: 'published' },
  published: { publish: 'published', unpublish: 'draft' },
  trash: {},
}

/** Whether a post of this status allows the action. */
export function allows(status: StoredStatus, action: PostAction): boolean {
  return ACTIONS[status][action] !== undefined
}

function canBecome(from: PostStatus, to: PostStatus): boolean {
  return from === to || Object.values(ACTIONS[from]).includes(to)
}

/**
 * A post's status, its schedule, and when it becomes a draft again; the zone is the one by which the schedule was planned, an IANA name.
 */
export type PublicationState = {
  status: PostStatus
  scheduled_at: Date | null
  schedule_zone: string | null
  unpublish_at: Date | null
}

/** What a write asks for; undefined leaves the value as it is. */
export type WantedPublicationState = { [Key in keyof PublicationState]?: PublicationState[Key] | undefined }

type Current = PublicationState & { published_at: Date | null }

/**
 * The publication state after a write. `current` is undefined for a new post. Throws `invalid` on `status`, `scheduled_at`,
 * `schedule_zone` or `unpublish_at` when the change is not allowed, and `conflict` when it was the post's own schedule until that was
 * carried out. The caller does the publishing: the result says only that it is wanted.
 */
export function nextPublicationState(
  current: Current | undefined,
  wanted: WantedPublicationState,
  now: Date,
): PublicationState {
  const status = wanted.status ?? current?.status ?? 'draft'
  if (current !== undefined && !canBecome(current.status, status)) refuseStatus(current, status, wanted)
  const schedule = nextSchedule(current, status, wanted, now)
  return { status, ...schedule, unpublish_at: nextEnd(current, { ...wanted, status }, schedule.scheduled_at, now) }
}

function refuseStatus(current: Current, status: PostStatus, wanted: WantedPublicationState): never {
  const { published_at: publishedAt } = current
  if (publishedAt !== null && wanted.scheduled_at != null && wanted.scheduled_at <= publishedAt)
    throw fail(
      'conflict',
      `The post was published at ${publishedAt.toISOString()}, after you had read it. Read it again: what you change now is sent to its sites.`,
      { field: 'status' },
    )
  throw invalid(
    'status',
    `The post is already ${current.status}, so it cannot be ${status}. Unpublish it first by setting the status to "draft".`,
  )
}

function nextSchedule(
  current: Current | undefined,
  status: PostStatus,
  wanted: WantedPublicationState,
  now: Date,
): Pick<PublicationState, 'scheduled_at' | 'schedule_zone'> {
  if (status !== 'scheduled') {
    if (wanted.scheduled_at != null)
      throw invalid('scheduled_at', 'scheduled_at is allowed only with the status "scheduled".')
    if (wanted.schedule_zone != null)
      throw invalid('schedule_zone', 'schedule_zone is allowed only with the status "scheduled".')
    return { scheduled_at: null, schedule_zone: null }
  }
  const scheduledAt = wanted.scheduled_at === undefined ? (current?.scheduled_at ?? null) : wanted.scheduled_at
  if (scheduledAt === null)
    throw invalid(
      'scheduled_at',
      'A scheduled post needs scheduled_at. To take it off the schedule, set the status to "draft".',
    )
  const unchanged = current?.scheduled_at?.getTime() === scheduledAt.getTime()
  if (!unchanged && scheduledAt <= now)
    throw invalid('scheduled_at', 'scheduled_at must be in the future. To publish now, set the status to "published".')
  const { schedule_zone = current?.schedule_zone ?? null } = wanted
  return { scheduled_at: scheduledAt, schedule_zone }
}

/** When the post becomes a draft again. Unpublishing fulfils it. */
function nextEnd(
  current: Current | undefined,
  { status, unpublish_at: wanted }: WantedPublicationState,
  scheduledAt: Date | null,
  now: Date,
): Date | null {
  const planned = current?.unpublish_at ?? null
  const isUnpublished = current?.status === 'published' && status === 'draft'
  const end = wanted === undefined ? (isUnpublished ? null : planned) : wanted
  if (end === null) return null
  if (end.getTime() !== planned?.getTime() && end <= now)
    throw invalid('unpublish_at', 'unpublish_at must be in the future. To unpublish now, set the status to "draft".')
  if (scheduledAt !== null && end <= scheduledAt)
    throw invalid(
      wanted === undefined ? 'scheduled_at' : 'unpublish_at',
      `The post is to be published at ${scheduledAt.toISOString()} and unpublished at ${end.toISOString()}. unpublish_at must be after scheduled_at.`,
    )
  return end
}
