/** How the commands of authors reach their account: by the API, with a token. */
import { createClient, type PostriderClient, PostriderError } from '@postrider/sdk'
import { CommandError, EXIT, type Invocation, PROGRAM, UsageError } from '../command.ts'
import { type Login, readLogin } from './login-file.ts'

/** Where the service is if nobody says so. */
export const DEFAULT_URL = 'http://localhost:3000'

/** A limit on requests is waited for this long at a time. */
const MOST_WAIT_MS = 120_000

/** Does what a command asks of the account. Refusals and lost connections become sentences. */
export async function withAccount<Result>(
  { env }: Pick<Invocation, 'env'>,
  work: (client: PostriderClient) => Promise<Result>,
): Promise<Result> {
  const { url: baseUrl, token } = await loginOf(env)
  if (!URL.canParse(baseUrl)) throw new UsageError(`POSTRIDER_URL is no address: ${baseUrl}`)
  return reachService(baseUrl, () => work(createClient({ baseUrl, token, maxRetryWaitMs: MOST_WAIT_MS, retries: 5 })))
}

/** The token of the environment, or else the one of `login`. */
async function loginOf(env: Invocation['env']): Promise<Login> {
  const { POSTRIDER_URL: url, POSTRIDER_TOKEN: token } = env
  if (token !== undefined && token !== '') return { url: url ?? DEFAULT_URL, token }
  const login = await readLogin(env)
  if (login === undefined)
    throw new UsageError(
      `POSTRIDER_TOKEN is missing. Log in (${PROGRAM} login), or make a token in the dashboard (Account, Programs) and set it.`,
    )
  if (url !== undefined && !isSamePlace(url, login.url))
    throw new UsageError(
      `POSTRIDER_URL is ${url}, and you are logged in at ${login.url}: a token goes only where it was made. Log in there, or set POSTRIDER_TOKEN.`,
    )
  return login
}

function isSamePlace(a: string, b: string): boolean {
  return URL.canParse(a) && URL.canParse(b) && new URL(a).href === new URL(b).href
}

/** Does work that asks the service at an address. Refusals and lost connections become sentences. */
export async function reachService<Result>(url: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof PostriderError) throw new CommandError(sentenceOf(error))
    if (error instanceof TypeError && error.message === 'fetch failed')
      throw new CommandError(`Nothing answers at ${url}. Set POSTRIDER_URL to where the service is.`, EXIT.unavailable)
    throw error
  }
}

/** Why the service refused something. */
export function sentenceOf({ message, field }: PostriderError): string {
  return field === undefined ? message : `${field}: ${message}`
}
