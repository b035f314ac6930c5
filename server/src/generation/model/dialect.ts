/**
 * What a server understands of the protocol it claims to speak. Nothing announces it, so it is found out: a question that is
 * refused is put once more in a plainer way, and what worked is remembered for as long as the process lives.
 */
import { refusalOf } from './errors.ts'
import type { Question } from './model.ts'

/** How an answer's shape is asked for: enforced by schema, as any JSON, or by the prompt alone. */
export type Rung = 'schema' | 'json' | 'prompt'

/**
 * `rungs`: the ways that are left, the best first. `limit`: the field that bounds the answer. `roomFor`: how many times the
 * expected tokens are allowed, since models that think need several times more.
 */
export type Dialect = {
  rungs: readonly [Rung, ...Rung[]]
  limit: 'max_tokens' | 'max_completion_tokens'
  reportsUsage: boolean
  roomFor: 1 | 4
}

/** What most servers understand. */
export const FULL_DIALECT: Dialect = {
  rungs: ['schema', 'json', 'prompt'],
  limit: 'max_tokens',
  reportsUsage: true,
  roomFor: 1,
}

/** The dialect to try after this error; undefined when the way of asking was not the reason. */
export function plainer(dialect: Dialect, question: Question, error: unknown): Dialect | undefined {
  const refusal = refusalOf(error)
  if (refusal === undefined) return undefined
  const { status, body } = refusal
  if (dialect.limit === 'max_tokens' && body.includes('max_completion_tokens'))
    return { ...dialect, limit: 'max_completion_tokens' }
  if (dialect.reportsUsage && body.includes('stream_options')) return { ...dialect, reportsUsage: false }
  const [, next, ...others] = dialect.rungs
  if (question.shape === undefined || next === undefined) return undefined
  const namesIt =
    /response.?format|json.?schema|json.?mode|structured|grammar|guided|output.?(format|config)|tool/i.test(body)
  return namesIt || [400, 422].includes(status) ? { ...dialect, rungs: [next, ...others] } : undefined
}
