import type { Context } from '../platform/context.ts'
import { keyOf } from './attempt.ts'
import { excerptOf } from './excerpt.ts'
import type { Target } from './lease.ts'
import { type PublishedPost, testBody } from './payload.ts'
import { type AttemptResult, judge } from './policy.ts'
import { signedHeaders } from './sign.ts'

/**
 * Sends one `site.test` event now and waits for the answer. Nothing is recorded and nothing is retried. `post` is the
 * sample in the body. The result has the site's answer even when it accepted.
 */
export async function sendTest(
  ctx: Pick<Context, 'clock' | 'config' | 'egress' | 'ids' | 'keys'>,
  target: Target,
  post: PublishedPost,
): Promise<AttemptResult> {
  const startedAt = ctx.clock.now()
  const body = testBody(post, { id: target.siteId, name: target.siteName })
  const outcome = await ctx.egress.send({
    method: 'POST',
    url: target.webhookUrl,
    headers: signedHeaders({
      key: keyOf(ctx.keys, target),
      event: 'site.test',
      deliveryId: ctx.ids.next(),
      body,
      at: startedAt,
    }),
    body,
    deadlineMs: ctx.config.deliveryTimeoutMs,
  })
  const excerpt = outcome.kind === 'response' ? excerptOf(outcome.body) : null
  return { ...judge(outcome, startedAt, ctx.clock.now()), excerpt }
}
