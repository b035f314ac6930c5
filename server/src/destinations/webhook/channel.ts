/** Webhooks: build the body, sign it, send it, judge what comes back. One POST per attempt, and only status 200 is success. */
import { z } from 'zod'
import { type AttemptOutcome, SLOW_MS } from '../../engine/index.ts'
import type { Context } from '../../platform/context.ts'
import type { EgressOutcome } from '../../platform/egress/egress.ts'
import { errorField } from '../../platform/log.ts'
import type { Channel, ChannelEvent, ChannelTarget, ProbeResult } from '../channel.ts'
import { testBody, webhookBody } from './body.ts'
import { excerptOf } from './excerpt.ts'
import { NO_REPORT, reportOf } from './report.ts'
import { type SigningKey, signedHeaders, signingKey } from './sign.ts'

/** What an endpoint keeps of a webhook: its address. */
export const WebhookConfig = z.object({ url: z.string() })
type WebhookConfig = z.output<typeof WebhookConfig>
type Target = ChannelTarget<WebhookConfig>

/** The channel of sites that receive webhooks. */
export function webhookChannel(
  ctx: Pick<Context, 'clock' | 'config' | 'egress' | 'ids' | 'log' | 'traces'>,
): Channel<WebhookConfig> {
  /** Keys of targets in use, which are those of held lanes. A cache by site would fill with sites that get one delivery each. */
  const keys = new WeakMap<Target, SigningKey>()
  const keyOf = (target: Target) => {
    const key = keys.get(target) ?? signingKey(target.secret)
    keys.set(target, key)
    return key
  }
  const signedRequest = (target: Target, { deliveryId, content }: ChannelEvent) => {
    const at = ctx.clock.now()
    const body = webhookBody(content, { site: { id: target.siteId, name: target.siteName }, at })
    const headers = signedHeaders({ key: keyOf(target), event: content.kind, deliveryId, body, at })
    return { method: 'POST', url: target.config.url, headers, body } as const
  }
  const deadlineMs = ctx.config.deliveryTimeoutMs
  return {
    kind: 'webhook',
    config: WebhookConfig,
    budgetMs: deadlineMs,
    attempt(target, event, signal) {
      const facts = {
        'postrider.delivery_id': event.deliveryId,
        'postrider.site_id': target.siteId,
        'postrider.event': event.content.kind,
        'postrider.attempt': event.attempt,
      }
      return ctx.traces.span({ name: 'deliver', kind: 'client', facts }, async (span) => {
        let outcome: AttemptOutcome
        try {
          outcome = judge(await ctx.egress.send({ ...signedRequest(target, event), deadlineMs, signal }))
        } catch (error) {
          ctx.log.error('delivery.broken', { delivery_id: event.deliveryId, error: errorField(error) })
          outcome = { kind: 'unreachable', error: 'internal_error', silent: false, tookMs: 0 }
        }
        if ('code' in outcome) span.setAttributes({ 'http.response.status_code': outcome.code })
        if (outcome.kind !== 'delivered') span.failed(outcome.kind === 'unknown' ? 'aborted' : outcome.error)
        return outcome
      })
    },
    async probe(target, sample): Promise<ProbeResult> {
      const body = testBody(sample, { id: target.siteId, name: target.siteName })
      const deliveryId = ctx.ids.next()
      const headers = signedHeaders({ key: keyOf(target), event: 'site.test', deliveryId, body, at: ctx.clock.now() })
      const outcome = await ctx.egress.send({ method: 'POST', url: target.config.url, headers, body, deadlineMs })
      const verdict = judge(outcome)
      return {
        ok: verdict.kind === 'delivered',
        code: outcome.kind === 'response' ? outcome.status : null,
        error: 'error' in verdict ? verdict.error : null,
        excerpt: outcome.kind === 'response' ? excerptOf(outcome.body) : null,
        report: outcome.kind === 'response' ? reportOf(outcome.body) : NO_REPORT,
        tookMs: Math.round(outcome.tookMs),
      }
    },
    preview(target, event) {
      const { body, ...request } = signedRequest(target, event)
      return { ...request, body: body.toString('utf8') }
    },
  }
}

/** Judges what came back: only status 200 is success, and redirects are not followed (specification, section 6). */
export function judge(outcome: EgressOutcome): AttemptOutcome {
  const { tookMs } = outcome
  if (outcome.kind === 'unreachable') {
    if (outcome.cause === 'aborted') return { kind: 'unknown' }
    const silent = outcome.cause === 'timeout' || tookMs >= SLOW_MS
    return { kind: 'unreachable', error: outcome.cause, silent, tookMs }
  }
  const { status } = outcome
  if (status === 200) return { kind: 'delivered', code: status, tookMs }
  const error = status >= 300 && status < 400 ? 'redirect_not_followed' : 'http_error'
  return { kind: 'refused', code: status, error, excerpt: excerptOf(outcome.body), tookMs }
}
