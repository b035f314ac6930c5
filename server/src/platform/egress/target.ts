import { isIP } from 'node:net'
import { type Allowed, judgeAddress } from './addresses.ts'

/** Where a request goes, taken apart once. `hostname` is without brackets and without a trailing dot. */
export type Target = {
  origin: string
  secure: boolean
  hostname: string
  port: number
  /** Path and query as they go on the wire. */
  path: string
  /** Known without a resolver: the host is a literal address, or a name that always means this machine. */
  addresses: string[] | undefined
}

type Refusal = { ok: false; reason: string }

/**
 * Takes a URL apart by the WHATWG rules, which also turn every other spelling of an IPv4 address (`2130706433`, `0x7f.1`,
 * `0177.1`, full-width digits) into the usual one, so that what is judged is what would be connected to.
 * Any port but 0 is accepted: receivers run on all sorts of them, and TLS towards the public internet speaks nothing else.
 */
export function parseTarget(text: string): { ok: true; target: Target } | Refusal {
  const url = URL.parse(text)
  if (url === null) return { ok: false, reason: 'not a valid URL' }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { ok: false, reason: 'must be an https URL' }
  if (url.username !== '' || url.password !== '')
    return { ok: false, reason: 'must not contain a user name or password' }
  if (url.port === '0') return { ok: false, reason: 'port 0 cannot be connected to' }
  const secure = url.protocol === 'https:'
  const hostname = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname.replace(/\.$/, '')
  if (hostname === '') return { ok: false, reason: 'not a valid host name' }
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port)
  const path = url.pathname + url.search
  return { ok: true, target: { origin: url.origin, secure, hostname, port, path, addresses: knownAddresses(hostname) } }
}

/**
 * Picks the addresses that may be connected to out of those a host has. One bad address spoils all of them: an honest
 * name has no private address among its public ones. Plain http needs every address to lie in a range the operator listed.
 */
export function vetAddresses(
  target: Target,
  found: string[],
  allowed: Allowed,
): { ok: true; addresses: string[] } | Refusal {
  const acceptable: string[] = []
  let refusal: Refusal | undefined
  for (const address of found) {
    const judged = vetAddress(target, address, allowed)
    if (judged.ok) acceptable.push(address)
    else refusal ??= judged
  }
  // Both loopback addresses stand for "localhost"; a policy that lists one of them means that one.
  if (isLocalhost(target.hostname) && acceptable.length > 0) return { ok: true, addresses: acceptable }
  if (refusal !== undefined) return refusal
  return { ok: true, addresses: acceptable }
}

/** Judges one address for this target: the block list, and that plain http stays inside the listed ranges. */
export function vetAddress(target: Target, address: string, allowed: Allowed): { ok: true } | Refusal {
  const verdict = judgeAddress(address, allowed)
  if (!verdict.ok) return verdict
  if (!target.secure && !verdict.listed) return { ok: false, reason: 'must use https' }
  return { ok: true }
}

/** What can be said of a URL without asking a resolver, for refusing it when it is written down. */
export function checkUrl(text: string, allowed: Allowed): { ok: true } | Refusal {
  const parsed = parseTarget(text)
  if (!parsed.ok) return parsed
  const { target } = parsed
  if (target.addresses === undefined) {
    return target.secure || allowed.networks ? { ok: true } : { ok: false, reason: 'must use https' }
  }
  const vetted = vetAddresses(target, target.addresses, allowed)
  return vetted.ok ? { ok: true } : vetted
}

function knownAddresses(hostname: string): string[] | undefined {
  if (isIP(hostname) !== 0) return [hostname]
  return isLocalhost(hostname) ? ['127.0.0.1', '::1'] : undefined
}

/** RFC 6761: these names are loopback wherever they are asked, so no resolver gets a say. */
function isLocalhost(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost')
}
