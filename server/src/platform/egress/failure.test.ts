import { describe, expect, test } from 'vitest'
import { EgressError, toDetail, toFailure } from './failure.ts'

const withCode = (code: string, message = code, more = {}) => Object.assign(new Error(message), { code, ...more })

describe('what an error is called', () => {
  test.each([
    ['ECONNREFUSED', 'connection_refused'],
    ['ECONNRESET', 'connection_reset'],
    ['EPIPE', 'connection_reset'],
    ['ETIMEDOUT', 'timeout'],
    ['ENOTFOUND', 'dns_error'],
    ['EAI_AGAIN', 'dns_error'],
    ['CERT_HAS_EXPIRED', 'tls_error'],
    ['CERT_NOT_YET_VALID', 'tls_error'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls_error'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls_error'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_error'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_error'],
    ['HPE_INVALID_HEADER_TOKEN', 'protocol_error'],
    ['UND_ERR_HEADERS_OVERFLOW', 'protocol_error'],
    ['ENETUNREACH', 'network_error'],
    ['EHOSTUNREACH', 'network_error'],
    ['EMFILE', 'network_error'],
    ['', 'network_error'],
  ])('%s: %s', (code, cause) => {
    expect(toFailure(withCode(code))).toMatchObject({ cause })
  })

  test('one code of undici’s means different things', () => {
    expect(toFailure(withCode('UND_ERR_SOCKET', 'other side closed')).cause).toBe('connection_reset')
    expect(toFailure(withCode('UND_ERR_SOCKET', 'bad response')).cause).toBe('protocol_error')
    expect(toFailure(withCode('UND_ERR_SOCKET', 'something new')).cause).toBe('network_error')
  })

  test('of several addresses that failed, the most telling', () => {
    const errors = [withCode('ENETUNREACH'), withCode('ECONNREFUSED'), withCode('ECONNRESET')]
    expect(toFailure(new AggregateError(errors)).cause).toBe('connection_refused')
    expect(toFailure(new AggregateError(errors.slice(0, 1)))).toEqual({
      cause: 'network_error',
      detail: 'ENETUNREACH: ENETUNREACH',
    })
    expect(toFailure(new AggregateError([], 'all failed'))).toEqual({
      cause: 'network_error',
      detail: 'AggregateError: all failed',
    })
  })

  test.each([undefined, null, 'text', 7, { code: 'ECONNRESET' }])('anything may be thrown: %j', (thrown) => {
    expect(toFailure(thrown)).toEqual({ cause: 'network_error', detail: 'network error' })
  })

  test('what knows its own cause keeps it', () => {
    expect(toFailure(new EgressError('blocked_address', 'private address'))).toEqual({
      cause: 'blocked_address',
      detail: 'private address',
    })
  })
})

describe('the detail', () => {
  test('does not name addresses', () => {
    const error = withCode('ECONNREFUSED', 'connect ECONNREFUSED 10.1.2.3:443', { address: '10.1.2.3', port: 443 })
    expect(toFailure(error)).toEqual({ cause: 'connection_refused', detail: 'ECONNREFUSED' })
  })

  test('is short, printable and well-formed', () => {
    expect(toDetail('a\u0000b\nc\u0085d')).toBe('a b c d')
    expect(toDetail('x'.repeat(1_000))).toHaveLength(160)
    expect(toDetail(`${'x'.repeat(159)}🌍`).isWellFormed()).toBe(true)
  })
})
