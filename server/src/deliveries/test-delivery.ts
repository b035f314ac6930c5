/** "Test delivery": tries a site with a sample post, and says what to check if that fails. */
import { z } from 'zod'
import { accountAuth } from '../accounts/index.ts'
import { BUILD_HOOK, createChannels, type ProbeResult } from '../destinations/index.ts'
import type { Context } from '../platform/context.ts'
import { type Endpoint, endpoint, IdParams } from '../platform/http/endpoint.ts'
import { examplePost, PublishedPost } from '../posts/index.ts'
import { exampleNewSite, isSite, recordTest, targetOf } from '../sites/index.ts'
import { beginRecovery } from './recovery.ts'
import { samplePost } from './sample-post.ts'
import { troubleshoot, troubleshootHook } from './troubleshooting.ts'

const TestResult = z
  .object({
    success: z.boolean(),
    response_code: z
      .int()
      .nullable()
      .openapi({ description: 'The HTTP status that the site returned; null if it did not answer.' }),
    response_time_ms: z.int(),
    payload_sent: PublishedPost.optional().openapi({
      description: 'On success: the sample post that was sent; absent for a build hook, which is sent none.',
    }),
    message: z.string().optional().openapi({ description: 'On success: the result in a sentence.' }),
    error: z.string().optional().openapi({ description: 'On failure: an error code such as `timeout`.' }),
    troubleshooting: z
      .string()
      .optional()
      .openapi({ description: 'On failure: what the site says is wrong, or else what to check.' }),
    store: z.string().optional().openapi({
      description:
        'On success: what the site says it keeps posts in, such as `files`; `pull` if it reads them from this service. Absent if its answer does not say so.',
      example: 'files',
    }),
    response: z
      .string()
      .optional()
      .openapi({ description: "The beginning of the site's response body, if it is text: at most 500 characters." }),
  })
  .openapi('TestDelivery')

/** Says of an accepted test where the site keeps posts: whoever only answers 200 may have lost them. */
function acceptedMessage(
  { tookMs, report: { store } }: Pick<ProbeResult, 'tookMs' | 'report'>,
  isHook = false,
): string {
  if (isHook) return `The host took the deploy hook in ${tookMs} ms. It should be building the site now.`
  if (store === null) return `Your site answered 200 in ${tookMs} ms, but did not say that it keeps posts.`
  const keeps = store === 'pull' ? 'reads posts from this service' : `keeps posts in ${store}`
  return `Your site accepted the test in ${tookMs} ms. It ${keeps}.`
}

/** Sends the site a sample post, returns what it answered and keeps that with the site. Throws `not_found`. */
async function testDelivery(
  ctx: Context,
  accountId: string,
  id: string,
): Promise<{ result: ProbeResult; message: string; post: PublishedPost | undefined }> {
  const { target, url } = await targetOf(ctx, accountId, id)
  const post = samplePost(ctx.ids.next(), url, ctx.clock.now())
  const result = await createChannels(ctx).probe(target, post)
  const isHook = target.kind === BUILD_HOOK
  const message = result.ok
    ? acceptedMessage(result, isHook)
    : (result.report.problem ?? (isHook ? troubleshootHook(result) : troubleshoot(result)))
  await recordTest(ctx, accountId, target.siteId, {
    ok: result.ok,
    store: result.report.store,
    previews: result.report.previews,
    message,
  })
  if (result.ok) await ctx.db.tx((tx) => beginRecovery(ctx, tx, [{ accountId, siteId: target.siteId }]))
  return { result, message, post: isHook ? undefined : post }
}

/** The endpoint of test deliveries. */
export const testDeliveryRoutes: readonly Endpoint[] = [
  endpoint({
    tag: 'Sites',
    method: 'post',
    path: '/api/sites/{id}/test-delivery',
    auth: accountAuth('sites:write', isSite),
    name: 'testSiteDelivery',
    summary: 'Send a test delivery',
    description:
      'Sends one `site.test` webhook now, or one request to a build hook, which starts a build, and returns the result, which the site keeps as `last_test`. The response is 200 even if the test failed. A receiver answers 200 with `{"ok": true, "store": "files"}` once it has written to where it keeps posts, else 503 with `{"ok": false, "message": "what is wrong"}`.',
    params: IdParams,
    replies: {
      200: {
        description: 'The result of the test.',
        schema: TestResult,
        examples: {
          'The test succeeded': {
            success: true,
            response_code: 200,
            response_time_ms: 84,
            payload_sent: samplePost(examplePost.id, exampleNewSite.url, examplePost.published_at),
            message: acceptedMessage({ tookMs: 84, report: { store: 'files', previews: true, problem: null } }),
            store: 'files',
            response: '{"ok":true,"store":"files"}',
          },
          'The test failed': {
            success: false,
            response_code: 401,
            response_time_ms: 61,
            error: 'http_error',
            troubleshooting: troubleshoot({ code: 401, error: 'http_error' }),
            response: 'The signature does not match.',
          },
        },
      },
    },
    errors: [],
    async handler({ ctx, principal, params }) {
      const { result, message, post } = await testDelivery(ctx, principal.accountId, params.id)
      const common = {
        success: result.ok,
        response_code: result.code,
        response_time_ms: result.tookMs,
        ...(result.excerpt === null ? {} : { response: result.excerpt }),
      }
      if (!result.ok)
        return { status: 200, body: { ...common, error: result.error ?? 'http_error', troubleshooting: message } }
      const { store } = result.report
      return {
        status: 200,
        body: { ...common, ...(post && { payload_sent: post }), message, ...(store === null ? {} : { store }) },
      }
    },
  }),
]
