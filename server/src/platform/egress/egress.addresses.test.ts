import { once } from 'node:events'
import net from 'node:net'
import tls from 'node:tls'
import { describe, expect, test } from 'vitest'
import { type AllowPolicy, compileAllow } from './addresses.ts'
import { openSocket } from './dial.ts'
import { toFailure } from './failure.ts'
import type { Lookup } from './lookup.ts'
import { parseTarget } from './target.ts'
import { LOOPBACK_SPELLINGS, OTHER_PRIVATE, startCanary } from './test-canary.ts'
import { brief, post, startAnswering, startEgress, startReceiver } from './test-receivers.ts'

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok'
/** A resolver that gives one answer after the other, the last one for ever. */
function scripted(...answers: string[][]): Lookup & { calls: number } {
  const lookup: Lookup = (_hostname, _options, callback) => {
    const answer = answers[Math.min(scriptedLookup.calls, answers.length - 1)] ?? []
    scriptedLookup.calls += 1
    setImmediate(() =>
      callback(
        null,
        answer.map((address) => ({ address, family: net.isIP(address) })),
      ),
    )
  }
  const scriptedLookup = Object.assign(lookup, { calls: 0 })
  return scriptedLookup
}

describe('literal addresses and localhost', () => {
  test.each([...LOOPBACK_SPELLINGS, ...OTHER_PRIVATE])(
    '%s is refused before a connection, by http and https',
    async (host) => {
      const canary = await startCanary()
      const egress = startEgress({ allow: 'none' })
      for (const url of [`http://${host}:${canary.port}/`, `https://${host}:${canary.port}/`]) {
        expect(brief(await egress.send(post(url)))).toBe('blocked_address')
        expect(egress.check(url).ok).toBe(false)
      }
      expect(canary.connections()).toBe(0)
    },
  )

  test.each(LOOPBACK_SPELLINGS.filter((host) => host !== '127.255.255.254'))(
    '%s is reached where loopback is allowed, so the refusals above mean something',
    async (host) => {
      const canary = await startCanary()
      const egress = startEgress({ allow: 'loopback' })
      const url = `http://${host}:${canary.port}/`
      expect(brief(await egress.send(post(url)))).toBe('200 reached')
      expect(egress.check(url)).toEqual({ ok: true })
      expect(canary.connections()).toBe(1)
    },
  )

  test.each(OTHER_PRIVATE)('%s is refused where loopback is allowed', async (host) => {
    const canary = await startCanary()
    expect(brief(await startEgress().send(post(`http://${host}:${canary.port}/`)))).toBe('blocked_address')
    expect(canary.connections()).toBe(0)
  })

  test('localhost means the loopback address that is allowed', async () => {
    const canary = await startCanary()
    const egress = startEgress({ allow: { cidrs: ['127.0.0.1/32'] } })
    expect(brief(await egress.send(post(`http://localhost:${canary.port}/`)))).toBe('200 reached')
    expect(brief(await egress.send(post(`http://[::1]:${canary.port}/`)))).toBe('blocked_address')
    expect(canary.connections()).toBe(1)
  })
})

describe('names', () => {
  // 127.0.0.2 plays the public address: it is allowed, while 127.0.0.1 is not.
  const allow: AllowPolicy = { cidrs: ['127.0.0.2/32'] }

  test.each([
    ['a private one', ['127.0.0.1']],
    ['a mapped private one', ['::ffff:127.0.0.1']],
    ['an allowed and a private one', ['127.0.0.2', '127.0.0.1']],
    ['a private and an allowed one', ['127.0.0.1', '127.0.0.2']],
    ['a public and a private one', ['1.1.1.1', '::1']],
    ['an allowed one, and what a resolver made of another', ['127.0.0.2', '64:ff9b::127.0.0.1']],
    ['a private one, and what a resolver made of it', ['127.0.0.1', '64:ff9b::7f00:1']],
    ['only what a resolver made of an allowed one', ['64:ff9b::127.0.0.2']],
    ['no address at all', ['not-an-address']],
  ])('whose addresses are %s are refused', async (_what, answer) => {
    const canary = await startCanary()
    const egress = startEgress({ allow, lookup: scripted(answer) })
    for (const scheme of ['http', 'https']) {
      expect(brief(await egress.send(post(`${scheme}://hook.example:${canary.port}/`)))).toBe('blocked_address')
    }
    expect(canary.connections()).toBe(0)
  })

  test('an IPv4 address is used where a resolver made an IPv6 address of it besides (DNS64)', async () => {
    const site = await startAnswering(OK, { host: '127.0.0.2' })
    const egress = startEgress({ allow, lookup: scripted(['64:ff9b::127.0.0.2', '127.0.0.2']) })
    expect(brief(await egress.send(post(`http://hook.example:${site.port}/`)))).toMatch(/^200/)
  })

  test('the refusal does not tell what the name resolves to', async () => {
    const egress = startEgress({ allow: 'none', lookup: scripted(['10.11.12.13']) })
    expect(JSON.stringify(await egress.send(post('https://intranet.example/')))).not.toContain('10.11')
  })

  test('rebinding: the vetted address is connected to, one question per connection', async () => {
    const canary = await startCanary()
    const vetted = await startAnswering(OK, { host: '127.0.0.2', port: canary.port })
    const lookup = scripted(['127.0.0.2'], ['127.0.0.1'])
    const egress = startEgress({ allow, lookup })
    const url = `http://hook.example:${canary.port}/`

    expect(brief(await egress.send(post(url)))).toBe('200 ok')
    expect(lookup.calls).toBe(1)
    expect(vetted.received).toContain(`host: hook.example:${canary.port}\r\n`)
    expect(brief(await egress.send(post(url)))).toBe('blocked_address')
    expect(lookup.calls).toBe(2)
    expect(canary.connections()).toBe(0)
  })

  test('several allowed addresses are tried until one answers', async () => {
    const receiver = await startAnswering(OK)
    const lookup = scripted(['127.0.0.3', '::1', '127.0.0.1'])
    const egress = startEgress({ lookup })
    expect(brief(await egress.send(post(`http://hook.example:${receiver.port}/`)))).toBe('200 ok')
    expect(lookup.calls).toBe(1)
  })

  test('plain http stays inside the allowed ranges', async () => {
    const egress = startEgress({ lookup: scripted(['1.1.1.1']) })
    expect(await egress.send(post('http://hook.example/'))).toMatchObject({
      cause: 'blocked_address',
      detail: 'must use https',
    })
    expect(await egress.send(post('http://1.1.1.1/'))).toMatchObject({
      cause: 'blocked_address',
      detail: 'must use https',
    })
  })

  test('a policy for one request does not lend its connections to another', async () => {
    const receiver = await startAnswering('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
    const egress = startEgress({ allow: 'none' })
    const url = `http://127.0.0.1:${receiver.port}/`
    expect(brief(await egress.send(post(url, { allow: 'loopback' })))).toBe('200 ok')
    expect(brief(await egress.send(post(url)))).toBe('blocked_address')
    expect(brief(await egress.send(post(url, { allow: { cidrs: ['127.0.0.2/32'] } })))).toBe('blocked_address')
    expect(brief(await egress.send(post(url, { allow: { cidrs: ['127.0.0.1/32'] } })))).toBe('200 ok')
  })
})

describe('beyond the first address', () => {
  test.each([301, 302, 303, 307, 308])('a %i to a private address is an answer like any other', async (status) => {
    const canary = await startCanary()
    const location = `http://127.0.0.1:${canary.port}/`
    const receiver = await startAnswering(
      `HTTP/1.1 ${status} Moved\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`,
      { host: '127.0.0.2' },
    )
    const egress = startEgress({ allow: { cidrs: ['127.0.0.2/32'] } })
    const outcome = await egress.send(post(`http://127.0.0.2:${receiver.port}/`))
    expect(outcome).toMatchObject({ kind: 'response', status, headers: { location } })
    expect(canary.connections()).toBe(0)
  })

  test('a connected peer that is not allowed gets no byte', async () => {
    const receiver = await startReceiver({})
    const parsed = parseTarget(`https://hook.example:${receiver.port}/`)
    if (!parsed.ok) throw new Error(parsed.reason)
    const [error, socket] = await new Promise<unknown[]>((resolve) => {
      const plan = {
        target: parsed.target,
        allowed: compileAllow('none'),
        addresses: ['127.0.0.1'],
        secureContext: tls.createSecureContext,
      }
      openSocket(plan, (...result) => resolve(result))
    })
    expect(toFailure(error)).toEqual({
      cause: 'blocked_address',
      detail: 'connected to an address that is refused: loopback address',
    })
    expect(socket).toBeUndefined()
    await receiver.allClosed()
    expect(receiver.received).toBe('')
  })
})

describe('checking a URL when it is written down', () => {
  const check = (url: string, allow: AllowPolicy = 'none') =>
    startEgress({ allow, lookup: () => expect.unreachable('asked a resolver') }).check(url)

  test.each([
    'https://hook.example/',
    'https://hook.example:8443/a?b=c',
    'https://1.1.1.1/',
    'https://[2606:4700:4700::1111]/',
    'https://пример.example/',
  ])('%s may be called', (url) => {
    expect(check(url)).toEqual({ ok: true })
  })

  test.each([
    ['http://hook.example/', 'must use https'],
    ['http://1.1.1.1/', 'must use https'],
    ['ftp://hook.example/', 'must be an https URL'],
    ['file:///etc/passwd', 'must be an https URL'],
    ['https://user@hook.example/', 'must not contain a user name or password'],
    ['https://:secret@hook.example/', 'must not contain a user name or password'],
    ['https://hook.example:0/', 'port 0 cannot be used'],
    ['hook.example', 'not a valid URL'],
    ['https://', 'not a valid URL'],
    ['https://1.2.3.256/', 'not a valid URL'],
    ['https://[fe80::1%25eth0]/', 'not a valid URL'],
    ['https://./', 'not a valid host name'],
    ['https://10.0.0.1/', 'private address'],
  ])('%s: %s', (url, reason) => {
    expect(check(url)).toEqual({ ok: false, reason })
  })

  test('http is for literal addresses and localhost in an allowed range', () => {
    expect(check('http://10.1.2.3:8080/', { cidrs: ['10.0.0.0/8'] })).toEqual({ ok: true })
    expect(check('http://10.1.2.3:8080/', 'loopback').ok).toBe(false)
    expect(check('http://localhost:8080/', 'loopback')).toEqual({ ok: true })
    expect(check('http://intranet.example/', { cidrs: ['10.0.0.0/8'] })).toEqual({ ok: true })
    expect(check('http://intranet.example/', 'loopback')).toEqual({ ok: false, reason: 'must use https' })
  })

  test.each(['', 'nonsense', 'https://user:pw@hook.example/', 'ftp://hook.example/', 'https://hook.example:0/'])(
    'sending to "%s" is invalid_url',
    async (url) => {
      expect(brief(await startEgress().send(post(url)))).toBe('invalid_url')
    },
  )
})

test('a receiver under test does see what is sent to it', async () => {
  const receiver = await startReceiver({})
  const socket = net.connect(receiver.port, '127.0.0.1')
  await once(socket, 'connect')
  socket.end('hello')
  await once(socket, 'close').catch(() => {})
  await receiver.allClosed()
  expect(receiver.received).toBe('hello')
})
