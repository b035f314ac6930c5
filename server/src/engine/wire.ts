import { z } from 'zod'
import { TimestampText } from '../platform/http/endpoint.ts'
import { DELIVERY_STATUSES, EVENT_KINDS, type LiveCheck } from './tables.ts'

/** The name of an event on the wire. */
export const EventName = z.enum(EVENT_KINDS)

/** The state of a delivery on the wire. */
export const DeliveryStatus = z.enum(DELIVERY_STATUSES).openapi('DeliveryStatus', {
  description: '`delivered_retry`: delivered, but not by the first attempt.',
})
export type DeliveryStatus = z.output<typeof DeliveryStatus>

/** Where a delivered post is shown, as far as its site has said so, and whether it is there, as far as somebody looked. */
export const Live = z
  .object({
    state: z.enum(['unknown', 'claimed', 'verified', 'wrong', 'gone']),
    url: z.string().nullable(),
    checked_at: TimestampText.nullable().openapi({ description: 'When the page was last looked at with a result.' }),
    problem: z.string().nullable().openapi({
      description: 'Why the post is not live, or not gone, or why its page could not be looked at: a sentence.',
    }),
  })
  .openapi('LiveAddress', {
    description:
      '`claimed`: the site named the address, in its answer to the webhook (`{"url": "https://…"}`) or in its confirmation (`published_url`). The other states come from looking at the page, for sites with `verify`. `verified`: it shows the post. `wrong`: it does not, shows an earlier version, or cannot be read. `gone`: it answers 404 or 410. Of a removal, `verified` says that the page is gone, `wrong` that it still shows the post.',
  })

/** Presents where a post is shown. */
export function presentLive({
  liveUrl,
  liveCheck,
}: {
  liveUrl: string | null
  liveCheck: LiveCheck | null
}): z.output<typeof Live> {
  return {
    state: liveCheck?.state ?? (liveUrl === null ? 'unknown' : 'claimed'),
    url: liveUrl ?? liveCheck?.url ?? null,
    checked_at: liveCheck?.at ?? null,
    problem: liveCheck?.problem ?? null,
  }
}
