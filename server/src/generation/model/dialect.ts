/**
 * Which parts of its protocol a server supports. Servers do not announce that, so it is found by trying: a question that is
 * refused is asked again in a plainer dialect, and the process remembers what worked.
 */
import { refusalOf } from './errors.ts'
import type { Question } from './model.ts'

/** How an answer's shape is asked for: enforced by schema, as any JSON, or by the prompt alone. */
export type Rung = 'schema' | 'json' | 'prompt'

/**
 * `rungs`: the remaining ways to ask for a shape, best first. `limit`: the field that bounds the answer. `roomFor`: how many
 * times the expected tokens are allowed, because reasoning models need several times more.
 */
export type Dialect = {
  rungs: readonly [Rung, ...Rung[]]
  limit: 'max_tokens' | 'max_completion_tokens'
  reportsUsage: boolean
  roomFor: 1 | 4
}

/** The dialect that most servers understand. */
export const FULL_DIALECT: Dialect = {
  rungs: ['schema', 'json', 'prompt'],
  limit: 'max_tokens',
  reportsUsage: true,
  roomFor: 1,
}

/** The dialect to try after this error; undefined when the dialect was not the reason. */
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
