/** What a kind of destination is. As far as sending goes, a new kind is a file that makes a `Channel`, and a line in `registry.ts`. */
import type { z } from 'zod'
import type { AttemptOutcome, EventContent } from '../engine/index.ts'

/** A target as its channel sees it: with its configuration checked and its secret opened. */
export type ChannelTarget<Config> = { siteId: string; siteName: string; config: Config; secret: string }

/**
 * What one attempt sends. `attempt` counts from 1; `deliveryId` is the same in every attempt. The payload of the content is the JSON of a
 * `PublishedPost` (`posts/public.ts`), of a removal that of its `id` and `slug`.
 */
export type ChannelEvent = { deliveryId: string; attempt: number; content: EventContent }

/** A request as people see it. */
export type SentRequest = { method: string; url: string; headers: Record<string, string>; body: string }

/**
 * What a receiver says of itself in its answer to a test: where it keeps posts, whether it shows previews, and in a sentence what is wrong. Null
 * where it says nothing.
 */
export type ReceiverReport = { store: string | null; previews: boolean; problem: string | null }

/** What came of a probe: `code` and `excerpt`, what the target said, are null if it did not answer. */
export type ProbeResult = {
  ok: boolean
  code: number | null
  error: string | null
  excerpt: string | null
  report: ReceiverReport
  tookMs: number
}

/** One kind of destination. Channels are made more than once in a process, so they hold no state of their own. */
export type Channel<Config = unknown> = {
  /** The name of the kind, as endpoints keep it. */
  kind: string
  /** What an endpoint of this kind keeps of where its events go. */
  config: z.ZodType<Config>
  /** The longest that one attempt may take, all its requests together, in milliseconds. The longest of all kinds decides how long lanes are leased. */
  budgetMs: number
  /** Sends an event once. `unknown` when `signal` aborted it. Never rejects: an error on our side is a failed attempt too. */
  attempt(target: ChannelTarget<Config>, event: ChannelEvent, signal: AbortSignal): Promise<AttemptOutcome>
  /** Tries the target with a sample post; leaves nothing behind. */
  probe(target: ChannelTarget<Config>, sample: object): Promise<ProbeResult>
  /** The request that an attempt made now would make. */
  preview(target: ChannelTarget<Config>, event: ChannelEvent): SentRequest
}
