/**
 * A language model, as the rest of the service sees it: it takes a question and returns a text. This interface hides the
 * protocol, what the server supports and how it fails.
 */

/** A JSON schema. The parser of the answer does not rely on the model having followed it. */
export type JsonSchema = { [key: string]: unknown }

/**
 * One question. `maxTokens` is about what the answer should need; `tokensLeft` is the most it may cost, including reasoning
 * and retries. With a `shape` the answer should be JSON; the prompt describes it too.
 */
export type Question = {
  system: string
  prompt: string
  maxTokens: number
  tokensLeft: number
  shape?: { name: string; schema: JsonSchema } | undefined
}

/** Tokens of questions and answers; estimated where the server does not report them. */
export type Tokens = { input: number; output: number }

/** A whole answer, never empty. `tookMs` and `tokens` include tries in another dialect. */
export type Answer = { text: string; tokens: Tokens; tookMs: number }

/** A language model. */
export type Model = {
  /** Provider and model, such as `openai-compatible/llama3.1`. */
  name: string
  /** Asks once. Throws ModelError, `cut` when the signal has aborted it. */
  ask(question: Question, signal: AbortSignal): Promise<Answer>
}

/**
 * Why there is no answer. Temporary: `rate_limited`, `overloaded`, `unreachable`, `timeout`, `cut`, `empty`, `too_long`,
 * `unusable` (an answer that is not what was asked for). Permanent: the others.
 */
export type ModelErrorKind =
  | 'rate_limited'
  | 'overloaded'
  | 'unreachable'
  | 'timeout'
  | 'cut'
  | 'empty'
  | 'too_long'
  | 'unusable'
  | 'unauthorized'
  | 'quota'
  | 'not_found'
  | 'refused'
  | 'context_too_small'
  | 'misconfigured'
  | 'rejected'

/** A failed question. The message is for the person who waits for the draft; `detail` is for the log. */
export class ModelError extends Error {
  readonly kind: ModelErrorKind
  readonly detail: string
  /** The wait that the server asked for. */
  readonly retryAfterMs: number | undefined
  /** The tokens spent all the same. */
  readonly tokens: Tokens

  constructor(
    kind: ModelErrorKind,
    more: { detail?: string; retryAfterMs?: number | undefined; tokens?: Tokens; cause?: unknown } = {},
  ) {
    super(REASONS[kind], { cause: more.cause })
    this.name = 'ModelError'
    this.kind = kind
    this.detail = more.detail ?? ''
    this.retryAfterMs = more.retryAfterMs
    this.tokens = more.tokens ?? NO_TOKENS
  }
}

/** Nothing spent. */
export const NO_TOKENS: Tokens = { input: 0, output: 0 }

/** What happened, and who can do what about it. */
const REASONS: Record<ModelErrorKind, string> = {
  rate_limited: 'The model’s provider is refusing requests for now (rate limit). Start the draft again later.',
  overloaded: 'The model’s server kept failing. Start the draft again later.',
  unreachable: 'The model’s server cannot be reached. Ask the operator to check AI_BASE_URL and that it runs.',
  timeout: 'The model did not answer in time. Start the draft again, or ask the operator to raise AI_TIMEOUT.',
  cut: 'The connection to the model was cut off repeatedly in the middle of an answer. Start the draft again later.',
  empty: 'The model kept giving empty answers. Start the draft again, or ask the operator for another AI_MODEL.',
  too_long: 'The model’s answers did not end. Start the draft again, or ask the operator for another AI_MODEL.',
  unusable:
    'The model’s answers could not be used for a draft. Start the draft again, or ask the operator for another AI_MODEL.',
  unauthorized: 'The model’s provider does not accept the service’s key. Ask the operator to check AI_API_KEY.',
  quota: 'The credit with the model’s provider is used up. Ask the operator to top it up, then start the draft again.',
  not_found:
    'The provider does not know the model. Ask the operator to check AI_MODEL and AI_BASE_URL (which usually ends in /v1).',
  refused: 'The model declined to write about this. Put the topic in other words.',
  context_too_small:
    'The request is too long for the model. Shorten the topic, or ask the operator for a model with a larger context.',
  misconfigured:
    'The server at the model’s address does not speak the expected protocol. Ask the operator to check AI_BASE_URL and AI_PROVIDER.',
  rejected: 'The model’s server refuses the request. Ask the operator to look at the log, and to check AI_MODEL.',
}
