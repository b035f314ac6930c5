import type { Generated, JSONColumnType, Selectable } from 'kysely'
import type { Brief } from './brief.ts'
import type { Progress } from './writing/desk.ts'
import type { FaqItem } from './writing/faq.ts'
import type { KeywordUse } from './writing/report.ts'

/** Decision G2. */
export const JOB_STATUSES = ['processing', 'complete', 'failed'] as const
export type JobStatus = (typeof JOB_STATUSES)[number]

/** What is reported of a finished draft besides its post. */
export type JobReport = { warnings: string[]; keywords: KeywordUse[]; faq: FaqItem[] }

/** Why there is no draft: a code for programs, a message for the person who waits. */
export type JobError = { code: string; message: string }

type GenerationJobsTable = {
  id: string
  account_id: string
  status: JobStatus
  brief: JSONColumnType<Brief>
  /** `outline`, or the model's name. */
  generator: string
  created_at: Date
  started_at: Date | null
  finished_at: Date | null
  /** When the job is due; null when it is finished. */
  run_at: Date | null
  leased_until: Date | null
  /** Rises with every lease; the holder of an older lease cannot record anything. */
  fence: Generated<number>
  /** Leases since the last saved answer. */
  tries: Generated<number>
  progress: JSONColumnType<Progress>
  input_tokens: Generated<number>
  output_tokens: Generated<number>
  /** The time that the model needed, without waits between tries. */
  worked_ms: Generated<number>
  post_id: string | null
  actual_words: number | null
  report: JSONColumnType<JobReport> | null
  error: JSONColumnType<JobError> | null
}

type GenerationAnswersTable = { job_id: string; name: string; answer: string }

type GenerationUsageTable = { account_id: string; day: string; tokens: number }

/** A row of `generation_jobs`. */
export type JobRow = Selectable<GenerationJobsTable>

declare module '../platform/changes/kinds.ts' {
  interface ChangeKinds {
    job: true
  }
}

declare module '../platform/db/tables.ts' {
  interface Tables {
    generation_jobs: GenerationJobsTable
    generation_answers: GenerationAnswersTable
    generation_usage: GenerationUsageTable
  }
}
