/** One attempt over a webhook: build the body, sign it, send it, judge what came back. */

import {
  type AttemptOutcome,
  type EventContent,
  openSecret,
  type Sendable,
  SLOW_MS,
  type Target,
} from '../engine/index.ts'
import type { Context } from '../platform/context.ts'
import type { Keys } from '../platform/crypto.ts'
import type { EgressOutcome } from '../platform/egress/egress.ts'
import { errorField } from '../platform/log.ts'
import { excerptOf } from './excerpt.ts'
import { webhookBody } from './payload.ts'
import { type SigningKey, signedHeaders, signingKey } from './sign.ts'

/**
 * Sends a delivery once. `unknown` when `signal` aborted it. Never rejects: an error on our side counts as a failed attempt too, so that
 * it is retried on the schedule and shown.
 */
export function attemptDelivery(
  ctx: Pick<Context, 'clock' | 'config' | 'egress' | 'keys' | 'log' | 'traces'>,
  { delivery, target, event }: Sendable,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  const facts = {
    'postrider.delivery_id': delivery.id,
    'postrider.site_id': target.siteId,
    'postrider.event': event.kind,
    'postrider.attempt': delivery.attempts + 1,
  }
  return ctx.traces.span({ name: 'deliver', kind: 'client', facts }, async (span) => {
    let outcome: AttemptOutcome
    try {
      const at = ctx.clock.now()
      const request = signedRequest(ctx.keys, target, { deliveryId: delivery.id, event, at })
      outcome = judge(await ctx.egress.send({ ...request, deadlineMs: ctx.config.deliveryTimeoutMs, signal }))
    } catch (error) {
      ctx.log.error('delivery.broken', { delivery_id: delivery.id, error: errorField(error) })
      outcome = { kind: 'unreachable', error: 'internal_error', silent: false, tookMs: 0 }
    }
    if ('code' in outcome) span.tell({ 'http.response.status_code': outcome.code })
    if (outcome.kind !== 'delivered') span.failed(outcome.kind === 'unknown' ? 'aborted' : outcome.error)
    return outcome
  })
}

/** Judges what came back: only status 200 is success, and redirects are not followed (specification, section 6). */
export function judge(outcome: EgressOutcome): AttemptOutcome {
  const { tookMs } = outcome
  if (outcome.kind === 'unreachable') {
    if (outcome.cause === 'aborted') return { kind: 'unknown' }
    return {
      kind: 'unreachable',
      error: outcome.cause,
      silent: outcome.cause === 'timeout' || tookMs >= SLOW_MS,
      tookMs,
    }
  }
  const { status } = outcome
  if (status === 200) return { kind: 'delivered', code: status, tookMs }
  const error = status >= 300 && status < 400 ? 'redirect_not_followed' : 'http_error'
  return { kind: 'refused', code: status, error, excerpt: excerptOf(outcome.body), tookMs }
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
  const body = webhookBody({ ...event, post: event.payload, site: { id: target.siteId, name: target.siteName }, at })
  const key = keyOf(keys, target)
  const headers = signedHeaders({ key, event: event.kind, deliveryId, body, at })
  return { method: 'POST', url: target.webhookUrl, headers, body } as const
}
