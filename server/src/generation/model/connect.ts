import { type ModelConfig, modelName } from '../../platform/ai-config.ts'
import type { Context } from '../../platform/context.ts'
import { OPERATORS_NETWORKS } from '../../platform/egress/addresses.ts'
import { createFetch } from '../../platform/egress/fetch.ts'
import type { Dialect } from './dialect.ts'
import { type Model, ModelError } from './model.ts'
import { createSdkModel } from './sdk-model.ts'

/** Room for an answer of 10,000 tokens, each in an event of its own. */
const MOST_BYTES = 8 * 1024 * 1024
/** The SDK watches the clock; this ends what it does not. */
const GRACE_MS = 5_000

/**
 * The configured model. All that leaves goes through the guard, to the configured address only, which may lie in any
 * network that an operator may allow: nobody else can write it. The SDK is loaded with the first question.
 */
export function connectModel(egress: Context['egress'], config: ModelConfig): Model {
  const { provider, baseUrl, apiKey, model: id, timeoutMs } = config
  const bounds = { baseUrl, allow: OPERATORS_NETWORKS, deadlineMs: timeoutMs + GRACE_MS, maxResponseBytes: MOST_BYTES }
  const fetch = onlyStreams(createFetch(egress, bounds))
  const load = async (dialect: Dialect) => {
    const { extractReasoningMiddleware, wrapLanguageModel } = await import('ai')
    globalThis.AI_SDK_LOG_WARNINGS = false // it writes to the console
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
    // Many local servers leave the thinking of a model in its answer.
    return wrapLanguageModel({ model, middleware: extractReasoningMiddleware({ tagName: 'think' }) })
  }
  // This SDK's way to JSON without a schema is none with Anthropic.
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

/** A success that is no stream comes from something else than a model's server, such as a login page. */
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
