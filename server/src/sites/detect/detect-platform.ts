/**
 * Looks at a site from outside: one page, then a probe for each platform that the page suggests until one confirms.
 * Bounded in time, bytes and requests; every request passes the guard of `platform/egress`.
 */
import type { Egress, EgressOutcome } from '../../platform/egress/egress.ts'
import { readMarkup } from '../markup.ts'
import { fetchPage, textOf } from '../page.ts'
import type { Platform } from '../tables.ts'
import { generatorOf, type Suggestion, suggestPlatforms } from './clues.ts'
import { confirms, type ProbeAnswer } from './confirms.ts'

/**
 * The result of a look. `settled`: the platform, or `custom` if none was recognised or the site cannot be called (`unreached` says why), and
 * what the page itself says it was made with. `later`: the site did not answer properly, which may be temporary. `interrupted`: the caller's signal ended the look.
 */
export type Look =
  | { kind: 'settled'; platform: Platform; unreached?: string; generator?: string | undefined }
  | { kind: 'later'; reason: string }
  | { kind: 'interrupted' }

const PAGE = { deadlineMs: 8_000, maxResponseBytes: 256 * 1024, mostRedirects: 2 }
/** For all probes together, and for each. */
const PROBES_MS = 8_000
const PROBE_BYTES = 64 * 1024

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
  const found = await fetchFirst(egress, address, signal)
  if (found.kind !== 'page') return found
  const { url, answer } = found
  const markup = readMarkup(isHtml(answer) ? textOf(answer) : '')
  const look = await probe(egress, suggestPlatforms({ url, headers: answer.headers, markup }), signal)
  return look.kind === 'settled' ? { ...look, generator: generatorOf(markup) } : look
}

async function fetchFirst(
  egress: Egress,
  address: string,
  signal: AbortSignal,
): Promise<Look | { kind: 'page'; url: URL; answer: Answer }> {
  const first = URL.parse(address)
  if (first === null) return { kind: 'settled', platform: 'custom', unreached: 'invalid_url' }
  const { url, outcome } = await fetchPage(egress, first, { ...PAGE, signal })
  if (signal.aborted) return { kind: 'interrupted' }
  if (passes(outcome)) return { kind: 'later', reason: reasonOf(outcome) }
  if (outcome.kind === 'unreachable') return { kind: 'settled', platform: 'custom', unreached: outcome.cause }
  return outcome.status === 200 ? { kind: 'page', url, answer: outcome } : { kind: 'settled', platform: 'custom' }
}

async function probe(egress: Egress, suggestions: Suggestion[], signal: AbortSignal): Promise<Look> {
  let leftMs = PROBES_MS
  let passing: string | undefined
  for (const { platform, probe } of suggestions) {
    if (leftMs <= 0) return { kind: 'later', reason: 'timeout' }
    const answer = await egress.send({
      method: 'GET',
      url: probe.href,
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
