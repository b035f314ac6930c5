import { useMutation } from '@tanstack/react-query'
import type { Holding } from '../../../delivery/holding.ts'
import { deliveriesOfPostQuery, queryClient } from '../../../queries.ts'
import { toast } from '../../../ui/toast.tsx'
import type { OpenPost } from '../saving/open-post.ts'
import { zonePlace } from './zone-names.ts'
import { longTime, OWN_ZONE } from './zoned.ts'

/** `at`: the instant, in milliseconds since 1970, undefined if the fields mean none. `zone`: the clock it was chosen by. */
type Schedule = { at: number | undefined; zone: string }

type Sending = {
  openPost: OpenPost
  /** Undefined: now. */
  schedule: Schedule | undefined
  published: boolean
  updates: boolean
  ticked: ReadonlySet<string>
  /** Whether these are all the sites that are not paused. */
  toAll: boolean
  having: ReadonlyMap<string, Holding>
  onSent: (siteIds: ReadonlySet<string>) => void
  onClose: () => void
}

/** Publishes, sends again, updates or schedules the post. Its result is false when the post could not be saved; the view says why. */
export function useSending(sending: Sending) {
  const { openPost, schedule, ticked, onSent, onClose } = sending
  return useMutation({
    async mutationFn() {
      if (schedule !== undefined) return plan(openPost, schedule)
      const done = await send(sending)
      const { post } = openPost.view()
      if (done && post !== undefined)
        await queryClient.fetchQuery({ ...deliveriesOfPostQuery(post.id), staleTime: 0 }).catch(() => undefined)
      return done
    },
    onSuccess(done) {
      if (!done) return
      if (schedule === undefined) return onSent(ticked)
      const { at = 0, zone } = schedule
      toast({ text: `Scheduled for ${longTime(at, zone)}${zone === OWN_ZONE ? '' : ` in ${zonePlace(zone)}`}.` })
      onClose()
    },
  })
}

async function plan(openPost: OpenPost, { at, zone }: Schedule): Promise<boolean> {
  if (at === undefined) return false
  return openPost.command({ status: 'scheduled', scheduled_at: new Date(at).toISOString(), schedule_zone: zone })
}

async function send({ openPost, published, updates, ticked, toAll, having }: Sending): Promise<boolean> {
  if (!published) return openPost.publish(toAll ? undefined : [...ticked])
  if (!updates) return openPost.publish([...ticked])
  // Sites that have the post are sent the change when it is stored.
  const others = [...ticked].filter((id) => !having.has(id))
  return others.length === 0 ? openPost.save() : openPost.publish(others)
}
