/** Which changes of status a write may make (specification section 3, decision P5). */
import { invalid } from '../platform/errors.ts'
import type { PostStatus } from './tables.ts'

/** A post's status and its schedule. */
export type Standing = { status: PostStatus; scheduledAt: Date | null }

/** What a write asks for; undefined leaves as it is. */
export type WantedStanding = { status?: PostStatus | undefined; scheduledAt?: Date | null | undefined }

/**
 * The standing after a write. `current` is undefined for a new post. Throws `invalid` on `status` or `scheduled_at`
 * when the change is not allowed. Publishing itself is the caller's: the result says only that it is wanted.
 */
export function nextStanding(current: Standing | undefined, wanted: WantedStanding, now: Date): Standing {
  const status = wanted.status ?? current?.status ?? 'draft'
  if (current?.status === 'published' && status === 'scheduled') {
    throw invalid(
      'status',
      'A published post cannot be scheduled. Unpublish it first by setting the status to "draft".',
    )
  }
  if (status !== 'scheduled') {
    if (wanted.scheduledAt != null) throw invalid('scheduled_at', 'scheduled_at goes with the status "scheduled" only.')
    return { status, scheduledAt: null }
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
  return { status, scheduledAt }
}
