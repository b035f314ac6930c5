/** One HTTP request as an attempt of a delivery: sent once, traced, and judged by its status. */
import { type AttemptOutcome, SLOW_MS } from '../engine/index.ts'
import type { Context } from '../platform/context.ts'
import type { EgressOutcome, EgressRequest } from '../platform/egress/egress.ts'
import { errorField } from '../platform/log.ts'
import type { ChannelEvent, ChannelTarget, ProbeResult } from './channel.ts'
import { excerptOf } from './excerpt.ts'
import { NO_REPORT } from './webhook/report.ts'

/** What a channel calls accepted. */
type Accepts = (status: number) => boolean

/** Sends what `request` makes. `liveUrlOf` reads from an answer where the post is shown. Never rejects: an error on our side is a failed attempt too. */
export function attemptOnce(
  ctx: Pick<Context, 'egress' | 'log' | 'traces'>,
  { target, event }: { target: ChannelTarget<unknown>; event: ChannelEvent },
  request: () => EgressRequest,
  accepts: Accepts,
  liveUrlOf?: (body: Uint8Array) => string | null,
): Promise<AttemptOutcome> {
  const facts = {
    'postrider.delivery_id': event.deliveryId,
    'postrider.site_id': target.siteId,
    'postrider.event': event.content.kind,
    'postrider.attempt': event.attempt,
  }
  return ctx.traces.span({ name: 'deliver', kind: 'client', facts }, async (span) => {
    let outcome: AttemptOutcome
    try {
      outcome = judge(await ctx.egress.send(request()), accepts, liveUrlOf)
    } catch (error) {
      ctx.log.error('delivery.broken', { delivery_id: event.deliveryId, error: errorField(error) })
      outcome = { kind: 'unreachable', error: 'internal_error', silent: false, tookMs: 0 }
    }
    if ('code' in outcome) span.setAttributes({ 'http.response.status_code': outcome.code })
    if (outcome.kind !== 'delivered') span.failed(outcome.kind === 'unknown' ? 'aborted' : outcome.error)
    return outcome
  })
}

/** Sends a request as a probe. `reportOf` reads what the target says of itself in its answer. */
export async function probeOnce(
  { egress }: Pick<Context, 'egress'>,
  request: EgressRequest,
  accepts: Accepts,
  reportOf: (body: Uint8Array) => ProbeResult['report'] = () => NO_REPORT,
): Promise<ProbeResult> {
  const outcome = await egress.send(request)
  const verdict = judge(outcome, accepts)
  const answer = outcome.kind === 'response' ? outcome : undefined
  return {
    ok: verdict.kind === 'delivered',
    code: answer?.status ?? null,
    error: 'error' in verdict ? verdict.error : null,
    excerpt: answer === undefined ? null : excerptOf(answer.body),
    report: answer === undefined ? NO_REPORT : reportOf(answer.body),
    tookMs: Math.round(outcome.tookMs),
  }
}

/** Judges what came back. Redirects are not followed (specification, section 6). */
export function judge(
  outcome: EgressOutcome,
  accepts: Accepts,
  liveUrlOf: (body: Uint8Array) => string | null = () => null,
): AttemptOutcome {
  const { tookMs } = outcome
  if (outcome.kind === 'unreachable') {
    if (outcome.cause === 'aborted') return { kind: 'unknown' }
    const silent = outcome.cause === 'timeout' || tookMs >= SLOW_MS
    return { kind: 'unreachable', error: outcome.cause, silent, tookMs }
  }
  const { status } = outcome
  if (accepts(status)) return { kind: 'delivered', code: status, liveUrl: liveUrlOf(outcome.body), tookMs }
  const error = status >= 300 && status < 400 ? 'redirect_not_followed' : 'http_error'
  return { kind: 'refused', code: status, error, excerpt: excerptOf(outcome.body), tookMs }
}
