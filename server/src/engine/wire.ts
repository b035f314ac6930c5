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
