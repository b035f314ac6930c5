import type { GenerateDraft, GenerationJob, PostriderClient } from '@postrider/sdk'
import type { ModelServer } from './model-server.ts'
import type { TestService } from './service.ts'

/** The environment of a service whose drafts this model writes. */
export function writtenBy(
  { baseUrl }: Pick<ModelServer, 'baseUrl'>,
  more: Record<string, string> = {},
): Record<string, string> {
  return { AI_BASE_URL: baseUrl, AI_MODEL: 'test-model', AI_TIMEOUT: '10s', ...more }
}

/** Longer than any wait between two attempts. */
const LONGEST_WAIT_MS = 16 * 60_000
const MOST_ROUNDS = 12

/** Has a draft written, moving time past every wait. Resolves with the ended job, or with the running one after `MOST_ROUNDS`. */
export async function writeDraft(
  service: Pick<TestService, 'drain' | 'advance'>,
  client: PostriderClient,
  input: GenerateDraft,
): Promise<GenerationJob> {
  const { job_id: jobId } = await client.drafts.generate(input)
  return finishDraft(service, client, jobId)
}

/** The same for a job that was begun before. */
export async function finishDraft(
  service: Pick<TestService, 'drain' | 'advance'>,
  client: PostriderClient,
  jobId: string,
): Promise<GenerationJob> {
  await service.drain()
  for (let round = 1; ; round += 1) {
    const job = await client.drafts.job(jobId)
    if (job.status !== 'processing' || round === MOST_ROUNDS) return job
    await service.advance(LONGEST_WAIT_MS)
  }
}
