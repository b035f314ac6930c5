/**
 * Which changes of status a write may make (specification section 3, decision P5). The dashboard uses the same table, so
 * this file runs in browsers too and imports only what does.
 */
import { fail, invalid } from '../platform/errors.ts'
import type { PostStatus } from './tables.ts'

/** An action on a post's status. Editing and deleting are not listed: they are always possible. */
export type PostAction = 'schedule' | 'unschedule' | 'publish' | 'unpublish'

/** The actions a status allows, each with the status it leads to. Publishing again sends the post once more. */
const ACTIONS: Record<PostStatus, Partial<Record<PostAction, PostStatus>>> = {
  draft: { schedule: 'scheduled', publish: 'published' },
  scheduled: { schedule: 'scheduled', unschedule: 'draft', publish: 'published' },
  published: { publish: 'published', unpublish: 'draft' },
}

/** Whether a post of this status allows the action. */
export function allows(status: PostStatus, action: PostAction): boolean {
  return ACTIONS[status][action] !== undefined
}

function canBecome(from: PostStatus, to: PostStatus): boolean {
  return from === to || Object.values(ACTIONS[from]).includes(to)
}

/** A post's status and its schedule. `scheduleZone` is the zone by which it was planned. */
export type Standing = { status: PostStatus; scheduledAt: Date | null; scheduleZone: string | null }

/** What a write asks for; undefined leaves the value as it is. */
export type WantedStanding = {
  status?: PostStatus | undefined
  scheduledAt?: Date | null | undefined
  scheduleZone?: string | null | undefined
}

/**
 * The standing after a write. `current` is undefined for a new post. Throws `invalid` on `status` or `scheduled_at`
 * when the change is not allowed, and `conflict` when it was the post's own schedule until that was carried out. The caller does the publishing: the result says only that it is wanted.
 */
export function nextStanding(
  current: (Standing & { publishedAt: Date | null }) | undefined,
  wanted: WantedStanding,
  now: Date,
): Standing {
  const status = wanted.status ?? current?.status ?? 'draft'
  if (current !== undefined && !canBecome(current.status, status)) {
    const { publishedAt } = current
    if (publishedAt !== null && wanted.scheduledAt != null && wanted.scheduledAt <= publishedAt)
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
  if (status !== 'scheduled') {
    if (wanted.scheduledAt != null)
      throw invalid('scheduled_at', 'scheduled_at is allowed only with the status "scheduled".')
    if (wanted.scheduleZone != null)
      throw invalid('schedule_zone', 'schedule_zone is allowed only with the status "scheduled".')
    return { status, scheduledAt: null, scheduleZone: null }
  }
  const scheduledAt = wanted.scheduledAt === undefined ? (current?.scheduledAt ?? null) : wanted.scheduledAt
  if (scheduledAt === null)
    throw invalid(
      'scheduled_at',
      'A scheduled post needs scheduled_at. To take it off the schedule, set the status to "draft".',
    )
  const unchanged = current?.scheduledAt?.getTime() === scheduledAt.getTime()
  if (!unchanged && scheduledAt <= now)
    throw invalid('scheduled_at', 'scheduled_at must be in the future. To publish now, set the status to "published".')
  const { scheduleZone = current?.scheduleZone ?? null } = wanted
  return { status, scheduledAt, scheduleZone }
}
