/**
 * Runs the jobs that write drafts. A job is a row:
 *
 *     processing ──▶ complete   with a draft post, in the transaction that creates it
 *         │    └───▶ failed     with a reason
 *         └────────▶ (gone)     cancelled
 *
 * While a job is processing, `run_at` says when it is due, and a lease says which process works on it. The holder renews the
 * lease. If the holder dies, the lease expires and another process continues from the saved answers: each answer is saved before
 * the next question is asked, so no saved answer is asked for again. A holder records everything under its fence, so one that
 * lost its lease changes nothing when it comes back. After a temporary failure the job gets a later `run_at`; nothing waits in
 * memory. No transaction is open while a model is asked.
 */

import { plusMs } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { isAccountGone, isDatabaseGone } from '../platform/db/database.ts'
import { errorField } from '../platform/log.ts'
import type { StepResult } from '../platform/loop.ts'
import { addDraft } from '../posts/index.ts'
import { jobChange } from './changes.ts'
import {
  anyJobDue,
  completeJob,
  failJob,
  type JobLease,
  LeaseLost,
  leaseJobs,
  type NamedAnswer,
  noteProgress,
  postponeJob,
  recordSpent,
  renewLease,
  returnJob,
  type Spent,
  saveAnswer,
  savedAnswers,
  tokensToday,
} from './lease.ts'
import { type DraftMetrics, draftMetrics } from './metrics.ts'
import { connectModel } from './model/connect.ts'
import { type Answer, type Model, ModelError, type Question } from './model/model.ts'
import { estimateTokens } from './model/sdk-model.ts'
import { OUTLINE_WRITER, writeOutline } from './outline-writer/write-outline.ts'
import { MOST_LEASES, waitAfter } from './policy.ts'
import type { JobError } from './tables.ts'
import type { Ask, Inquiry } from './writing/desk.ts'
import { systemPrompt } from './writing/voice.ts'
import { type WrittenDraft, writeDraft } from './writing/write-draft.ts'

/** How long the jobs of a process that dies are held up. */
const LEASE_MS = 60_000
const RENEW_MS = 20_000
/** The wait before another try to save an answer. */
const SAVE_AGAIN_MS = 1_000

type Needs = Pick<Context, 'changes' | 'clock' | 'db' | 'egress' | 'ids' | 'log' | 'metrics' | 'config' | 'traces'>

/** The process ends, or a limit is reached: neither is a failure of the model. */
class Stopping extends Error {}
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

/** Runs this process's jobs. */
export class DraftWriter {
  readonly #ctx: Needs
  readonly #model: Model | undefined
  readonly #metrics: DraftMetrics
  readonly #onCapacity: () => void
  readonly #atWork = new Map<string, { done: Promise<void>; abort: AbortController }>()
  #stopping = false

  /** Calls `onCapacity` when a place becomes free and a step may fill it. */
  constructor(ctx: Needs, onCapacity: () => void) {
    const { model } = ctx.config.ai
    this.#ctx = ctx
    this.#model = model && connectModel(ctx.egress, model)
    this.#metrics = draftMetrics(ctx.metrics)
    this.#onCapacity = onCapacity
  }

  /** Starts the jobs that are due, as far as there are places; does not wait for them. One call at a time. */
  async step(): Promise<StepResult> {
    const { clock, db, config } = this.#ctx
    const limit = config.ai.jobs - this.#atWork.size
    if (this.#stopping || limit <= 0 || !(await anyJobDue(db.root, clock))) return { again: false }
    const wanted = { limit, perAccount: config.ai.jobsPerAccount, held: [...this.#atWork.keys()], ms: LEASE_MS }
    const untilMs = clock.monotonicMs() + LEASE_MS
    const leases = await db.tx((tx) => leaseJobs(tx, clock, wanted))
    for (const lease of leases) this.#begin(lease, untilMs)
    return { again: leases.length > 0 }
  }

  /** Runs until no job is due and none is running. */
  async drain(): Promise<void> {
    do await this.#idle()
    while ((await this.step()).again)
    await this.#idle()
  }

  /** Stops the work on a job that was cancelled. */
  cancelled(jobId: string | undefined): void {
    if (jobId !== undefined) this.#atWork.get(jobId)?.abort.abort(new LeaseLost())
  }

  /**
   * Asks no more questions, waits `graceMs` for answers in flight, then returns the jobs; another process, or the next start,
   * continues them. Call it when no step runs.
   */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true
    const patience = new AbortController()
    await Promise.race([this.#idle(), this.#ctx.clock.sleep(graceMs, patience.signal)])
    patience.abort()
    for (const { abort } of this.#atWork.values()) abort.abort(new Stopping())
    await this.#idle()
  }

  async #idle(): Promise<void> {
    while (this.#atWork.size > 0) await Promise.all([...this.#atWork.values()].map(({ done }) => done))
  }

  #begin(lease: JobLease, untilMs: number): void {
    const abort = new AbortController()
    const facts = { 'postrider.job_id': lease.id, 'postrider.try': lease.tries }
    const work = { name: 'write draft', kind: 'internal', facts } as const
    const done = this.#ctx.traces
      .span(work, () => this.#work(lease, untilMs, abort))
      .finally(() => {
        this.#atWork.delete(lease.id)
        this.#onCapacity()
      })
    this.#atWork.set(lease.id, { done, abort })
  }

  /** Works on a job and records the outcome. Never rejects: work that is not recorded is repeated when the lease expires. */
  async #work(lease: JobLease, untilMs: number, abort: AbortController): Promise<void> {
    const over = new AbortController()
    const keeping = this.#keepLease(lease, untilMs, abort, over.signal)
    try {
      if (lease.tries > MOST_LEASES) throw new LimitReached(INTERNAL_ERROR)
      const draft = await this.#write(lease, abort.signal)
      await this.#complete(lease, draft)
    } catch (error) {
      await this.#settleFailure(lease, error).catch((failure) => {
        if (!(failure instanceof LeaseLost))
          this.#ctx.log.error('draft.not_settled', { job_id: lease.id, error: errorField(failure) })
      })
    } finally {
      over.abort()
      await keeping
    }
  }

  async #write(lease: JobLease, signal: AbortSignal): Promise<WrittenDraft> {
    const { brief } = lease
    if (this.#model === undefined) return writeOutline(brief)
    const answers = await savedAnswers(this.#ctx.db.root, lease.id)
    const ask = this.#asking(this.#model, lease, signal)
    return writeDraft(brief, async (name, inquiry, progress) => answers.get(name) ?? ask(name, inquiry, progress))
  }

  /** Asks a job's questions and saves the answers. */
  #asking(model: Model, lease: JobLease, signal: AbortSignal): Ask {
    const { clock, db } = this.#ctx
    return async (name, inquiry, progress) => {
      if (this.#stopping) throw new Stopping()
      const question = await this.#question(lease, inquiry)
      await noteProgress(db.root, lease, progress)
      this.#ctx.changes.tell([jobChange(lease.accountId, lease.id)])
      try {
        const { text, tokens, tookMs } = await this.#traced(model, name, () => model.ask(question, signal))
        this.#metrics.used(tokens)
        const spent = { tokens, tookMs, now: clock.now() }
        if (!(await this.#save(lease, { name, answer: text }, spent, signal))) throw new LeaseLost()
        signal.throwIfAborted()
        lease.tokens += tokens.input + tokens.output
        lease.tries = 1
        return text
      } catch (error) {
        if (error instanceof ModelError && error.tokens.input + error.tokens.output > 0) {
          const { tokens } = error
          this.#metrics.used(tokens)
          await db.tx((tx) => recordSpent(tx, lease, { tokens, tookMs: 0, now: clock.now() }))
        }
        signal.throwIfAborted()
        throw error
      }
    }
  }

  /** Saves an answer as soon as the database answers: to ask again would cost again. `signal` aborts when the lease has run out. */
  async #save(lease: JobLease, answer: NamedAnswer, spent: Spent, signal: AbortSignal): Promise<boolean> {
    const { clock, db } = this.#ctx
    for (;;) {
      try {
        return await db.tx((tx) => saveAnswer(tx, lease, answer, spent))
      } catch (error) {
        if (!isDatabaseGone(error) || signal.aborted) throw error
        await clock.sleep(SAVE_AGAIN_MS, signal)
      }
    }
  }

  #traced(model: Model, question: string, ask: () => Promise<Answer>): Promise<Answer> {
    const facts = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': model.name,
      'postrider.question': question,
    }
    return this.#ctx.traces.span({ name: 'ask', kind: 'client', facts }, async (span) => {
      const answer = await ask()
      const { input, output } = answer.tokens
      span.tell({ 'gen_ai.usage.input_tokens': input, 'gen_ai.usage.output_tokens': output })
      return answer
    })
  }

  /** The question with its token budget. Throws LimitReached when the budget is too small for an answer. */
  async #question(lease: JobLease, { prompt, words, shape }: Inquiry): Promise<Question> {
    const { clock, db, config } = this.#ctx
    const { tokensPerJob, tokensPerDay } = config.ai
    const system = systemPrompt(lease.brief)
    const asking = estimateTokens(system) + estimateTokens(prompt)
    const needed = asking + 2 * words
    if (tokensPerJob - lease.tokens < needed) throw new LimitReached(jobLimit(tokensPerJob))
    const dayLeft =
      tokensPerDay === 'off'
        ? Number.POSITIVE_INFINITY
        : tokensPerDay - (await tokensToday(db.root, lease.accountId, clock.now()))
    if (dayLeft < needed) throw new LimitReached(dayLimit(tokensPerDay))
    const tokensLeft = Math.min(tokensPerJob - lease.tokens, dayLeft) - asking
    return { system, prompt, shape, maxTokens: 4 * words + 1_000, tokensLeft }
  }

  async #complete(lease: JobLease, draft: WrittenDraft): Promise<void> {
    const { clock, db, log } = this.#ctx
    const now = clock.now()
    const generator = this.#model?.name ?? OUTLINE_WRITER
    const { body, words, warnings, keywords, faq, seoTitle, description } = draft
    const postId = await db.tx(async (tx) => {
      const meta = { title: seoTitle, description }
      const post = await addDraft(this.#ctx, tx, lease.accountId, { ...draft, meta, body }, now)
      await completeJob(tx, lease, { postId: post.id, words, report: { warnings, keywords, faq }, generator, now })
      this.#ctx.changes.note(tx, [jobChange(lease.accountId, lease.id)])
      return post.id
    })
    this.#metrics.ended('complete')
    log.info('draft.finished', {
      job_id: lease.id,
      post_id: postId,
      generator,
      words,
      tokens: lease.tokens,
      warnings: warnings.length,
    })
  }

  async #settleFailure(lease: JobLease, error: unknown): Promise<void> {
    const { clock, db, log } = this.#ctx
    const about = { job_id: lease.id, tries: lease.tries }
    if (error instanceof LeaseLost || isAccountGone(error)) return log.info('draft.given_up', about)
    if (error instanceof Stopping) return returnJob(db.root, lease)
    if (isDatabaseGone(error)) return log.error('draft.interrupted', { ...about, error: errorField(error) })
    const kind = error instanceof ModelError ? error.kind : 'internal'
    const retryAfterMs = error instanceof ModelError ? error.retryAfterMs : undefined
    const reason = error instanceof ModelError ? { kind, detail: error.detail } : { error: errorField(error) }
    const waitMs = error instanceof LimitReached ? undefined : waitAfter(kind, lease.tries, retryAfterMs)
    if (waitMs !== undefined) {
      log.warn('draft.postponed', { ...about, ...reason, wait_ms: waitMs })
      return postponeJob(db.root, lease, plusMs(clock.now(), waitMs))
    }
    const failure = jobErrorOf(error)
    log.error('draft.failed', { ...about, ...reason, code: failure.code })
    await db.tx(async (tx) => {
      await failJob(tx, lease, failure, clock.now())
      this.#ctx.changes.note(tx, [jobChange(lease.accountId, lease.id)])
    })
    this.#metrics.ended(failure.code)
  }

  /** Renews the lease until `over` aborts; aborts the work when it is lost. `firstMs`: its first end on the monotonic clock. */
  async #keepLease(lease: JobLease, firstMs: number, abort: AbortController, over: AbortSignal): Promise<void> {
    const { clock, db, log } = this.#ctx
    for (let untilMs = firstMs; ; ) {
      await clock.sleep(RENEW_MS, over)
      if (over.aborted) return
      const nextMs = clock.monotonicMs() + LEASE_MS
      try {
        if (!(await renewLease(db.root, clock, lease, LEASE_MS))) return abort.abort(new LeaseLost())
        untilMs = nextMs
      } catch (error) {
        log.warn('draft.lease_not_renewed', { job_id: lease.id, error: errorField(error) })
        if (clock.monotonicMs() >= untilMs) return abort.abort(new LeaseLost())
      }
    }
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
