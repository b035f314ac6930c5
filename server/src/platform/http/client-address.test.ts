import { describe, expect, it } from 'vitest'
import { clientNetwork, createClientAddress, parseCidrs } from './client-address.ts'

describe('the client address', () => {
  const behindProxy = createClientAddress(['10.0.0.0/8', 'fd00::/8'])

  it.each([
    ['203.0.113.9', undefined, '203.0.113.9'],
    ['203.0.113.9', '1.2.3.4', '203.0.113.9'],
    ['10.0.0.1', '1.2.3.4', '1.2.3.4'],
    ['10.0.0.1', '6.6.6.6, 1.2.3.4', '1.2.3.4'],
    ['10.0.0.1', '6.6.6.6, 1.2.3.4, 10.9.9.9', '1.2.3.4'],
    ['10.0.0.1', 'unknown', '10.0.0.1'],
    ['10.0.0.1', '1.2.3.4, garbage', '10.0.0.1'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['10.0.0.1', '6.6.6.6, 1.2.3.4:51234', '1.2.3.4'],
    ['10.0.0.1', '[2001:db8::1]:443', '2001:db8::1'],
    ['10.0.0.1', '[2001:db8::1]', '2001:db8::1'],
    ['10.0.0.1', '1.2.3.4:x', '10.0.0.1'],
    ['::ffff:10.0.0.1', '2001:db8::1', '2001:db8::1'],
    ['fd00::1', '::ffff:1.2.3.4', '1.2.3.4'],
  ])('of a socket from %s that was forwarded for %s is %s', (socket, forwarded, client) => {
    expect(behindProxy(socket, forwarded)).toBe(client)
  })

  it('is the socket’s when no proxy is trusted', () => {
    expect(createClientAddress([])('127.0.0.1', '1.2.3.4')).toBe('127.0.0.1')
  })

  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:0db8:0000:0000::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
  ])('%s counts as %s', (address, network) => {
    expect(clientNetwork(address)).toBe(network)
  })

  it('is of a larger network by a shorter prefix', () => {
    expect(clientNetwork('2001:db8:1:2::9', 48)).toBe('2001:db8:1::/48')
    expect(clientNetwork('203.0.113.9', 48)).toBe('203.0.113.9')
  })

  it.each(['10.0.0.0', '10.0.0.0/33', '10.0.0.0/', 'x/8', '::/129', '10.0.0.0/-1', ''])(
    'refuses %j as a network',
    (text) => {
      expect(() => parseCidrs(text)).toThrow('CIDR')
    },
  )
})
