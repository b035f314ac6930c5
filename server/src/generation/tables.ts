import type { Generated, JSONColumnType, Selectable } from 'kysely'
import type { JobState } from '../platform/jobs/queue.ts'
import type { Brief } from './brief.ts'
import type { FaqItem } from './writing/faq.ts'
import type { KeywordUse } from './writing/report.ts'
import type { Progress } from './writing/structured-output.ts'

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
  finished_at: Date | null
  /** How far the job came; null while it is processing: then its row in `jobs` says so. */
  progress: JSONColumnType<Progress> | null
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

/** The kind of job, in `platform/jobs`, whose key is the id of a row of `generation_jobs`. */
export const DRAFT_JOB = 'write-draft'

/** A row of `generation_jobs`, with the state of the work on it: `work` is undefined when that is finished. */
export type JobRow = Omit<Selectable<GenerationJobsTable>, 'progress'> & {
  progress: Progress
  work: JobState | undefined
}

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
