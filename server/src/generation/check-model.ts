import type { ModelConfig } from '../platform/ai-config.ts'
import type { Egress } from '../platform/egress/egress.ts'
import { connectModel } from './model/connect.ts'
import { ModelError, type ModelErrorKind } from './model/model.ts'

/** Whether a model answers and how fast, or what the operator has to do and what the provider said. */
export type ModelState = { ok: true; tookMs: number } | { ok: false; advice: string; detail: string }

/** Enough for a model that reasons before it answers. */
const MOST_TOKENS = 2_000

const ADVICE: Record<ModelErrorKind, string> = {
  rate_limited: 'the provider’s rate limit is reached; try again later',
  overloaded: 'the server returns errors; look at its log, or try again later',
  unreachable: 'the server cannot be reached; start it, or correct AI_BASE_URL',
  timeout: 'no answer in time; look at the server, or raise AI_TIMEOUT',
  cut: 'the connection was cut off; look at the server’s log, and at any proxy in between',
  empty: 'the model’s answer is empty; choose another AI_MODEL',
  too_long: 'the model’s answer does not end; choose another AI_MODEL',
  unusable: 'the answer cannot be used; choose another AI_MODEL',
  unauthorized: 'the key is refused; correct AI_API_KEY',
  quota: 'the credit with the provider is used up; top it up',
  not_found:
    'the model was not found; correct AI_MODEL (with Ollama: pull it), or AI_BASE_URL (which usually ends in /v1)',
  refused: 'the model declines even a harmless question; choose another AI_MODEL',
  context_too_small: 'the model’s context is too small; give it a larger one',
  misconfigured: 'the server does not speak the expected protocol; correct AI_BASE_URL or AI_PROVIDER',
  rejected: 'the server refuses the request; correct AI_MODEL',
}

/** Asks the model one short question. */
export async function checkModel(egress: Egress, config: ModelConfig): Promise<ModelState> {
  const question = {
    system: 'You answer with a single word.',
    prompt: 'Answer with the word: ready',
    maxTokens: MOST_TOKENS,
    tokensLeft: 4 * MOST_TOKENS,
  }
  try {
    const { tookMs } = await connectModel(egress, config).ask(question, new AbortController().signal)
    return { ok: true, tookMs }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    return { ok: false, advice: ADVICE[error.kind], detail: error.detail }
  }
}
