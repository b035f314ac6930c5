import { once } from 'node:events'
import net from 'node:net'
import tls from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Lookup } from './lookup.ts'
import { issueCertificate, type TestCertificate } from './test-certificates.ts'
import { brief, post, startEgress, startReceiver } from './test-receivers.ts'

const authority = issueCertificate({ name: 'Test authority', isAuthority: true })
const issue = (hosts: string[], more: { expired?: boolean } = {}) =>
  issueCertificate({ name: 'receiver', hosts, issuer: authority, ...more })

const toLoopback: Lookup = (_hostname, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }])

/** A TLS server that answers 200 and keeps what it learnt about its clients. */
async function startSecure(certificate: TestCertificate, options: tls.TlsOptions = {}) {
  const seen = { port: 0, handshakes: 0, serverNames: [] as unknown[], protocols: [] as unknown[], received: '' }
  const server = tls.createServer(
    { cert: certificate.cert, key: certificate.key, ALPNProtocols: ['h2', 'http/1.1'], ...options },
    (socket) => {
      seen.handshakes += 1
      seen.serverNames.push(socket.servername)
      seen.protocols.push(socket.alpnProtocol)
      socket.on('error', () => {})
      socket.on('data', (chunk) => {
        seen.received += chunk
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
      })
    },
  )
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  seen.port = typeof address === 'object' && address !== null ? address.port : 0
  return seen
}

const startClient = () => startEgress({ tlsCa: authority.cert, lookup: toLoopback })

describe('TLS', () => {
  test('a trusted certificate for the name; the name goes into the greeting and the Host header', async () => {
    const receiver = await startSecure(issue(['hook.example']))
    const egress = startClient()
    const url = `https://hook.example:${receiver.port}/`
    expect(brief(await egress.send(post(url)))).toBe('200 ok')
    expect(brief(await egress.send(post(url)))).toBe('200 ok')
    expect(receiver).toMatchObject({ handshakes: 1, serverNames: ['hook.example'], protocols: ['http/1.1'] })
    expect(receiver.received).toContain(`host: hook.example:${receiver.port}\r\n`)
  })

  test('a name with a trailing dot is greeted without it', async () => {
    const receiver = await startSecure(issue(['hook.example']))
    expect(brief(await startClient().send(post(`https://hook.example.:${receiver.port}/`)))).toBe('200 ok')
    expect(receiver.serverNames).toEqual(['hook.example'])
  })

  test('a certificate for an address', async () => {
    const receiver = await startSecure(issue(['127.0.0.1']))
    expect(brief(await startClient().send(post(`https://127.0.0.1:${receiver.port}/`)))).toBe('200 ok')
    expect(receiver.serverNames).toEqual([false])
  })

  test.each([
    ['self-signed', issueCertificate({ name: 'hook.example', hosts: ['hook.example'] })],
    [
      'of an unknown authority',
      issueCertificate({
        name: 'x',
        hosts: ['hook.example'],
        issuer: issueCertificate({ name: 'Other', isAuthority: true }),
      }),
    ],
    ['expired', issue(['hook.example'], { expired: true })],
    ['for another name', issue(['other.example'])],
    ['for the address instead of the name', issue(['127.0.0.1'])],
  ])('a certificate %s is a tls_error and the request stays here', async (_what, certificate) => {
    const receiver = await startSecure(certificate)
    expect(brief(await startClient().send(post(`https://hook.example:${receiver.port}/`)))).toBe('tls_error')
    expect(receiver.received).toBe('')
  })

  test('a certificate for another address', async () => {
    const receiver = await startSecure(issue(['127.0.0.2']))
    expect(brief(await startClient().send(post(`https://127.0.0.1:${receiver.port}/`)))).toBe('tls_error')
    expect(receiver.received).toBe('')
  })

  test('the test’s authority is trusted only where it is given', async () => {
    const receiver = await startSecure(issue(['hook.example']))
    expect(brief(await startEgress({ lookup: toLoopback }).send(post(`https://hook.example:${receiver.port}/`)))).toBe(
      'tls_error',
    )
  })

  test('old protocol versions are refused', async () => {
    const receiver = await startSecure(issue(['hook.example']), {
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    })
    expect(brief(await startClient().send(post(`https://hook.example:${receiver.port}/`)))).toBe('tls_error')
  })

  test.each<[string, string, (socket: net.Socket) => void]>([
    ['plain http', 'tls_error', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['garbage', 'tls_error', (socket) => socket.end('\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007')],
    ['a reset', 'connection_reset', (socket) => socket.once('data', () => socket.resetAndDestroy())],
    ['a close', 'connection_reset', (socket) => socket.once('data', () => socket.end())],
  ])('a peer that answers the greeting with %s: %s', async (_what, cause, onConnection) => {
    const receiver = await startReceiver({ onConnection })
    expect(brief(await startClient().send(post(`https://hook.example:${receiver.port}/`)))).toBe(cause)
    await receiver.allClosed()
  })

  test('a peer that never answers the greeting is a timeout', async () => {
    const receiver = await startReceiver({})
    const outcome = await startClient().send(post(`https://hook.example:${receiver.port}/`, { deadlineMs: 200 }))
    expect(outcome).toMatchObject({ cause: 'timeout', detail: 'no connection within 200 ms' })
    await receiver.allClosed()
  })

  test('a name with several addresses is tried until TLS can begin', async () => {
    const receiver = await startSecure(issue(['hook.example']))
    const lookup: Lookup = (_hostname, _options, callback) =>
      callback(
        null,
        ['::1', '127.0.0.3', '127.0.0.1'].map((address) => ({ address, family: net.isIP(address) })),
      )
    const egress = startEgress({ tlsCa: authority.cert, lookup })
    expect(brief(await egress.send(post(`https://hook.example:${receiver.port}/`)))).toBe('200 ok')
  })
})
