/** One look at the page of a post, and what it says in words. */
import type { Egress, EgressOutcome } from '../platform/egress/egress.ts'
import { fetchPage, isRedirect, isSameSite, textOf } from '../sites/index.ts'
import { type Recognisable, showsPost } from './recognise.ts'

/** Recognising a post in a page made to be slow takes half a second for each mebibyte. */
const PAGE = { deadlineMs: 10_000, maxResponseBytes: 512 * 1024, mostRedirects: 4 }

/** What a page says of a post; `problem` is a sentence. `shows`: whether the post is there, in any version; undefined if that cannot be told. */
export type Sight = { shows?: boolean } & (
  | { state: 'verified'; problem: null }
  | { state: 'wrong' | 'gone'; problem: string }
)

/** What a look at its former page says of a post that was removed: `verified` that it is not there any more, null if that cannot be told. */
export function sightOfRemoval({ shows }: Sight): { state: 'verified' | 'wrong' | null; problem: string | null } {
  if (shows === undefined) return { state: null, problem: null }
  return shows ? { state: 'wrong', problem: 'The page still shows the post.' } : { state: 'verified', problem: null }
}

/** Looks at the page that should show a post, at an address of the post's site. Never throws. */
export async function lookAtPage(
  egress: Egress,
  address: URL,
  post: Recognisable,
  signal: AbortSignal,
): Promise<Sight> {
  const { url, outcome } = await fetchPage(egress, address, { ...PAGE, signal })
  if (outcome.kind === 'unreachable') return wrong(UNREACHABLE[outcome.cause] ?? 'The page could not be reached.')
  const { status } = outcome
  if (isRedirect(outcome)) return wrong(whereTo(url, outcome), false)
  if (status === 404 || status === 410)
    return { shows: false, state: 'gone', problem: `The page answers ${status}: there is nothing at the address.` }
  if (status === 401 || status === 403)
    return wrong(`The page answers ${status}: the site, or a firewall before it, does not let Postrider see it.`)
  if (status !== 200) return wrong(`The page answers ${status}.`)
  const shown = showsPost(textOf(outcome), address, post)
  if (shown === 'earlier') return wrong('The page shows an earlier version of the post.', true)
  // A removed post's address may lead to a page that names it.
  if (shown) return { shows: isSamePage(url, address), state: 'verified', problem: null }
  if ((outcome.headers['content-encoding'] ?? 'identity') !== 'identity')
    return wrong('The page comes compressed although it was asked for as it is, so it cannot be read.')
  return wrong('The page answers, but neither the title nor the id of the post is in it.', false)
}

const UNREACHABLE: Partial<Record<Extract<EgressOutcome, { kind: 'unreachable' }>['cause'], string>> = {
  timeout: `The page did not answer within ${PAGE.deadlineMs / 1_000} seconds.`,
  dns_error: 'The host name of the page could not be resolved.',
  connection_refused: 'Nothing listens at the address of the page.',
  connection_reset: 'The site closed the connection before it answered with the page.',
  tls_error: 'The TLS certificate of the page could not be verified.',
  blocked_address: 'The page is at an address that this service does not call, such as a private one.',
}

function whereTo(from: URL, { headers }: Extract<EgressOutcome, { kind: 'response' }>): string {
  const to = URL.parse(headers.location ?? '', from)
  if (to === null) return 'The page redirects to nowhere.'
  if (isSameSite(from, to)) return `The page redirects more than ${PAGE.mostRedirects} times, or away from https.`
  return `The page redirects to ${to.host}, which is not the site.`
}

function isSamePage(one: URL, other: URL): boolean {
  const plain = ({ pathname }: URL) => pathname.replace(/\/$/, '')
  return plain(one) === plain(other)
}

function wrong(problem: string, shows?: boolean): Sight {
  return { ...(shows === undefined ? {} : { shows }), state: 'wrong', problem }
}
