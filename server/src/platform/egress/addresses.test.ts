import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../../scripts/test/cases.ts'
import { type AllowPolicy, compileAllow, judgeAddress, parseAllow } from './addresses.ts'

const judge = (address: string, policy: AllowPolicy = 'none') => judgeAddress(address, compileAllow(policy))

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '100.63.255.255',
  '172.32.0.1',
  '198.17.255.255',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450::1',
  '2001:200::1',
  '2003::1',
]

/** First, last or well-known member of each range that must not be reached. */
const REFUSED = [
  ...['0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255', '100.100.100.200'],
  ...['127.0.0.1', '127.255.255.255', '168.63.129.16', '169.254.0.1', '169.254.169.254', '169.254.170.2'],
  ...['172.16.0.0', '172.31.255.255', '192.0.0.192', '192.0.2.1', '192.88.99.1', '192.168.0.0', '192.168.255.255'],
  ...[
    '198.18.0.0',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
  ],
  ...[
    '::',
    '::1',
    '::2',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::7f00:1',
  ],
  ...[
    '100::1',
    '2001::1',
    '2001:0:7f00:1::',
    '2001:2::1',
    '2001:10::1',
    '2001:20::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    '5f00::1',
  ],
  ...[
    'fc00::1',
    'fd00:ec2::254',
    'fd20:ce::254',
    'fd00:c1::a9fe:a9fe',
    'fd00:42::42',
    'fd00:a9fe:a9fe::1',
    'fd00:100::100:200',
    'fdff::1',
    'fe80::1',
    'fe80::1%eth0',
    'febf::1',
    'fec0::1',
    'ff02::1',
    '4000::1',
    '1000::1',
  ],
]

describe('judging addresses', () => {
  test.each(PUBLIC)('%s is public', (address) => {
    expect(judge(address)).toEqual({ ok: true, listed: false })
  })

  test.each(REFUSED)('%s is refused', (address) => {
    expect(judge(address).ok).toBe(false)
  })

  test.each(['', 'example.com', '127.1', '0x7f.0.0.1', '2130706433', '[::1]', '1.2.3.4/8', '01.2.3.4'])(
    '"%s" is not an address',
    (text) => {
      expect(judge(text)).toEqual({ ok: false, reason: 'not an IP address' })
    },
  )

  test('nothing is accepted that an independent list calls special', () => {
    const accepted = (bytes: Uint8Array) => {
      const address = ipaddr.fromByteArray([...bytes])
      return judge(address.toString()).ok ? address.range() : 'unicast'
    }
    const anyAddress = fc.oneof(
      fc.uint8Array({ minLength: 4, maxLength: 4 }),
      fc.uint8Array({ minLength: 16, maxLength: 16 }),
      fc
        .tuple(fc.constantFrom(0x20, 0x21, 0x24, 0x26, 0x2a, 0x3f), fc.uint8Array({ minLength: 15, maxLength: 15 }))
        .map(([first, rest]) => Uint8Array.of(first, ...rest)),
      fc
        .tuple(fc.constantFrom(0x00, 0x02, 0x03, 0x10, 0x20, 0x30), fc.uint8Array({ minLength: 13, maxLength: 13 }))
        .map(([third, rest]) => Uint8Array.of(0x20, 0x01, third, ...rest)),
    )
    fc.assert(
      fc.property(anyAddress, (bytes) => accepted(bytes) === 'unicast'),
      { numRuns: cases(5_000) },
    )
  })

  test('every IPv4 address is refused in each disguise, however public', () => {
    const disguises = (a: string, hex: string) => [
      `::ffff:${a}`,
      `::${a}`,
      `::ffff:0:${a}`,
      `64:ff9b::${a}`,
      `64:ff9b:1::${a}`,
      `2002:${hex}::1`,
      `2001:0:${hex}::1`,
    ]
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 4, maxLength: 4 }), (bytes) => {
        const text = [...bytes].join('.')
        const hex = Buffer.from(bytes)
          .toString('hex')
          .replace(/^(....)/, '$1:')
        return disguises(text, hex).every((address) => !judge(address).ok)
      }),
    )
  })
})

describe('what the operator allows', () => {
  test('loopback means both families and nothing else', () => {
    expect(judge('127.0.0.1', 'loopback')).toEqual({ ok: true, listed: true })
    expect(judge('127.8.9.10', 'loopback')).toEqual({ ok: true, listed: true })
    expect(judge('::1', 'loopback')).toEqual({ ok: true, listed: true })
    expect(judge('10.0.0.1', 'loopback').ok).toBe(false)
    expect(judge('::2', 'loopback').ok).toBe(false)
    expect(judge('8.8.8.8', 'loopback')).toEqual({ ok: true, listed: false })
  })

  test('a mapped address is judged as the IPv4 address it maps, if that one is listed', () => {
    expect(judge('::ffff:127.0.0.1', 'loopback')).toEqual({ ok: true, listed: true })
    expect(judge('::ffff:10.0.0.1', 'loopback').ok).toBe(false)
    expect(judge('::ffff:8.8.8.8', 'loopback').ok).toBe(false)
  })

  test('ranges reach to their last address and no further', () => {
    const policy = { cidrs: ['10.1.2.0/23', 'fd12::/16'] }
    expect(judge('10.1.3.255', policy)).toEqual({ ok: true, listed: true })
    expect(judge('10.1.4.0', policy).ok).toBe(false)
    expect(judge('10.1.1.255', policy).ok).toBe(false)
    expect(judge('fd12:ffff::1', policy)).toEqual({ ok: true, listed: true })
    expect(judge('fd13::1', policy).ok).toBe(false)
  })

  test.each([
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    'fd00:ec2::254',
    'fd20:ce::254',
    'fd00:c1::a9fe:a9fe',
    'fd00:42::42',
    'fd00:a9fe:a9fe::1',
    'fd00:100::100:200',
    '0.0.0.0',
    '::',
    '224.0.0.1',
    '255.255.255.255',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
  ])('no setting opens %s', (address) => {
    expect(judge(address, { cidrs: ['0.0.0.0/0', '::/0'] }).ok).toBe(false)
  })
})

describe('reading the setting', () => {
  test.each<[string, AllowPolicy]>([
    ['none', 'none'],
    ['loopback', 'loopback'],
    ['10.0.0.0/8', { cidrs: ['10.0.0.0/8'] }],
    ['10.0.0.0/8, fd00::/8', { cidrs: ['10.0.0.0/8', 'fd00::/8'] }],
    ['loopback,192.168.1.7/32', { cidrs: ['127.0.0.0/8', '::1/128', '192.168.1.7/32'] }],
  ])('%s', (text, policy) => {
    expect(parseAllow(text)).toEqual(policy)
  })

  test.each([
    '',
    '10.0.0.0',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10/8',
    '10.0.0.0/08x',
    'fd00::/129',
    'fe80::%eth0/64',
    'private',
    'none,10.0.0.0/8',
  ])('names the bad entry in "%s"', (text) => {
    expect(() => parseAllow(text)).toThrow(`"${text.split(',')[0]}" is not an address range`)
  })

  test('a range is written with its first address', () => {
    expect(() => parseAllow('10.0.0.0/8,10.1.0.0/8')).toThrow('"10.1.0.0/8" has bits set after the first 8')
  })
})
