import { useMutation } from '@tanstack/react-query'
import { setUsualOriginal } from '../../../queries.ts'
import { longTime, OWN_ZONE } from '../../../schedule/zoned.ts'
import type { Audience } from '../../../sites/audience.ts'
import { toast } from '../../../ui/toast.tsx'
import type { OpenPost } from '../saving/open-post.ts'
import { refreshDeliveries } from './use-sending.ts'
import { zonePlace } from './zone-names.ts'

/** `at`: the instant, in milliseconds since 1970, undefined if the fields mean none. `zone`: the clock it was chosen by. */
type Schedule = { at: number | undefined; zone: string }

type Publishing = {
  openPost: OpenPost
  /** Undefined: now. */
  schedule: Schedule | undefined
  audience: Audience
  /** The site that has the original, and whether new posts are to have theirs there too. */
  original: string | null
  remembers: boolean
  /** When it is unpublished, in milliseconds since 1970. */
  end: number | undefined
  /** The sites that get the post if it is published now. */
  receiving: readonly string[]
  onSent: (siteIds: ReadonlySet<string>) => void
  onClose: () => void
}

/**
 * Publishes or schedules the post, for these sites and until that time, in one request. Its result is false when the post could not be
 * saved; the view says why.
 */
export function usePublishing(publishing: Publishing) {
  const { openPost, schedule, audience, original, remembers, end, receiving, onSent, onClose } = publishing
  const more = {
    site_ids: audience === null ? null : [...audience],
    primary_site_id: original,
    unpublish_at: end === undefined ? null : new Date(end).toISOString(),
  }
  return useMutation({
    async mutationFn() {
      if (schedule === undefined) {
        const done = await openPost.command({ status: 'published', ...more })
        if (done) await refreshDeliveries(openPost)
        return done
      }
      const { at, zone } = schedule
      if (at === undefined) return false
      const scheduled_at = new Date(at).toISOString()
      return openPost.command({ status: 'scheduled', scheduled_at, schedule_zone: zone, ...more })
    },
    onSuccess(done) {
      if (!done) return
      if (remembers) void setUsualOriginal(original)
      if (schedule === undefined) return onSent(new Set(receiving))
      const { at = 0, zone } = schedule
      toast({ text: `Scheduled for ${longTime(at, zone)}${zone === OWN_ZONE ? '' : ` in ${zonePlace(zone)}`}.` })
      onClose()
    },
  })
}
