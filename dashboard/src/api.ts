/** The SDK's client of the service that served this page. */
import { createClient, PostriderError } from '@postrider/sdk'
import { fetchInSession } from './session.ts'

/** The one client. */
export const api = createClient({ baseUrl: location.origin, fetch: fetchInSession })

/** Whether anybody may create an account here. The service says so beside its API, so the SDK does not ask it. */
export async function isRegistrationOpen(): Promise<boolean> {
  const answer = await fetch('/api')
  if (!answer.ok) throw new Error(`GET /api answered ${answer.status}`)
  const card: { registration?: unknown } = await answer.json()
  return card.registration !== 'closed'
}

/** Whether the service requires signing in. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof PostriderError && error.status === 401
}

/** Whether what was asked for does not exist, or no longer. */
export function isMissing(error: unknown): boolean {
  return error instanceof PostriderError && error.status === 404
}

/** Explains an error to people: what is wrong, and what helps. */
export function explain(error: unknown): { title: string; detail: string } {
  if (!(error instanceof PostriderError)) {
    return {
      title: 'The service cannot be reached',
      detail: 'Check the connection. Nothing is lost: what you have written is kept here.',
    }
  }
  if (error.status === 429) {
    const wait = error.retryAfter === undefined ? 'a while' : `${error.retryAfter} seconds`
    return { title: 'Too many requests', detail: `Wait ${wait} and try again.` }
  }
  if (error.status >= 500) {
    const id = error.requestId === undefined ? '' : ` If it persists, report the request ${error.requestId}.`
    return { title: 'The service has a problem', detail: `${error.message}${error.status === 500 ? '' : id}` }
  }
  if (error.status === 404) return { title: 'There is nothing here', detail: 'It may have been deleted.' }
  return { title: 'That did not work', detail: error.message }
}

/** The error in one sentence. */
export function sentence(error: unknown): string {
  const { title, detail } = explain(error)
  return error instanceof PostriderError && error.status < 500 && error.status !== 429 ? detail : `${title}. ${detail}`
}

/** The error message for one field of a form, by the field's dotted name in the API. */
export function problemOf(error: unknown, field: string): string | undefined {
  return error instanceof PostriderError && error.field === field ? error.message : undefined
}
