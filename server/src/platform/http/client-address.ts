import { BlockList, isIP } from 'node:net'

/** Reads CIDRs separated by commas. Throws an Error that names the first bad one. */
export function parseCidrs(text: string): string[] {
  const cidrs = text.split(',').map((entry) => entry.trim())
  cidrList(cidrs)
  return cidrs
}

function cidrList(cidrs: readonly string[]): BlockList {
  const list = new BlockList()
  for (const cidr of cidrs) {
    const [address = '', prefix = ''] = cidr.split('/')
    const family = isIP(address)
    const bits = /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN
    if (family === 0 || !(bits <= (family === 4 ? 32 : 128)))
      throw new Error(`"${cidr}" is not a network in CIDR notation; write it like 10.0.0.0/8`)
    list.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

/**
 * Finds the client's address. Only proxies in the trusted networks are believed: their `X-Forwarded-For` is read from
 * the right, past further trusted proxies, and the first other address is the client. Anything left of it was written by
 * the client and proves nothing.
 */
export function createClientAddress(
  trusted: readonly string[],
): (socketAddress: string, forwardedFor: string | undefined) => string {
  const list = cidrList(trusted)
  const isTrusted = (address: string) =>
    isIP(address) !== 0 && list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')
  return (socketAddress, forwardedFor) => {
    let client = plainAddress(socketAddress)
    for (const hop of (forwardedFor ?? '').split(',').reverse()) {
      const address = plainAddress(hop.trim())
      if (isIP(address) === 0 || !isTrusted(client)) break
      client = address
    }
    return client
  }
}

/** An IPv4 address that a dual-stack socket shows as IPv6, as IPv4, and without the port that some proxies add; anything else unchanged. */
function plainAddress(text: string): string {
  const [, address = text] = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text) ?? /^\[(.+)\](?::\d+)?$/.exec(text) ?? []
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address
}

/** What counts as one client: an IPv4 address, or the /64 of an IPv6 address, of which one person has all. A /48 is what one line may have. */
export function clientNetwork(address: string, prefix: 64 | 48 = 64): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::')
  const groups = head === '' ? [] : head.split(':')
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length)
  const all = [...groups, ...Array.from({ length: Math.max(0, missing) }, () => '0'), ...(tail ? tail.split(':') : [])]
  return `${all
    .slice(0, prefix / 16)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/${prefix}`
}
