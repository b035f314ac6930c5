/**
 * Resolves host names. Names with a dot go directly to the name servers: any number at once, each for a few seconds at most.
 * The system's getaddrinfo has two threads in all and cannot be cancelled: two names whose servers are silent would block
 * every other lookup. It serves names without a dot (containers, machines on the local network), and, one at a time, names
 * that the name servers do not know: /etc/hosts and search domains have some.
 */
import dns, { type LookupAddress } from 'node:dns'
import { setTimeout as sleep } from 'node:timers/promises'
import { Slots } from '../slots.ts'
import { codeOf } from './failure.ts'

/** As `dns.lookup` with `all: true`. */
export type Lookup = (
  hostname: string,
  options: { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** A name server has two seconds to answer, and four when asked a second time. */
const PATIENCE = { timeout: 2_000, tries: 2 }
/** The list of name servers is read again after this: it changes when a laptop moves. */
const FRESH_MS = 60_000
/** Once IPv4 is answered, IPv6 has this long (RFC 8305, section 3). */
const OTHER_FAMILY_MS = 50
/** Errors that say that the name servers do not know the name, or that there are none. */
const UNKNOWN = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED'])
/** How many lookups may wait for getaddrinfo. */
const MOST_WAITING = 64

/** `servers` replaces the system's name servers, as host and port; `system` replaces getaddrinfo. */
export type LookupOptions = {
  servers?: readonly string[]
  system?: Lookup
  patience?: { timeout: number; tries: number }
}

/** A lookup that silent name servers cannot block. IPv4 addresses come first. */
export function createLookup({ servers, system = dns.lookup, patience = PATIENCE }: LookupOptions = {}): Lookup {
  const turns = new Slots(1)
  let waiting = 0
  let made: { resolver: dns.promises.Resolver; atMs: number } | undefined

  function freshResolver(): dns.promises.Resolver {
    const nowMs = performance.now()
    if (made !== undefined && nowMs - made.atMs < FRESH_MS) return made.resolver
    made = { resolver: new dns.promises.Resolver(patience), atMs: nowMs }
    if (servers !== undefined) made.resolver.setServers(servers)
    return made.resolver
  }

  async function askSystem(hostname: string): Promise<LookupAddress[]> {
    waiting += 1
    const turn = await turns.take()
    try {
      return await new Promise((resolve, reject) =>
        system(hostname, { all: true }, (error, found) => (error === null ? resolve(found) : reject(error))),
      )
    } finally {
      waiting -= 1
      turn.free()
    }
  }

  async function addressesOf(hostname: string): Promise<LookupAddress[]> {
    try {
      return await askServers(freshResolver(), hostname)
    } catch (error) {
      if (!UNKNOWN.has(codeOf(error)) || waiting >= MOST_WAITING) throw error
      return askSystem(hostname)
    }
  }

  return (hostname, options, callback) => {
    if (!hostname.includes('.')) return system(hostname, options, callback)
    addressesOf(hostname).then(
      (found) => callback(null, found),
      (error) => callback(error, []),
    )
  }
}

async function askServers(resolver: dns.promises.Resolver, hostname: string): Promise<LookupAddress[]> {
  const found: Record<4 | 6, LookupAddress[]> = { 4: [], 6: [] }
  const ask = async (family: 4 | 6, answer: Promise<string[]>) => {
    found[family] = (await answer).map((address) => ({ address, family }))
  }
  const [ipv4, ipv6] = [ask(4, resolver.resolve4(hostname)), ask(6, resolver.resolve6(hostname))]
  const both = Promise.allSettled([ipv4, ipv6])
  try {
    await Promise.any([ipv4, ipv6])
  } catch (error) {
    throw tellingOf(error)
  }
  // Waits for IPv4 if only IPv6 was answered: this machine may have no IPv6, and the whole attempt would fail.
  if (found[4].length === 0) await Promise.allSettled([ipv4])
  await Promise.race([both, sleep(OTHER_FAMILY_MS)])
  return [...found[4], ...found[6]]
}

/** Of the errors of both families, prefers one that does not say the name is unknown: a silent or broken server may know it. */
function tellingOf(error: unknown): unknown {
  const errors: unknown[] = error instanceof AggregateError ? error.errors : [error]
  return errors.find((one) => !UNKNOWN.has(codeOf(one))) ?? errors[0]
}
