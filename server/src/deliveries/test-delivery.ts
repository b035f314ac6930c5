/** "Test delivery": tries a site with a sample post, and says what to check if that fails. */
import { z } from 'zod'
import { accountAuth } from '../accounts/index.ts'
import { createChannels, type ProbeResult } from '../destinations/index.ts'
import type { Context } from '../platform/context.ts'
import { type Endpoint, endpoint, IdParams } from '../platform/http/endpoint.ts'
import { examplePost, PublishedPost } from '../posts/index.ts'
import { exampleNewSite, targetOf } from '../sites/index.ts'
import { samplePost } from './sample-post.ts'
import { troubleshoot } from './troubleshooting.ts'

const TestResult = z
  .object({
    success: z.boolean(),
    response_code: z
      .int()
      .nullable()
      .openapi({ description: 'The HTTP status that the site returned; null if it did not answer.' }),
    response_time_ms: z.int(),
    payload_sent: PublishedPost.optional().openapi({ description: 'On success: the sample post that was sent.' }),
    message: z.string().optional().openapi({ description: 'On success: the result in a sentence.' }),
    error: z.string().optional().openapi({ description: 'On failure: an error code such as `timeout`.' }),
    troubleshooting: z.string().optional().openapi({ description: 'On failure: what to check.' }),
    response: z
      .string()
      .optional()
      .openapi({ description: "The beginning of the site's response body, if it is text: at most 500 characters." }),
  })
  .openapi('TestDelivery')

const acceptedMessage = (tookMs: number) => `Your site accepted the test in ${tookMs} ms.`

/** Sends the site a sample post and returns what it answered. Throws `not_found`. */
async function testDelivery(
  ctx: Context,
  accountId: string,
  id: string,
): Promise<{ result: ProbeResult; post: PublishedPost }> {
  const { target, url } = await targetOf(ctx, accountId, id)
  const post = samplePost(ctx.ids.next(), url, ctx.clock.now())
  return { result: await createChannels(ctx).probe(target, post), post }
}

/** The endpoint of test deliveries. */
export const testDeliveryRoutes: readonly Endpoint[] = [
  endpoint({
    tag: 'Sites',
    auth: accountAuth,
    method: 'post',
    path: '/api/sites/{id}/test-delivery',
    name: 'testSiteDelivery',
    summary: 'Send a test delivery',
    description:
      'Sends one `site.test` webhook now and returns the result. The response is 200 even if the test failed.',
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
            message: acceptedMessage(84),
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
      const { result, post } = await testDelivery(ctx, principal.accountId, params.id)
      const common = {
        success: result.ok,
        response_code: result.code,
        response_time_ms: result.tookMs,
        ...(result.excerpt === null ? {} : { response: result.excerpt }),
      }
      if (result.ok)
        return {
          status: 200,
          body: { ...common, payload_sent: post, message: acceptedMessage(result.tookMs) },
        }
      const error = result.error ?? 'http_error'
      return { status: 200, body: { ...common, error, troubleshooting: troubleshoot(result) } }
    },
  }),
]
