/** Tools that have a draft generated, with the account's budget and limits. */
import type { GenerationJob } from '@postrider/sdk'
import { z } from 'zod'
import { tool } from './tool.ts'

/** A job in short. */
function short({ job_id, status, progress, post, warnings, estimated_seconds, error }: GenerationJob) {
  return {
    job_id,
    status,
    percent: progress.percent,
    estimated_seconds,
    ...(warnings.length > 0 ? { warnings } : {}),
    post_id: post?.id,
    title: post?.title,
    error,
  }
}

export const generateDraft = tool({
  name: 'generate_draft',
  title: 'Have a draft generated',
  description:
    "Begins to write a draft with the service's own model; generation_status tells when it is there. Write with create_draft if you write yourself.",
  uses: ['generateDraft'],
  readOnly: false,
  input: z.strictObject({
    topic: z.string(),
    site_id: z.string().optional().describe('The site whose subject and readers it is written for.'),
    tone: z.enum(['professional', 'casual', 'educational', 'persuasive']).optional(),
    length: z.enum(['short', 'medium', 'long']).optional(),
    target_keywords: z.array(z.string()).optional(),
    include_faq: z.boolean().optional(),
  }),
  async run(call, body) {
    return short((await call<GenerationJob>('generateDraft', { body })).body)
  },
})

export const generationStatus = tool({
  name: 'generation_status',
  title: 'See how far a draft is',
  description: 'Returns the progress of generate_draft and, once it is complete, the id of the post.',
  uses: ['getGenerationJob'],
  readOnly: true,
  input: z.strictObject({ job_id: z.string() }),
  async run(call, params) {
    return short((await call<GenerationJob>('getGenerationJob', { params })).body)
  },
})
