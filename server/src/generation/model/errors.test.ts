import { APICallError } from 'ai'
import { describe, expect, it } from 'vitest'
import { EgressError } from '../../platform/egress/failure.ts'
import { FULL_DIALECT, plainer } from './dialect.ts'
import { toModelError } from './errors.ts'
import { NO_TOKENS, type Question } from './model.ts'

const CALL = { tokens: NO_TOKENS, began: false, secret: 'hunter2-hunter2' }

const refusal = (statusCode: number, body: unknown, responseHeaders: Record<string, string> = {}) =>
  new APICallError({
    message: 'x',
    url: 'http://model',
    requestBodyValues: {},
    statusCode,
    responseHeaders,
    responseBody: typeof body === 'string' ? body : JSON.stringify(body),
  })

const openai = (status: number, message: string, code: string | null = null) =>
  refusal(status, { error: { message, code } })
const anthropic = (status: number, type: string, message: string) =>
  refusal(status, { type: 'error', error: { type, message } })

describe('what a provider says', () => {
  it.each([
    ['OpenAI, key', openai(401, 'Incorrect API key provided: sk-***', 'invalid_api_key'), 'unauthorized'],
    [
      'OpenAI, model',
      openai(404, 'The model `gpt-9` does not exist or you do not have access to it.', 'model_not_found'),
      'not_found',
    ],
    [
      'OpenAI, credit',
      openai(429, 'You exceeded your current quota, please check your plan', 'insufficient_quota'),
      'quota',
    ],
    [
      'OpenAI, rate',
      openai(429, 'Rate limit reached for gpt-5 on tokens per min', 'rate_limit_exceeded'),
      'rate_limited',
    ],
    [
      'OpenAI, context',
      openai(400, "This model's maximum context length is 8192 tokens.", 'context_length_exceeded'),
      'context_too_small',
    ],
    ['OpenAI, down', openai(503, 'The server is overloaded'), 'overloaded'],
    ['Anthropic, key', anthropic(401, 'authentication_error', 'invalid x-api-key'), 'unauthorized'],
    [
      'Anthropic, credit',
      anthropic(400, 'invalid_request_error', 'Your credit balance is too low to access the API.'),
      'quota',
    ],
    ['Anthropic, overloaded', anthropic(529, 'overloaded_error', 'Overloaded'), 'overloaded'],
    [
      'Anthropic, rate',
      anthropic(429, 'rate_limit_error', 'This request would exceed your rate limit'),
      'rate_limited',
    ],
    ['Anthropic, model', anthropic(404, 'not_found_error', 'model: claude-9'), 'not_found'],
    [
      'Anthropic, prompt',
      anthropic(400, 'invalid_request_error', 'prompt is too long: 210000 tokens'),
      'context_too_small',
    ],
    [
      'Ollama, model',
      refusal(404, { error: { message: 'model "llama9" not found, try pulling it first' } }),
      'not_found',
    ],
    ['Ollama, without /v1', refusal(404, '404 page not found'), 'not_found'],
    [
      'LM Studio, nothing loaded',
      refusal(400, { error: 'No models loaded. Please load a model in the developer page.' }),
      'not_found',
    ],
    [
      'Azure, filter',
      openai(400, 'The response was filtered due to the content management policy', 'content_filter'),
      'refused',
    ],
    ['a gateway', refusal(502, '<html>Bad gateway</html>'), 'overloaded'],
    ['a redirect', refusal(301, ''), 'misconfigured'],
    ['anything else', refusal(400, { error: { message: 'unknown field' } }), 'rejected'],
  ])('%s', (_who, error, kind) => {
    expect(toModelError(error, CALL).kind).toBe(kind)
  })

  it.each([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after-ms': '250', 'retry-after': '1' }, 250],
    [{ 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }, undefined],
    [{}, undefined],
  ])('asks to be left alone with %j', (headers, ms) => {
    expect(toModelError(refusal(429, '', headers), CALL).retryAfterMs).toBe(ms)
  })

  it.each([
    ['connection_refused', 'unreachable'],
    ['dns_error', 'unreachable'],
    ['tls_error', 'unreachable'],
    ['blocked_address', 'misconfigured'],
    ['timeout', 'timeout'],
    ['connection_reset', 'cut'],
  ] as const)('a way out that ends in %s, wherever it is wrapped, is %s', (cause, kind) => {
    const error = new Error('outer', { cause: new Error('inner', { cause: new EgressError(cause, 'x') }) })
    expect(toModelError(error, CALL).kind).toBe(kind)
  })

  it('never reaches the person who waits, and its keys not even the log', () => {
    const { message, detail } = toModelError(openai(401, 'Incorrect API key: sk-secr***cret or hunter2-hunter2'), CALL)
    expect(message).toContain('AI_API_KEY')
    expect(message).not.toContain('Incorrect')
    expect(detail).toContain('Incorrect API key: [key] or [key]')
  })

  it('within an answer counts as cut off, unless it says more', () => {
    const began = { ...CALL, began: true }
    expect(toModelError(new SyntaxError('bad chunk'), began).kind).toBe('cut')
    expect(toModelError({ message: 'Overloaded' }, began).kind).toBe('overloaded')
    expect(toModelError({ message: 'something' }, CALL).kind).toBe('overloaded')
  })
})

describe('a plainer way of asking', () => {
  const question: Question = { system: '', prompt: '', maxTokens: 1, tokensLeft: 1, shape: { name: 'x', schema: {} } }
  const plain: Question = { ...question, shape: undefined }

  it('steps down from schema to JSON to the prompt alone', () => {
    const error = openai(400, "'response_format.type' must be 'json_schema'")
    const second = plainer(FULL_DIALECT, question, error)
    expect(second?.rungs).toEqual(['json', 'prompt'])
    const third = second && plainer(second, question, error)
    expect(third?.rungs).toEqual(['prompt'])
    expect(third && plainer(third, question, error)).toBeUndefined()
  })

  it.each([
    [422, 'unprocessable', true],
    [500, 'failed to compile grammar', true],
    [404, 'No endpoints found that support response_format', true],
    [500, 'out of memory', false],
    [429, 'slow down', false],
  ])('%i %s: %s', (status, message, steps) => {
    expect(plainer(FULL_DIALECT, question, openai(status, message)) !== undefined).toBe(steps)
  })

  it('does not blame the shape when there was none', () => {
    expect(plainer(FULL_DIALECT, plain, openai(400, 'bad'))).toBeUndefined()
  })

  it('uses the other name for the limit, and leaves the count of tokens', () => {
    const limit =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    expect(plainer(FULL_DIALECT, plain, openai(400, limit))).toEqual({
      ...FULL_DIALECT,
      limit: 'max_completion_tokens',
    })
    expect(plainer(FULL_DIALECT, plain, openai(400, 'unknown field stream_options'))?.reportsUsage).toBe(false)
  })
})
