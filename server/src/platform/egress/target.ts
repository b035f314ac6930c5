import { isIP } from 'node:net'
import { type Allowed, judgeAddress, withoutSynthesized } from './addresses.ts'

/** A parsed URL. `hostname` has no brackets and no trailing dot. */
export type Target = {
  origin: string
  secure: boolean
  hostname: string
  port: number
  /** Path and query as they go on the wire. */
  path: string
  /** Set if no resolver is needed: the host is a literal address, or a name that always means this machine. */
  addresses: string[] | undefined
}

type Refusal = { ok: false; reason: string }

/**
 * Parses a URL by the WHATWG rules, which also turn every other spelling of an IPv4 address (`2130706433`, `0x7f.1`,
 * `0177.1`, full-width digits) into the usual one, so that the address judged is the one connected to.
 * Any port but 0 is accepted: receivers run on all sorts of ports, and nothing but TLS is spoken to public addresses.
 */
export function parseTarget(text: string): { ok: true; target: Target } | Refusal {
  const url = URL.parse(text)
  if (url === null) return { ok: false, reason: 'not a valid URL' }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { ok: false, reason: 'must be an https URL' }
  if (url.username !== '' || url.password !== '')
    return { ok: false, reason: 'must not contain a user name or password' }
  if (url.port === '0') return { ok: false, reason: 'port 0 cannot be used' }
  const secure = url.protocol === 'https:'
  const hostname = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname.replace(/\.$/, '')
  if (hostname === '') return { ok: false, reason: 'not a valid host name' }
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port)
  const path = url.pathname + url.search
  return { ok: true, target: { origin: url.origin, secure, hostname, port, path, addresses: knownAddresses(hostname) } }
}

/**
 * Vets the addresses of a host. One refused address refuses all of them: an honest name has no private address among its
 * public ones. Plain http needs every address to lie in a range the operator listed.
 */
export function vetAddresses(
  target: Target,
  found: string[],
  allowed: Allowed,
): { ok: true; addresses: string[] } | Refusal {
  const acceptable: string[] = []
  let refusal: Refusal | undefined
  for (const address of withoutSynthesized(found)) {
    const judged = vetAddress(target, address, allowed)
    if (judged.ok) acceptable.push(address)
    else refusal ??= judged
  }
  // "localhost" has both loopback addresses; if the policy lists only one, that one is used.
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

/** Judges a URL as far as possible without a resolver, so that it can be refused before it is stored. */
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

/** RFC 6761: these names always mean loopback, so no resolver is asked. */
function isLocalhost(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost')
}
