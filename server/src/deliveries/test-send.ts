import type { Target } from '../engine/index.ts'
import type { Context } from '../platform/context.ts'
import { judge, keyOf } from './attempt.ts'
import { excerptOf } from './excerpt.ts'
import { type PublishedPost, testBody } from './payload.ts'
import { signedHeaders } from './sign.ts'

/** What came of a test: `code` and `excerpt`, what the site said, are null if it did not answer. */
export type TestResult = {
  ok: boolean
  code: number | null
  error: string | null
  excerpt: string | null
  tookMs: number
}

/** Sends one `site.test` event now and waits for the answer. Nothing is recorded and nothing is retried. `post` is the sample in the body. */
export async function sendTest(
  ctx: Pick<Context, 'clock' | 'config' | 'egress' | 'ids' | 'keys'>,
  target: Target,
  post: PublishedPost,
): Promise<TestResult> {
  const body = testBody(post, { id: target.siteId, name: target.siteName })
  const outcome = await ctx.egress.send({
    method: 'POST',
    url: target.webhookUrl,
    headers: signedHeaders({
      key: keyOf(ctx.keys, target),
      event: 'site.test',
      deliveryId: ctx.ids.next(),
      body,
      at: ctx.clock.now(),
    }),
    body,
    deadlineMs: ctx.config.deliveryTimeoutMs,
  })
  const verdict = judge(outcome)
  return {
    ok: verdict.kind === 'delivered',
    code: outcome.kind === 'response' ? outcome.status : null,
    error: 'error' in verdict ? verdict.error : null,
    excerpt: outcome.kind === 'response' ? excerptOf(outcome.body) : null,
    tookMs: Math.round(outcome.tookMs),
  }
}
