/** The SDK's client of the service that served this page. */
import { createClient, PostriderError } from '@postrider/sdk'
import { fetchInSession, UnreachableError } from './session.ts'

/** The one client. */
export const api = createClient({ baseUrl: location.origin, fetch: fetchInSession })

/** What the service says of itself. It does so beside its API, so the SDK does not ask it. */
export async function describeService(): Promise<{
  isRegistrationOpen: boolean
  sendsMail: boolean
  sampleSite: string | null
}> {
  const answer = await fetch('/api')
  if (!answer.ok) throw new Error(`GET /api answered ${answer.status}`)
  const card: { registration?: unknown; mail?: unknown; sample_site?: unknown } = await answer.json()
  return {
    isRegistrationOpen: card.registration !== 'closed',
    sendsMail: card.mail === true,
    sampleSite: typeof card.sample_site === 'string' ? card.sample_site : null,
  }
}

/** Whether the service requires signing in. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof PostriderError && error.status === 401
}

/** Whether what was asked for does not exist, or no longer. */
export function isMissing(error: unknown): boolean {
  return error instanceof PostriderError && error.status === 404
}

/** What was asked for; undefined if it is not there. */
export async function unlessMissing<Found>(asked: Promise<Found>): Promise<Found | undefined> {
  try {
    return await asked
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Whether the service refused something, or was not reached, or not in time; otherwise the dashboard itself has a fault. */
export function isOfService(error: unknown): boolean {
  return [PostriderError, UnreachableError, DOMException].some((kind) => error instanceof kind)
}

/** Explains an error to people: what is wrong, and what helps. */
export function explain(error: unknown): { title: string; detail: string } {
  if (!(error instanceof PostriderError)) {
    return {
      title: 'The service cannot be reached',
      detail: 'Check your connection, then try again. What you have written is still here.',
    }
  }
  if (error.status === 429) return { title: 'A limit is reached', detail: error.message }
  if (error.status >= 500) {
    const id = error.requestId === undefined ? '' : ` The request_id is ${error.requestId}.`
    return { title: 'The service has a problem', detail: `${error.message}${id}` }
  }
  if (error.status === 404)
    return { title: 'There is nothing here', detail: 'What you asked for does not exist. It may have been deleted.' }
  return { title: 'That did not work', detail: error.message }
}

/** The error in one sentence. */
export function sentence(error: unknown): string {
  const { title, detail } = explain(error)
  return error instanceof PostriderError && error.status < 500 ? detail : `${title}. ${detail}`
}

/** The error message for one field of a form, by the field's dotted name in the API. */
export function problemOf(error: unknown, field: string): string | undefined {
  return error instanceof PostriderError && error.field === field ? error.message : undefined
}
