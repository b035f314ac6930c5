/** Webhooks: build the body, sign it, send it, judge what comes back. One POST per attempt, and only status 200 is success. */
import { z } from 'zod'
import type { Context } from '../../platform/context.ts'
import { attemptOnce, probeOnce } from '../attempt.ts'
import type { Channel, ChannelEvent, ChannelTarget, ProbeResult } from '../channel.ts'
import { testBody, webhookBody } from './body.ts'
import { liveUrlOf } from './live-url.ts'
import { reportOf } from './report.ts'
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
  const accepts = (status: number) => status === 200 // specification, section 6
  return {
    kind: 'webhook',
    config: WebhookConfig,
    budgetMs: deadlineMs,
    attempt: (target, event, signal) =>
      attemptOnce(
        ctx,
        { target, event },
        () => ({ ...signedRequest(target, event), deadlineMs, signal }),
        accepts,
        (body) => liveUrlOf(body, target.config.url),
      ),
    async probe(target, sample): Promise<ProbeResult> {
      const body = testBody(sample, { id: target.siteId, name: target.siteName })
      const deliveryId = ctx.ids.next()
      const headers = signedHeaders({ key: keyOf(target), event: 'site.test', deliveryId, body, at: ctx.clock.now() })
      const request = { method: 'POST', url: target.config.url, headers, body, deadlineMs } as const
      return probeOnce(ctx, request, accepts, reportOf)
    },
    preview(target, event) {
      const { body, ...request } = signedRequest(target, event)
      return { ...request, body: body.toString('utf8') }
    },
  }
}
