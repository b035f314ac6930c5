import { z } from 'zod'
import { accountAuth } from '../accounts/index.ts'
import { type Endpoint, endpoint, Id, Timestamp } from '../platform/http/endpoint.ts'
import { text } from '../platform/http/text.ts'
import { PostBody, presentPost } from '../posts/index.ts'
import { LENGTHS, TARGET_WORDS, TONES } from './brief.ts'
import { exampleBegun, exampleComplete, exampleFailed, exampleRequests, exampleUnderWay } from './examples.ts'
import { getJob, type Job, removeJob, startJob } from './operations.ts'
import { JOB_STATUSES, type JobRow } from './tables.ts'
import type { FaqItem } from './writing/faq.ts'
import type { KeywordUse } from './writing/report.ts'

const GenerateDraft = z
  .strictObject({
    topic: text('The topic', { min: 3, max: 500 }).openapi({ example: 'How to water tomatoes in a hot summer' }),
    site_id: z.string('site_id must be a string.').optional().openapi({
      description: 'Writes the draft for the readers of this site, using its niche and its published posts.',
    }),
    length: z
      .enum(LENGTHS, 'The length must be "short", "medium" or "long".')
      .default('medium')
      .openapi({ description: '`short`, `medium` and `long` are about 800, 1,500 and 2,500 words.' }),
    tone: z
      .enum(TONES, 'The tone must be "professional", "casual", "educational" or "persuasive".')
      .default('professional'),
    include_faq: z.boolean('include_faq must be true or false.').default(false),
    target_keywords: z
      .array(text('A keyword', { min: 1, max: 80 }), 'target_keywords must be an array of strings.')
      .max(20, 'At most 20 target_keywords are allowed.')
      .default([])
      .openapi({ description: 'The first is the main keyword.', example: ['watering tomatoes', 'blossom end rot'] }),
  })
  .openapi('GenerateDraft')

const ProgressBody = z.object({
  step: z.enum(['outline', 'sections', 'faq', 'details', 'saving']),
  percent: z.int().openapi({ description: 'How much of the whole job is done.' }),
  part: z.int().optional().openapi({ description: 'While sections are written: the number of the current one.' }),
  parts: z
    .int()
    .optional()
    .openapi({ description: 'While sections are written: how many there are, introduction and conclusion included.' }),
})

const KeywordBody = z.object({
  keyword: z.string(),
  primary: z.boolean(),
  occurrences: z.int(),
  density: z.number().openapi({ description: "The keyword's share of all words, in percent." }),
  in_title: z.boolean(),
  in_slug: z.boolean(),
  in_description: z.boolean(),
  in_introduction: z.boolean().openapi({ description: 'Whether the keyword occurs in the first 100 words.' }),
  in_headings: z.boolean(),
})

const FaqBody = z.object({ question: z.string(), answer: z.string() })

const GenerationStatus = z
  .enum(JOB_STATUSES)
  .openapi('GenerationStatus', { description: '`complete`: the draft is ready.' })

const JobErrorBody = z.object({ code: z.string(), message: z.string() })

const FaqPage = z
  .object({
    '@context': z.literal('https://schema.org'),
    '@type': z.literal('FAQPage'),
    mainEntity: z.array(
      z.object({
        '@type': z.literal('Question'),
        name: z.string(),
        acceptedAnswer: z.object({ '@type': z.literal('Answer'), text: z.string() }),
      }),
    ),
  })
  .openapi('FaqPage')

const GenerationJob = z
  .object({
    job_id: Id,
    status: GenerationStatus,
    poll_url: z.string().openapi({ example: '/api/posts/generate/019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11' }),
    estimated_seconds: z
      .int()
      .openapi({ description: "Estimated seconds until the job is finished, from past jobs and this one's progress." }),
    progress: ProgressBody,
    generator: z.string().openapi({
      description: '`outline` if no language model is configured; otherwise provider and model.',
      example: 'openai-compatible/llama3.1',
    }),
    target_words: z.int(),
    actual_words: z
      .int()
      .nullable()
      .openapi({ description: 'The number of words of the body; null until the job is complete.' }),
    warnings: z.array(z.string()).openapi({ description: 'What to check before publishing.' }),
    keywords: z.array(KeywordBody),
    faq: z.array(FaqBody).openapi({ description: 'The questions and answers at the end of the body.' }),
    structured_data: FaqPage.nullable().openapi({
      description: 'The FAQ as JSON-LD, to be embedded in the page; null without a FAQ.',
    }),
    tokens: z.object({ input: z.int(), output: z.int() }),
    error: JobErrorBody.optional().openapi({ description: 'Why the job failed, and what to do about it.' }),
    post: PostBody.optional().openapi({
      description: 'The draft, once the job is complete; absent if it has been deleted since.',
    }),
    created_at: Timestamp,
    finished_at: Timestamp.nullable(),
  })
  .openapi('GenerationJob')

const JobParams = z.object({
  job_id: z.string().openapi({ description: 'The id of the job.', example: exampleBegun.job_id }),
})

function present({ row, estimatedSeconds, post }: Job) {
  const { report, error } = row
  const faq = report?.faq ?? []
  return {
    job_id: row.id,
    status: row.status,
    poll_url: `/api/posts/generate/${row.id}`,
    estimated_seconds: estimatedSeconds,
    progress: presentProgress(row),
    generator: row.generator,
    target_words: TARGET_WORDS[row.brief.length],
    actual_words: row.actual_words,
    warnings: report?.warnings ?? [],
    keywords: (report?.keywords ?? []).map(presentKeyword),
    faq,
    structured_data: structuredData(faq),
    tokens: { input: row.input_tokens, output: row.output_tokens },
    ...(error === null ? {} : { error }),
    ...(post === undefined ? {} : { post: presentPost(post) }),
    created_at: row.created_at,
    finished_at: row.finished_at,
  }
}

function presentProgress({ progress: { done, ...step } }: JobRow) {
  return { ...step, percent: Math.round(done * 100) }
}

function presentKeyword({ keyword, primary, occurrences, density, ...places }: KeywordUse) {
  return {
    keyword,
    primary,
    occurrences,
    density,
    in_title: places.inTitle,
    in_slug: places.inSlug,
    in_description: places.inDescription,
    in_introduction: places.inIntroduction,
    in_headings: places.inHeadings,
  }
}

function structuredData(faq: readonly FaqItem[]): z.output<typeof FaqPage> | null {
  if (faq.length === 0) return null
  return {
    '@context': 'https://schema.org',
    '@type': 'FAQPage',
    mainEntity: faq.map(({ question, answer }) => ({
      '@type': 'Question',
      name: question,
      acceptedAnswer: { '@type': 'Answer', text: answer },
    })),
  }
}

const shared = { tag: 'Posts' } as const

/** Drafts (specification, section 4; decisions G1 to G3). */
export const generationRoutes: Endpoint[] = [
  endpoint({
    ...shared,
    method: 'post',
    path: '/api/posts/generate',
    auth: accountAuth('generate'),
    name: 'generateDraft',
    summary: 'Generate a draft',
    description:
      'Starts a job that writes a draft on a topic; poll it until it is complete. The job never publishes the draft. If no language model is configured, the draft is an outline to write from, and says so.',
    body: GenerateDraft,
    bodyExamples: exampleRequests,
    replies: {
      202: {
        description: 'The new job.',
        schema: GenerationJob,
        examples: { 'A new job': exampleBegun },
        headers: { Location: { description: 'The `poll_url`.', example: exampleBegun.poll_url } },
      },
    },
    errors: [],
    async handler({ ctx, principal, body }) {
      const job = await startJob(ctx, principal.accountId, {
        topic: body.topic,
        siteId: body.site_id,
        length: body.length,
        tone: body.tone,
        includeFaq: body.include_faq,
        keywords: [...new Set(body.target_keywords)],
      })
      const presented = present(job)
      return { status: 202, body: presented, headers: { Location: presented.poll_url } }
    },
  }),
  endpoint({
    ...shared,
    method: 'get',
    path: '/api/posts/generate/{job_id}',
    auth: accountAuth('generate'),
    name: 'getGenerationJob',
    summary: 'Get a generation job',
    description:
      'The state of the job and, once it is complete, the draft. Jobs are kept for 30 days after they finish.',
    params: JobParams,
    replies: {
      200: {
        description: 'The job, with the draft once it is complete.',
        schema: GenerationJob,
        examples: { Complete: exampleComplete, 'In progress': exampleUnderWay, Failed: exampleFailed },
        headers: {
          'Cache-Control': {
            description: 'The job changes while it runs: do not store the response.',
            example: 'no-store',
          },
        },
      },
    },
    errors: [],
    async handler({ ctx, principal, params }) {
      const job = await getJob(ctx, principal.accountId, params.job_id)
      return { status: 200, body: present(job), headers: { 'Cache-Control': 'no-store' } }
    },
  }),
  endpoint({
    ...shared,
    method: 'delete',
    path: '/api/posts/generate/{job_id}',
    auth: accountAuth('generate'),
    name: 'cancelGenerationJob',
    summary: 'Cancel a job',
    description: 'Stops the work at once and deletes the job. A draft that is already complete stays.',
    params: JobParams,
    replies: { 204: { description: 'The job is deleted.', schema: null } },
    errors: [],
    async handler({ ctx, principal, params }) {
      await removeJob(ctx, principal.accountId, params.job_id)
      return { status: 204 }
    },
  }),
]
