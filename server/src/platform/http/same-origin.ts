/**
 * Whether a request that carries a cookie was made by our own pages.
 *
 * A browser attaches the cookie to every request it sends here, whichever page caused it. `SameSite=Strict` excludes other
 * sites, but "site" is a registrable domain: a blog at blog.example.com is the same site as a dashboard at
 * posts.example.com, and on a laptop every port of localhost is. So the request itself must show where it comes from.
 *
 * 1. `Sec-Fetch-Site` is the browser's own verdict, and scripts cannot set it. Where it is sent it decides: only
 *    `same-origin` passes, and for reading also `none`, which is an address typed by a person. Unlike the service, the
 *    browser knows the address that it used, whatever a proxy has made of it since.
 * 2. Browsers leave it out when the service is reached by plain http on a network. Then `Origin` must be ours: that of
 *    PUBLIC_URL, or one whose host equals the request's `Host`. The second covers a laptop that calls itself 127.0.0.1
 *    today and localhost tomorrow; an attacker's page cannot make a browser send another `Host` than ours to us. Schemes
 *    are not compared there, since behind a proxy only the proxy knows which one was used.
 * 3. Browsers send `Origin` with everything but plain reading, so a change without `Origin` is refused in any case.
 */
import type { Config } from '../config.ts'
import { parseTarget } from '../egress/target.ts'
import { fail } from '../errors.ts'
import type { RequestFacts } from './endpoint.ts'

const LOOPBACK = new Set(['localhost', '127.0.0.1', '::1'])

const READING = new Set(['GET', 'HEAD', 'OPTIONS'])

type Request = Pick<RequestFacts, 'method' | 'header'>

/** Throws `forbidden` unless our own pages made the request. `publicUrl`: the service's address as people know it. */
export function assertSameOrigin(publicUrl: string, request: Request): void {
  if (isSameOrigin(publicUrl, request)) return
  throw fail(
    'forbidden',
    `The session cookie works only from the dashboard's own pages, and this request came from elsewhere. Use the dashboard at ${publicUrl}, or send an access token in the header Authorization. If ${publicUrl} is not the address in your browser, the operator must set PUBLIC_URL to the one in your browser.`,
  )
}

function isSameOrigin(publicUrl: string, { method, header }: Request): boolean {
  const reading = READING.has(method)
  const origin = header('origin')
  if (origin === undefined && !reading) return false
  const verdict = header('sec-fetch-site')
  if (verdict !== undefined) return verdict === 'same-origin' || (reading && verdict === 'none')
  if (origin === undefined) return true
  const from = URL.parse(origin)
  return from !== null && (from.origin === new URL(publicUrl).origin || from.host === header('host'))
}

/**
 * Throws `forbidden` for a page whose name was pointed to this machine after it was loaded (DNS rebinding): its scripts are of the
 * same origin as the service, for the browser and for `assertSameOrigin`, so they could make themselves an account here and have
 * webhooks sent to whatever else listens on this machine. A service that listens on loopback alone is known as localhost, by an
 * address, or by the name in PUBLIC_URL.
 */
export function assertNotRebound({ host, publicUrl }: Pick<Config, 'host' | 'publicUrl'>, { header }: Request): void {
  const from = parseTarget(header('origin') ?? '')
  if (!LOOPBACK.has(host) || !from.ok || from.target.addresses !== undefined) return
  if (from.target.hostname === new URL(publicUrl).hostname) return
  throw fail(
    'forbidden',
    `The service is on this machine only and does not know itself as ${from.target.hostname}. Use it at ${publicUrl}, or have the operator set PUBLIC_URL to the address in your browser.`,
  )
}
