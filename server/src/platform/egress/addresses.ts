import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Which non-public addresses may be called, besides all public ones:
 * none, this machine (127.0.0.0/8 and ::1), or the listed ranges in CIDR notation.
 */
export type AllowPolicy = 'none' | 'loopback' | { cidrs: string[] }

/** A compiled policy. Policies that list the same ranges have the same `id`; `networks`: whether CIDRs were listed. */
export type Allowed = { id: string; ranges: Range[]; networks: boolean }

/** `listed`: the address lies in a range the operator named, as plain http requires. */
type Verdict = { ok: true; listed: boolean } | { ok: false; reason: string }

type Range = { base: number[]; prefix: number }
type SpecialRange = Range & { cidr: string; name: string; openable: boolean }

const LOOPBACK_CIDRS = ['127.0.0.0/8', '::1/128']

/**
 * Ranges that a user's URL must not reach; the first match gives the name. Sources: the IANA special-purpose registries and
 * the metadata addresses that clouds answer on. The operator may allow `open` ranges, nobody the `shut` ones: they are
 * credential services, other addresses in disguise, or no destination for a request.
 */
const SPECIAL_RANGES: SpecialRange[] = (
  [
    ['168.63.129.16/32', 'cloud metadata', 'shut'],
    ['100.100.100.200/32', 'cloud metadata', 'shut'],
    ['169.254.0.0/16', 'link-local', 'shut'],
    ['0.0.0.0/8', 'this network', 'shut'],
    ['10.0.0.0/8', 'private', 'open'],
    ['100.64.0.0/10', 'carrier-grade NAT', 'open'],
    ['127.0.0.0/8', 'loopback', 'open'],
    ['172.16.0.0/12', 'private', 'open'],
    ['192.0.0.0/24', 'protocol assignments', 'shut'],
    ['192.0.2.0/24', 'documentation', 'shut'],
    ['192.31.196.0/24', 'AS112', 'shut'],
    ['192.52.193.0/24', 'AMT relay', 'shut'],
    ['192.88.99.0/24', '6to4 relay', 'shut'],
    ['192.168.0.0/16', 'private', 'open'],
    ['192.175.48.0/24', 'AS112', 'shut'],
    ['198.18.0.0/15', 'benchmarking', 'open'],
    ['198.51.100.0/24', 'documentation', 'shut'],
    ['203.0.113.0/24', 'documentation', 'shut'],
    ['224.0.0.0/4', 'multicast', 'shut'],
    ['255.255.255.255/32', 'broadcast', 'shut'],
    ['240.0.0.0/4', 'reserved', 'shut'],

    ['::1/128', 'loopback', 'open'],
    ['::/128', 'unspecified', 'shut'],
    ['::ffff:0:0/96', 'IPv4-mapped', 'shut'],
    ['::ffff:0:0:0/96', 'IPv4-translated', 'shut'],
    ['::/96', 'IPv4-compatible', 'shut'],
    ['64:ff9b::/96', 'NAT64', 'shut'],
    ['64:ff9b:1::/48', 'local NAT64', 'shut'],
    ['100::/64', 'discard-only', 'shut'],
    ['2001::/32', 'Teredo', 'shut'],
    ['2001:2::/48', 'benchmarking', 'shut'],
    ['2001:10::/28', 'ORCHID', 'shut'],
    ['2001:20::/28', 'ORCHID', 'shut'],
    ['2001::/23', 'protocol assignments', 'shut'],
    ['2001:db8::/32', 'documentation', 'shut'],
    ['2002::/16', '6to4', 'shut'],
    ['2620:4f:8000::/48', 'AS112', 'shut'],
    ['3fff::/20', 'documentation', 'shut'],
    ['5f00::/16', 'segment routing', 'shut'],
    ['fd00:ec2::/32', 'cloud metadata', 'shut'],
    ['fd20:ce::254/128', 'cloud metadata', 'shut'],
    ['fd00:c1::a9fe:a9fe/128', 'cloud metadata', 'shut'],
    ['fd00:42::42/128', 'cloud metadata', 'shut'],
    ['fd00:a9fe:a9fe::1/128', 'cloud metadata', 'shut'],
    ['fd00:100::100:200/128', 'cloud metadata', 'shut'],
    ['fc00::/7', 'unique local', 'open'],
    ['fe80::/10', 'link-local', 'shut'],
    ['fec0::/10', 'site-local', 'open'],
    ['ff00::/8', 'multicast', 'shut'],
  ] as const
).map(([cidr, name, access]) => ({ ...parseCidr(cidr), cidr, name, openable: access === 'open' }))

/** Every range an operator may allow: for addresses that only the operator's configuration can name. */
export const OPERATORS_NETWORKS: AllowPolicy = {
  cidrs: SPECIAL_RANGES.filter(({ openable }) => openable).map(({ cidr }) => cidr),
}

/** The only range that IANA assigns global unicast from; an address outside is refused even if no range above names it. */
const GLOBAL_UNICAST_V6 = parseCidr('2000::/3')
const IPV4_MAPPED = parseCidr('::ffff:0:0/96')
const NAT64 = parseCidr('64:ff9b::/96')

/**
 * Reads the operator's setting: `none`, `loopback`, or CIDRs separated by commas (`loopback` may stand among them).
 * Throws an Error that names the first bad entry.
 */
export function parseAllow(text: string): AllowPolicy {
  const entries = text.split(',').map((entry) => entry.trim())
  const only = entries.length === 1 ? entries[0] : undefined
  if (only === 'none' || only === 'loopback') return only
  const cidrs = entries.flatMap((entry) => (entry === 'loopback' ? LOOPBACK_CIDRS : [entry]))
  for (const cidr of cidrs) parseCidr(cidr)
  return { cidrs }
}

/** Compiles a policy for judging addresses. Throws like {@link parseAllow} on a bad CIDR. */
export function compileAllow(policy: AllowPolicy): Allowed {
  const cidrs = policy === 'none' ? [] : policy === 'loopback' ? LOOPBACK_CIDRS : policy.cidrs
  return { id: cidrs.join(','), ranges: cidrs.map(parseCidr), networks: typeof policy === 'object' }
}

/**
 * Judges whether an address in text form (no brackets; a zone is ignored) may be connected to. IPv6 forms that embed an
 * IPv4 address are refused whatever they embed, except `::ffff:a.b.c.d` of a listed IPv4 address.
 */
export function judgeAddress(address: string, allowed: Allowed): Verdict {
  const bytes = addressBytes(address)
  if (bytes === undefined) return { ok: false, reason: 'not an IP address' }
  if (isWithin(bytes, IPV4_MAPPED)) {
    const embedded = judgeBytes(bytes.slice(12), allowed)
    return embedded.ok && embedded.listed ? embedded : { ok: false, reason: 'IPv4-mapped address' }
  }
  return judgeBytes(bytes, allowed)
}

/**
 * The addresses of a name without those that a resolver made of its IPv4 addresses (DNS64, RFC 6147): they lead to the same hosts, and
 * would be refused. Every other address of that range stays.
 */
export function withoutSynthesized(addresses: readonly string[]): string[] {
  const given = new Set(addresses.map((address) => addressBytes(address)?.join('.')))
  return addresses.filter((address) => {
    const bytes = addressBytes(address)
    return bytes === undefined || !isWithin(bytes, NAT64) || !given.has(bytes.slice(12).join('.'))
  })
}

function judgeBytes(bytes: number[], allowed: Allowed): Verdict {
  const listed = allowed.ranges.some((range) => isWithin(bytes, range))
  const special = SPECIAL_RANGES.find((range) => isWithin(bytes, range))
  if (special !== undefined) {
    return listed && special.openable ? { ok: true, listed } : { ok: false, reason: `${special.name} address` }
  }
  if (bytes.length === 16 && !isWithin(bytes, GLOBAL_UNICAST_V6)) {
    return { ok: false, reason: 'not a global unicast address' }
  }
  return { ok: true, listed }
}

function parseCidr(cidr: string): Range {
  const [text = '', prefixText, ...rest] = cidr.split('/')
  const base = text.includes('%') ? undefined : addressBytes(text)
  const bits = (base?.length ?? 0) * 8
  const prefix = /^\d{1,3}$/.test(prefixText ?? '') ? Number(prefixText) : Number.NaN
  if (base === undefined || rest.length > 0 || !(prefix <= bits)) {
    throw new Error(`"${cidr}" is not an address range; write it like 10.0.0.0/8 or fd00::/8`)
  }
  if (base.some((byte, index) => (byte & ~maskByte(prefix, index)) !== 0)) {
    throw new Error(`"${cidr}" has bits set after the first ${prefix}; write the first address of the range`)
  }
  return { base, prefix }
}

/** 4 or 16 numbers, or undefined. The strict check comes first: ipaddr.js alone would also read "0x7f.1" and "10". */
function addressBytes(address: string): number[] | undefined {
  return isIP(address) === 0 ? undefined : ipaddr.parse(address).toByteArray()
}

function isWithin(bytes: number[], range: Range): boolean {
  if (bytes.length !== range.base.length) return false
  return range.base.every((byte, index) => (((bytes[index] ?? 0) ^ byte) & maskByte(range.prefix, index)) === 0)
}

/** The byte at `index` of a netmask with `prefix` leading ones. */
function maskByte(prefix: number, index: number): number {
  const ones = Math.min(8, Math.max(0, prefix - index * 8))
  return (0xff << (8 - ones)) & 0xff
}
