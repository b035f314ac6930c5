/** Fetching a page of a site as a visitor would, within bounds and without leaving the site. */
import type { Egress, EgressOutcome } from '../platform/egress/egress.ts'
import { redirectWithinSite } from './same-site.ts'

/** The most that a fetch may take: of time in milliseconds, of the body in bytes, of requests after the first. */
export type PageBounds = { deadlineMs: number; maxResponseBytes: number; mostRedirects: number; signal: AbortSignal }

/** How a fetch ended, and at which address. A redirect that was not followed is an answer like any other. */
export type FetchedPage = { url: URL; outcome: EgressOutcome }

const OUT_OF_TIME: EgressOutcome = {
  kind: 'unreachable',
  cause: 'timeout',
  detail: 'redirects took too long',
  tookMs: 0,
}

/** Fetches a page, following redirects within the site. Never throws. */
export async function fetchPage(
  egress: Egress,
  address: URL,
  { deadlineMs, maxResponseBytes, mostRedirects, signal }: PageBounds,
): Promise<FetchedPage> {
  const headers = { accept: 'text/html, */*;q=0.1' }
  let url = address
  let leftMs = deadlineMs
  for (let redirects = 0; ; redirects += 1) {
    const request = { method: 'GET', url: url.href, headers, deadlineMs: leftMs, maxResponseBytes, signal } as const
    const outcome = await egress.send(request)
    leftMs -= outcome.tookMs
    const next = nextAddress(url, outcome)
    if (signal.aborted || next === undefined || redirects === mostRedirects) return { url, outcome }
    if (leftMs <= 0) return { url: next, outcome: OUT_OF_TIME }
    url = next
  }
}

/** The next address: a redirect within the site, or https instead of http, because public sites are called by https only. */
function nextAddress(url: URL, outcome: EgressOutcome): URL | undefined {
  if (outcome.kind === 'response')
    return isRedirect(outcome) ? redirectWithinSite(url, outcome.headers.location) : undefined
  if (outcome.cause !== 'blocked_address' || url.protocol !== 'http:') return undefined
  return new URL(url.href.replace('http:', 'https:'))
}

/** Whether an answer sends its reader elsewhere. */
export function isRedirect({ status }: { status: number }): boolean {
  return status >= 300 && status < 400
}

/**
 * A body as text; empty when the site compressed it although no compression was requested. UTF-8 unless the answer or a byte order mark
 * says otherwise: what is written in a page itself about its encoding is not read.
 */
export function textOf({ headers, body }: Extract<EgressOutcome, { kind: 'response' }>): string {
  if (!/^(?:identity)?$/i.test(headers['content-encoding'] ?? '')) return ''
  const [first, second] = body
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(body)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(body)
  const named = /charset="?([\w-]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(named).decode(body)
  } catch {
    return new TextDecoder().decode(body)
  }
}
