/** A model behind the AI SDK: one question becomes one streamed call, or several until the dialect fits. */
import type { LanguageModel, Output } from 'ai'
import { type Dialect, FULL_DIALECT, plainer, type Rung } from './dialect.ts'
import { toModelError } from './errors.ts'
import { type Answer, type Model, ModelError, NO_TOKENS, type Question, type Tokens } from './model.ts'

/** How a provider's model is reached. `rungs` are the ways to ask for a shape that it distinguishes. */
type Reach = {
  name: string
  timeoutMs: number
  /** Kept out of the log. */
  secret?: string | undefined
  rungs?: Dialect['rungs']
  load(dialect: Dialect): Promise<LanguageModel>
}

/** A stream that pauses for this long has stalled; only the first piece may take as long as the whole. */
const LONGEST_PAUSE_MS = 60_000

/** The most characters per expected token of an answer; a model that exceeds it is repeating itself. */
const CHARACTERS_PER_TOKEN = 16

/** Makes the model. */
export function createSdkModel({ name, timeoutMs, secret, rungs = FULL_DIALECT.rungs, load }: Reach): Model {
  let known: Dialect = { ...FULL_DIALECT, rungs }

  async function ask(question: Question, signal: AbortSignal): Promise<Answer> {
    const startedAt = performance.now()
    let spent = NO_TOKENS
    for (let dialect = known; ; ) {
      const tokensLeft = question.tokensLeft - spent.input - spent.output
      const call = new Call({ ...question, tokensLeft }, dialect)
      try {
        const text = await call.run(await load(dialect), timeoutMs, signal)
        known = dialect
        return { text, tokens: plus(spent, call.tokens()), tookMs: performance.now() - startedAt }
      } catch (error) {
        if (signal.aborted)
          throw new ModelError('cut', { tokens: plus(spent, call.tokensSoFar()), cause: signal.reason })
        const next =
          call.cutShort && dialect.roomFor === 1
            ? { ...dialect, roomFor: 4 as const }
            : plainer(dialect, question, error)
        const failure = { began: call.began, secret }
        const { kind } = toModelError(error, { tokens: NO_TOKENS, ...failure })
        // A model that thinks without showing it has worked although nothing came.
        spent = plus(spent, kind === 'timeout' || kind === 'cut' ? call.tokensSoFar() : call.tokens())
        if (next === undefined) throw toModelError(error, { tokens: spent, ...failure })
        dialect = next
      }
    }
  }

  return { name, ask }
}

/** One request and its result so far. */
class Call {
  readonly #question: Question
  readonly #dialect: Dialect
  #text = ''
  #thinking = 0
  #reported: { input: number | undefined; output: number | undefined } | undefined
  #answered = false
  /** The answer was cut off at its token limit. */
  cutShort = false

  constructor(question: Question, dialect: Dialect) {
    this.#question = question
    this.#dialect = dialect
  }

  async run(model: LanguageModel, timeoutMs: number, signal: AbortSignal): Promise<string> {
    const { streamText } = await import('ai')
    const { system, prompt, shape } = this.#question
    const leaving = new AbortController()
    const { stream } = streamText({
      model,
      instructions: system,
      prompt,
      maxOutputTokens: this.#mostTokens(),
      maxRetries: 0,
      abortSignal: AbortSignal.any([signal, leaving.signal]),
      timeout: { totalMs: timeoutMs, chunkMs: Math.min(LONGEST_PAUSE_MS, timeoutMs) },
      ...formatOf(this.#dialect.rungs[0], shape),
      // Errors arrive in the stream too; without this handler the SDK also prints them.
      onError: () => {},
    })
    try {
      for await (const part of stream) {
        switch (part.type) {
          case 'text-delta':
            this.#text += part.text
            this.#assertBounded()
            break
          case 'reasoning-delta':
            this.#thinking += part.text.length
            this.#assertBounded()
            break
          case 'finish':
            this.#reported = { input: part.totalUsage.inputTokens, output: part.totalUsage.outputTokens }
            this.#answered = true
            this.#assertWhole(part.finishReason)
            break
          case 'abort':
            signal.throwIfAborted()
            throw new ModelError('timeout')
          case 'error':
            throw part.error
        }
      }
    } finally {
      // The SDK does not hang up when its stream is read no further: the model would go on answering until the timeout.
      leaving.abort()
    }
    return this.#text.replaceAll('\0', '').toWellFormed().trim()
  }

  /** What the call cost; a refused call cost nothing. */
  tokens(): Tokens {
    return this.#answered || this.began ? this.tokensSoFar() : NO_TOKENS
  }

  /** What the call cost so far if it was not refused: as reported, or else estimated. */
  tokensSoFar(): Tokens {
    const { system, prompt } = this.#question
    const { input, output } = this.#reported ?? {}
    return {
      input: input ?? estimateTokens(system) + estimateTokens(prompt),
      output: output ?? estimateTokens(this.#text) + Math.ceil(this.#thinking / 4),
    }
  }

  /** Whether the answer has begun. */
  get began(): boolean {
    return this.#text !== '' || this.#thinking > 0
  }

  #mostTokens(): number {
    const { maxTokens, tokensLeft } = this.#question
    return Math.max(1, Math.min(maxTokens * this.#dialect.roomFor, tokensLeft))
  }

  #assertBounded(): void {
    if (this.#text.length + this.#thinking <= this.#question.maxTokens * CHARACTERS_PER_TOKEN) return
    throw new ModelError('too_long', { detail: `more than ${this.#text.length} characters` })
  }

  #assertWhole(finishReason: string): void {
    if (finishReason === 'stop' && this.#text.trim() !== '') return
    this.cutShort = finishReason === 'length'
    if (finishReason === 'content-filter') throw new ModelError('refused')
    if (this.cutShort)
      throw new ModelError(this.#text.trim() === '' ? 'empty' : 'too_long', { detail: 'all tokens used' })
    if (finishReason === 'stop') throw new ModelError('empty')
    throw new ModelError('cut', { detail: `ended with "${finishReason}"` })
  }
}

/** Estimates tokens at three and a half bytes each, which suits English (about four letters) and scripts of three-byte characters. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3.5)
}

function plus(a: Tokens, b: Tokens): Tokens {
  return { input: a.input + b.input, output: a.output + b.output }
}

/**
 * Asks the server for a shape but returns plain text: the SDK's own formats parse the growing answer again at every piece,
 * which costs quadratic time.
 */
function formatOf(rung: Rung, shape: Question['shape']): { output?: Output.Output<string, string, never> } {
  if (shape === undefined || rung === 'prompt') return {}
  const schema = rung === 'schema' ? { name: shape.name, schema: shape.schema } : {}
  return {
    output: {
      name: 'json',
      responseFormat: Promise.resolve({ type: 'json', ...schema }),
      parseCompleteOutput: async ({ text }) => text,
      // Must differ every time: otherwise the SDK holds pieces back until the answer is complete.
      parsePartialOutput: async ({ text }) => ({ partial: String(text.length) }),
      createElementStreamTransform: () => undefined,
    },
  }
}
