import { z } from 'zod'
import '../platform/http/endpoint.ts' // lets schemas say what the API's document shows
import { DELIVERY_STATUSES, EVENT_KINDS } from './tables.ts'

/** The name of an event on the wire. */
export const EventName = z.enum(EVENT_KINDS)

/** The state of a delivery on the wire. */
export const DeliveryStatus = z.enum(DELIVERY_STATUSES).openapi('DeliveryStatus', {
  description: '`delivered_retry`: delivered, but not by the first attempt.',
})
export type DeliveryStatus = z.output<typeof DeliveryStatus>

/** Where a delivered post is shown, as far as its site has said so. */
export const Live = z
  .object({ state: z.enum(['unknown', 'claimed']), url: z.string().nullable() })
  .openapi('LiveAddress', {
    description:
      '`claimed`: the site named the address, in its answer to the webhook (`{"url": "https://…"}`) or in its confirmation (`published_url`).',
  })

/** Presents where a post is shown. */
export function presentLive(url: string | null): z.output<typeof Live> {
  return { state: url === null ? 'unknown' : 'claimed', url }
}
