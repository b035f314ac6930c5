/**
 * The job that writes a draft. What the account sees of it is a row of `generation_jobs`:
 *
 *     processing ──▶ complete   with a draft post, in the transaction that creates it
 *         │    └───▶ failed     with a reason
 *         └────────▶ (gone)     cancelled
 *
 * While it is processing, `platform/jobs` has it done. Each answer is saved before the next question is put, so whoever goes on after an
 * interruption puts no question again whose answer was saved.
 */

import { notify } from '../notifications/index.ts'
import type { Context } from '../platform/context.ts'
import { afterCommit, isDatabaseGone, type Tx } from '../platform/db/database.ts'
import { type LeasedJob, LeaseLost, recordProgress } from '../platform/jobs/queue.ts'
import type { JobKind, JobOutcome, JobSignals } from '../platform/jobs/runner.ts'
import { errorField } from '../platform/log.ts'
import { addDraft } from '../posts/index.ts'
import { jobChange } from './changes.ts'
import { type DraftMetrics, draftMetrics } from './metrics.ts'
import { connectModel } from './model/connect.ts'
import { type Answer, type Model, ModelError, type Question } from './model/model.ts'
import { estimateTokens } from './model/sdk-model.ts'
import { OUTLINE_WRITER, writeOutline } from './outline-writer/write-outline.ts'
import { waitAfter } from './policy.ts'
import { endJob, findJob } from './queries.ts'
import { DRAFT_JOB, type JobError, type JobRow } from './tables.ts'
import { type NamedAnswer, recordSpent, type Spent, saveAnswer, savedAnswers, tokensToday } from './usage.ts'
import { systemPrompt } from './writing/prompts.ts'
import type { Ask, Inquiry, Progress } from './writing/structured-output.ts'
import { type WrittenDraft, writeDraft } from './writing/write-draft.ts'

/** The wait before another try to save an answer. */
const SAVE_AGAIN_MS = 1_000

type Needs = Pick<
  Context,
  'changes' | 'clock' | 'config' | 'db' | 'egress' | 'ids' | 'log' | 'metrics' | 'signals' | 'traces'
>

/** A limit is reached: not a failure of the model. */
class LimitReached extends Error {
  readonly error: JobError

  constructor(error: JobError) {
    super(error.message)
    this.error = error
  }
}

const INTERNAL_ERROR: JobError = {
  code: 'internal_error',
  message: 'Something went wrong on our side. Start the draft again; if it fails again, report the job_id.',
}

/** The kind of job that writes drafts, with the configured model or as outlines. */
export function draftJobs(ctx: Needs): JobKind {
  const { ai } = ctx.config
  const model = ai.model && connectModel(ctx.egress, ai.model)
  const metrics = draftMetrics(ctx.metrics)
  return {
    name: DRAFT_JOB,
    limits: { perProcess: ai.jobs, perAccount: ai.jobsPerAccount },
    async run(job, signals) {
      const row = await findJob(ctx.db.root, job.accountId, job.key)
      if (row === undefined) throw new LeaseLost()
      const writing = { ctx, metrics, job, signals, tokens: row.input_tokens + row.output_tokens }
      const draft = model === undefined ? writeOutline(row.brief) : await writeWith(model, writing, row.brief)
      return {
        record: (tx) =>
          recordDraft(tx, writing, { draft, topic: row.brief.topic, generator: model?.name ?? OUTLINE_WRITER }),
      }
    },
    failed: (job, error) => afterFailure(ctx, metrics, job, error),
  }
}

/** A draft being written; `tokens` counts what its job has used. */
type Writing = { ctx: Needs; metrics: DraftMetrics; job: LeasedJob; signals: JobSignals; tokens: number }

/** Has the model answer the draft's questions, except those whose answers are saved. */
async function writeWith(model: Model, writing: Writing, brief: JobRow['brief']): Promise<WrittenDraft> {
  const { ctx, metrics, job, signals } = writing
  const answers = await savedAnswers(ctx.db.root, job.key)
  const ask: Ask = async (name, inquiry, progress) => {
    const saved = answers.get(name)
    if (saved !== undefined) return saved
    signals.stopping.throwIfAborted()
    const question = await questionOf(writing, systemPrompt(brief), inquiry)
    await recordProgress(ctx.db.root, job, { progress })
    job.progress = progress
    ctx.changes.announce([jobChange(job.accountId, job.key)])
    try {
      const { text, tokens, tookMs } = await traced(ctx, model, name, () => model.ask(question, signals.now))
      metrics.used(tokens)
      const spent = { tokens, tookMs, now: ctx.clock.now() }
      if (!(await save(writing, { name, answer: text }, spent))) throw new LeaseLost()
      signals.now.throwIfAborted()
      writing.tokens += tokens.input + tokens.output
      job.tries = 1
      return text
    } catch (error) {
      if (error instanceof ModelError && error.tokens.input + error.tokens.output > 0) {
        const { tokens } = error
        metrics.used(tokens)
        await ctx.db.tx((tx) => recordSpent(tx, job, { tokens, tookMs: 0, now: ctx.clock.now() }))
      }
      signals.now.throwIfAborted()
      throw error
    }
  }
  return writeDraft(brief, ask)
}

/** Saves an answer as soon as the database answers: to ask again would cost again. Gives up once the lease is lost. */
async function save({ ctx, job, signals }: Writing, answer: NamedAnswer, spent: Spent): Promise<boolean> {
  const { clock, db } = ctx
  for (;;) {
    try {
      return await db.tx((tx) => saveAnswer(tx, job, answer, spent))
    } catch (error) {
      if (!isDatabaseGone(error) || signals.now.aborted) throw error
      await clock.sleep(SAVE_AGAIN_MS, signals.now)
    }
  }
}

function traced({ traces }: Needs, model: Model, question: string, ask: () => Promise<Answer>): Promise<Answer> {
  const facts = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': model.name,
    'postrider.question': question,
  }
  return traces.span({ name: 'ask', kind: 'client', facts }, async (span) => {
    const answer = await ask()
    const { input, output } = answer.tokens
    span.setAttributes({ 'gen_ai.usage.input_tokens': input, 'gen_ai.usage.output_tokens': output })
    return answer
  })
}

/** The question with its token budget. Throws LimitReached when the budget is too small for an answer. */
async function questionOf(
  { ctx: { clock, db, config }, job, tokens }: Writing,
  system: string,
  { prompt, words, shape }: Inquiry,
): Promise<Question> {
  const { tokensPerJob, tokensPerDay } = config.ai
  const inputTokens = estimateTokens(system) + estimateTokens(prompt)
  const needed = inputTokens + 2 * words
  if (tokensPerJob - tokens < needed) throw new LimitReached(jobLimit(tokensPerJob))
  const dayLeft =
    tokensPerDay === 'off'
      ? Number.POSITIVE_INFINITY
      : tokensPerDay - (await tokensToday(db.root, job.accountId, clock.now()))
  if (dayLeft < needed) throw new LimitReached(dayLimit(tokensPerDay))
  const tokensLeft = Math.min(tokensPerJob - tokens, dayLeft) - inputTokens
  return { system, prompt, shape, maxTokens: 4 * words + 1_000, tokensLeft }
}

const SAVED: Progress = { step: 'saving', done: 1 }

type Written = { draft: WrittenDraft; topic: string; generator: string }

async function recordDraft(tx: Tx, writing: Writing, { draft, topic, generator }: Written): Promise<void> {
  const { ctx, metrics, job, tokens } = writing
  const now = ctx.clock.now()
  const { body, words, warnings, keywords, faq, seoTitle, description } = draft
  const meta = { title: seoTitle, description }
  const post = await addDraft(ctx, tx, job.accountId, { ...draft, meta, body }, now)
  await endJob(tx, job.key, {
    status: 'complete',
    post_id: post.id,
    actual_words: words,
    report: JSON.stringify({ warnings, keywords, faq }),
    progress: JSON.stringify(SAVED),
    generator,
    finished_at: now,
  })
  const data = { job_id: job.key, topic, post: { id: post.id, name: draft.title } }
  await notify(ctx, tx, job.accountId, { name: 'draft.ready', data })
  ctx.changes.note(tx, [jobChange(job.accountId, job.key)])
  afterCommit(() => {
    metrics.ended('complete')
    const about = { job_id: job.key, post_id: post.id, generator, words, tokens, warnings: warnings.length }
    ctx.log.info('draft.finished', about)
  })
}

function afterFailure(ctx: Needs, metrics: DraftMetrics, job: LeasedJob, error: unknown): JobOutcome {
  const { kind, detail, retryAfterMs } =
    error instanceof ModelError ? error : { kind: 'internal' as const, detail: undefined, retryAfterMs: undefined }
  const reason = error instanceof ModelError ? { kind, detail } : { error: errorField(error) }
  const about = { job_id: job.key, tries: job.tries, ...reason }
  const waitMs = error instanceof LimitReached ? undefined : waitAfter(kind, job.tries, retryAfterMs)
  if (waitMs !== undefined) {
    ctx.log.warn('draft.postponed', { ...about, wait_ms: waitMs })
    return { retryAfterMs: waitMs }
  }
  const failure = jobErrorOf(error)
  ctx.log.error('draft.failed', { ...about, code: failure.code })
  return {
    async record(tx) {
      await endJob(tx, job.key, {
        status: 'failed',
        error: JSON.stringify(failure),
        progress: JSON.stringify(job.progress),
        finished_at: ctx.clock.now(),
      })
      const { topic = '' } = (await findJob(tx, job.accountId, job.key))?.brief ?? {}
      const data = { job_id: job.key, topic, reason: failure.message }
      await notify(ctx, tx, job.accountId, { name: 'draft.failed', data })
      ctx.changes.note(tx, [jobChange(job.accountId, job.key)])
      afterCommit(() => metrics.ended(failure.code))
    },
  }
}

function jobErrorOf(error: unknown): JobError {
  if (error instanceof LimitReached) return error.error
  if (error instanceof ModelError) return { code: `model_${error.kind}`, message: error.message }
  return INTERNAL_ERROR
}

function jobLimit(tokens: number): JobError {
  return {
    code: 'job_token_limit',
    message: `The draft would need more than the ${tokens} tokens allowed for one draft. Ask for a shorter one, or ask the operator to raise AI_TOKENS_PER_JOB.`,
  }
}

function dayLimit(tokens: number | 'off'): JobError {
  return {
    code: 'daily_token_limit',
    message: `The ${tokens} tokens that the account may use in a day are used up. Start the draft again after midnight UTC.`,
  }
}
