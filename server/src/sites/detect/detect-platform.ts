/**
 * Looks at a site from outside: one page, then a probe for each platform that the page suggests until one confirms.
 * Bounded in time, bytes and requests; every request passes the guard of `platform/egress`.
 */
import type { Egress, EgressOutcome } from '../../platform/egress/egress.ts'
import type { Platform } from '../tables.ts'
import { type Suggestion, suggestPlatforms } from './clues.ts'
import { confirms, type ProbeAnswer } from './confirms.ts'
import { readMarkup } from './markup.ts'
import { redirectWithinSite } from './same-site.ts'

/**
 * The result of a look. `settled`: the platform, or `custom` if none was recognised or the site cannot be called (`unreached` says why).
 * `later`: the site did not answer properly, which may be temporary. `interrupted`: the caller's signal ended the look.
 */
export type Look =
  | { kind: 'settled'; platform: Platform; unreached?: string }
  | { kind: 'later'; reason: string }
  | { kind: 'interrupted' }

/** Time limits in milliseconds: for the page with its redirects, and for all probes together. */
const PAGE_MS = 8_000
const PROBES_MS = 8_000

const PAGE_BYTES = 256 * 1024
const PROBE_BYTES = 64 * 1024
const MOST_REDIRECTS = 2

const PASSING_CAUSES = new Set([
  'timeout',
  'dns_error',
  'connection_refused',
  'connection_reset',
  'tls_error',
  'network_error',
])
const PASSING_STATUSES = new Set([408, 425, 429])

type Answer = EgressOutcome & { kind: 'response' }

/** Finds out what the site at `address` runs on. Never throws. */
export async function detectPlatform(egress: Egress, address: string, signal: AbortSignal): Promise<Look> {
  const found = await fetchPage(egress, address, signal)
  if (found.kind !== 'page') return found
  const { url, answer } = found
  const markup = readMarkup(isHtml(answer) ? textOf(answer) : '')
  return probe(egress, suggestPlatforms({ url, headers: answer.headers, markup }), signal)
}

async function fetchPage(
  egress: Egress,
  address: string,
  signal: AbortSignal,
): Promise<Look | { kind: 'page'; url: URL; answer: Answer }> {
  let url = URL.parse(address) ?? undefined
  if (url === undefined) return { kind: 'settled', platform: 'custom', unreached: 'invalid_url' }
  let leftMs = PAGE_MS
  for (let redirects = 0; url !== undefined && redirects <= MOST_REDIRECTS; redirects += 1) {
    const headers = { accept: 'text/html, */*;q=0.1' }
    const answer = await get(egress, url, { headers, deadlineMs: leftMs, maxResponseBytes: PAGE_BYTES, signal })
    leftMs -= answer.tookMs
    if (signal.aborted) return { kind: 'interrupted' }
    if (passes(answer)) return { kind: 'later', reason: reasonOf(answer) }
    if (answer.kind === 'response' && answer.status === 200) return { kind: 'page', url, answer }
    url = nextAddress(url, answer)
    if (url === undefined && answer.kind === 'unreachable')
      return { kind: 'settled', platform: 'custom', unreached: answer.cause }
    if (url !== undefined && leftMs <= 0) return { kind: 'later', reason: 'timeout' }
  }
  return { kind: 'settled', platform: 'custom' }
}

/** The next address: a redirect within the site, or https instead of http, because public sites are called by https only. */
function nextAddress(url: URL, answer: EgressOutcome): URL | undefined {
  if (answer.kind === 'response') {
    return answer.status >= 300 && answer.status < 400 ? redirectWithinSite(url, answer.headers.location) : undefined
  }
  if (answer.cause !== 'blocked_address' || url.protocol !== 'http:') return undefined
  return new URL(url.href.replace('http:', 'https:'))
}

async function probe(egress: Egress, suggestions: Suggestion[], signal: AbortSignal): Promise<Look> {
  let leftMs = PROBES_MS
  let passing: string | undefined
  for (const { platform, probe } of suggestions) {
    if (leftMs <= 0) return { kind: 'later', reason: 'timeout' }
    const answer = await get(egress, probe, {
      headers: { accept: '*/*' },
      deadlineMs: leftMs,
      maxResponseBytes: PROBE_BYTES,
      signal,
    })
    leftMs -= answer.tookMs
    if (signal.aborted) return { kind: 'interrupted' }
    if (answer.kind === 'response' && confirms(platform, probeAnswer(answer))) return { kind: 'settled', platform }
    if (passes(answer)) passing ??= reasonOf(answer)
  }
  return passing === undefined ? { kind: 'settled', platform: 'custom' } : { kind: 'later', reason: passing }
}

function probeAnswer(answer: Answer): ProbeAnswer {
  const { status, headers, truncated } = answer
  return { status, headers, truncated, text: textOf(answer) }
}

type Limits = {
  headers: Record<string, string>
  deadlineMs: number
  maxResponseBytes: number
  signal: AbortSignal
}

function get(egress: Egress, url: URL, limits: Limits): Promise<EgressOutcome> {
  return egress.send({ method: 'GET', url: url.href, ...limits })
}

/** Whether a later try may succeed. */
function passes(answer: EgressOutcome): boolean {
  if (answer.kind === 'unreachable') return PASSING_CAUSES.has(answer.cause)
  return answer.status >= 500 || PASSING_STATUSES.has(answer.status)
}

function reasonOf(answer: EgressOutcome): string {
  return answer.kind === 'unreachable' ? answer.cause : `status ${answer.status}`
}

function isHtml({ headers }: Answer): boolean {
  return /html/i.test(headers['content-type'] ?? '')
}

/**
 * The body as text; empty when the site compressed it although no compression was requested. The clues are ASCII, so the
 * encoding hardly matters: UTF-8 reads the ASCII of every encoding in use except UTF-16, which begins with a byte order mark.
 */
function textOf({ headers, body }: Answer): string {
  if (!/^(?:identity)?$/i.test(headers['content-encoding'] ?? '')) return ''
  const [first, second] = body
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  return new TextDecoder(encoding).decode(body)
}
