/** How the commands of authors reach their account: by the API, with a token. */
import { createClient, type PostriderClient, PostriderError } from '@postrider/sdk'
import { CommandError, EXIT, type Invocation, UsageError } from '../command.ts'

/** A limit on requests is waited for this long at a time. */
const MOST_WAIT_MS = 120_000

/** Does what a command asks of the account. Refusals and lost connections become sentences. */
export async function withAccount<Result>(
  { env }: Pick<Invocation, 'env'>,
  work: (client: PostriderClient) => Promise<Result>,
): Promise<Result> {
  const { POSTRIDER_URL: baseUrl = 'http://localhost:3000', POSTRIDER_TOKEN: token } = env
  if (token === undefined || token === '')
    throw new UsageError('POSTRIDER_TOKEN is missing. Make a token in the dashboard (Account, Programs), and set it.')
  if (!URL.canParse(baseUrl)) throw new UsageError(`POSTRIDER_URL is no address: ${baseUrl}`)
  try {
    return await work(createClient({ baseUrl, token, maxRetryWaitMs: MOST_WAIT_MS, retries: 5 }))
  } catch (error) {
    if (error instanceof PostriderError) throw new CommandError(sentenceOf(error))
    if (error instanceof TypeError && error.message === 'fetch failed')
      throw new CommandError(
        `Nothing answers at ${baseUrl}. Set POSTRIDER_URL to where the service is.`,
        EXIT.unavailable,
      )
    throw error
  }
}

/** Why the service refused something. */
export function sentenceOf({ message, field }: PostriderError): string {
  return field === undefined ? message : `${field}: ${message}`
}
