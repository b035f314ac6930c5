import type { z } from 'zod'

/** A request that the service sends, as the API document shows it. */
export type Webhook = {
  /** The event's name. */
  name: string
  operationId: string
  tag: string
  summary: string
  description: string
  headers: z.ZodObject
  body: z.ZodType
  /** A body as sent on the wire. */
  example: unknown
  /** What the receiver may answer, and what follows from it. Statuses, or `default`. */
  answers: Record<string, string>
}
