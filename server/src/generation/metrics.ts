import type { Metrics } from '../platform/metrics.ts'
import type { Tokens } from './model/model.ts'

/** Counts finished drafts and the tokens used. */
export type DraftMetrics = { ended(outcome: string): void; used(tokens: Tokens): void }

/** The counters of a process. An outcome is `complete` or the failure's code. */
export function draftMetrics(metrics: Metrics): DraftMetrics {
  const drafts = metrics.counter('postrider_drafts_total', 'Draft jobs by outcome: complete, or the error code', [
    'outcome',
  ])
  const tokens = metrics.counter('postrider_draft_tokens_total', 'Tokens used by drafts: input or output', ['kind'])
  return {
    ended: (outcome) => drafts.inc({ outcome }),
    used({ input, output }) {
      tokens.inc({ kind: 'input' }, input)
      tokens.inc({ kind: 'output' }, output)
    },
  }
}
