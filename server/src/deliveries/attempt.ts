/** One attempt: build the body, sign it, send it, judge what came back. */
import type { Context } from '../platform/context.ts'
import type { Keys } from '../platform/crypto.ts'
import { errorField } from '../platform/log.ts'
import { openSecret } from './endpoints.ts'
import type { DueDelivery, EventContent, Target } from './lease.ts'
import { webhookBody } from './payload.ts'
import { type AttemptResult, judge } from './policy.ts'
import { type SigningKey, signedHeaders, signingKey } from './sign.ts'

/** A delivery with everything that its request is made of. */
export type Sendable = { delivery: DueDelivery; target: Target; event: EventContent }

/**
 * Sends a delivery once. Returns undefined when `signal` aborted it: its outcome is then unknown. Never throws: an error
 * on our side counts as a failed attempt too, so that it is retried on the schedule and shown.
 */
export function attemptDelivery(
  ctx: Pick<Context, 'clock' | 'config' | 'egress' | 'keys' | 'log' | 'traces'>,
  { delivery, target, event }: Sendable,
  signal: AbortSignal,
): Promise<AttemptResult | undefined> {
  const facts = {
    'postrider.delivery_id': delivery.id,
    'postrider.site_id': target.siteId,
    'postrider.event': event.kind,
    'postrider.attempt': delivery.attempts + 1,
  }
  return ctx.traces.span({ name: 'deliver', kind: 'client', facts }, async (span) => {
    const startedAt = ctx.clock.now()
    let result: AttemptResult
    try {
      const outcome = await ctx.egress.send({
        ...signedRequest(ctx.keys, target, { deliveryId: delivery.id, event, at: startedAt }),
        deadlineMs: ctx.config.deliveryTimeoutMs,
        signal,
      })
      if (outcome.kind === 'unreachable' && outcome.cause === 'aborted') {
        span.failed('aborted')
        return undefined
      }
      result = judge(outcome, startedAt, ctx.clock.now())
    } catch (error) {
      ctx.log.error('delivery.broken', { delivery_id: delivery.id, error: errorField(error) })
      result = brokenAttempt(startedAt, ctx.clock.now())
    }
    if (result.code !== null) span.tell({ 'http.response.status_code': result.code })
    if (!result.ok) span.failed(result.error ?? 'failed')
    return result
  })
}

function brokenAttempt(startedAt: Date, finishedAt: Date): AttemptResult {
  const nothing = { ok: false, code: null, excerpt: null, silent: false }
  return { ...nothing, error: 'internal_error', startedAt, finishedAt, tookMs: 0 }
}

/** Keys of targets in use, which are those of held lanes. A cache by site would fill with sites that get one delivery each. */
const opened = new WeakMap<Target, SigningKey>()

/** The signing key of a target, opened when it is first needed. */
export function keyOf(keys: Keys, target: Target): SigningKey {
  let key = opened.get(target)
  if (key === undefined) {
    key = signingKey(openSecret(keys, target.siteId, target.secretSealed))
    opened.set(target, key)
  }
  return key
}

/** The request of an attempt made at `at`. */
export function signedRequest(
  keys: Keys,
  target: Target,
  { deliveryId, event, at }: { deliveryId: string; event: EventContent; at: Date },
) {
  const body = webhookBody({ ...event, site: { id: target.siteId, name: target.siteName }, at })
  const key = keyOf(keys, target)
  const headers = signedHeaders({ key, event: event.kind, deliveryId, body, at })
  return { method: 'POST', url: target.webhookUrl, headers, body } as const
}
