import { type ModelConfig, modelName } from '../../platform/ai-config.ts'
import type { Context } from '../../platform/context.ts'
import { OPERATORS_NETWORKS } from '../../platform/egress/addresses.ts'
import { createFetch } from '../../platform/egress/fetch.ts'
import type { Dialect } from './dialect.ts'
import { type Model, ModelError } from './model.ts'
import { createSdkModel } from './sdk-model.ts'

/** Enough for an answer of 10,000 tokens, each in its own event. */
const MOST_BYTES = 8 * 1024 * 1024
/** The SDK has the timeout; this much later the egress ends what the SDK did not. */
const GRACE_MS = 5_000

/**
 * The configured model. All requests go through the guarded egress, to the configured address only. That address may be in any
 * network that an operator may allow, because only the operator can set it. The SDK is loaded with the first question.
 */
export function connectModel(egress: Context['egress'], config: ModelConfig): Model {
  const { provider, baseUrl, apiKey, model: id, timeoutMs } = config
  const bounds = { baseUrl, allow: OPERATORS_NETWORKS, deadlineMs: timeoutMs + GRACE_MS, maxResponseBytes: MOST_BYTES }
  const fetch = onlyStreams(createFetch(egress, bounds))
  const load = async (dialect: Dialect) => {
    const { extractReasoningMiddleware, wrapLanguageModel } = await import('ai')
    globalThis.AI_SDK_LOG_WARNINGS = false // they go to the console
    const model =
      provider === 'anthropic'
        ? (await import('@ai-sdk/anthropic')).createAnthropic({ baseURL: baseUrl, apiKey: apiKey ?? '', fetch })(id)
        : (await import('@ai-sdk/openai-compatible')).createOpenAICompatible({
            name: 'model',
            baseURL: baseUrl,
            ...(apiKey === undefined ? {} : { apiKey }),
            includeUsage: dialect.reportsUsage,
            supportsStructuredOutputs: true,
            transformRequestBody: limitedBy(dialect.limit),
            fetch,
          })(id)
    // Many local servers leave a model's reasoning in its answer.
    return wrapLanguageModel({ model, middleware: extractReasoningMiddleware({ tagName: 'think' }) })
  }
  // With Anthropic the SDK has no way to ask for JSON without a schema.
  return createSdkModel({
    name: modelName(config),
    timeoutMs,
    secret: apiKey,
    load,
    ...(provider === 'anthropic' ? { rungs: ['schema', 'prompt'] } : {}),
  })
}

function limitedBy(field: Dialect['limit']): (body: Record<string, unknown>) => Record<string, unknown> {
  return ({ max_tokens: limit, ...body }) => (limit === undefined ? body : { ...body, [field]: limit })
}

/** Throws for a success that is not a stream: it comes from something other than a model's server, such as a login page. */
function onlyStreams(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init)
    const type = response.headers.get('content-type') ?? ''
    if (!response.ok || type.includes('text/event-stream')) return response
    await response.body?.cancel()
    throw new ModelError('misconfigured', {
      detail: `${response.status} with ${type || 'no type'} instead of a stream`,
    })
  }
}
