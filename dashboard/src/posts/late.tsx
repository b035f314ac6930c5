import { isLate, lateness } from '../format.ts'
import { Badge } from '../ui/badge.tsx'
import { useText } from '../ui/time.tsx'

/** What a list knows of a post's schedule. */
type Planned = { status: string; scheduled_at: string | null; late_by_seconds: number | null }

/** How many seconds late a post is published, or was; undefined if it is in time. */
export function lateSeconds(
  { status, scheduled_at: at, late_by_seconds: late }: Planned,
  now: number,
): number | undefined {
  const seconds = status === 'scheduled' && at !== null ? (now - new Date(at).getTime()) / 1_000 : (late ?? 0)
  return isLate(seconds) ? seconds : undefined
}

/** Says that a post goes out late, or went; nothing if it is in time. */
export function LateBadge({ post }: { post: Planned }) {
  const text = useText((now) => {
    const seconds = lateSeconds(post, now)
    return seconds === undefined ? '' : `${lateness(seconds)} late`
  })
  return text === '' ? null : <Badge tone="failed">{text}</Badge>
}
