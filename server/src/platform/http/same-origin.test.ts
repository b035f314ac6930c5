import { describe, expect, it } from 'vitest'
import { assertNotRebound, assertSameOrigin } from './same-origin.ts'

const PUBLIC_URL = 'https://posts.example.com'

function verdict(method: string, headers: Record<string, string>, publicUrl = PUBLIC_URL): 'ours' | 'not ours' {
  try {
    assertSameOrigin(publicUrl, { method, header: (name) => headers[name] })
    return 'ours'
  } catch (error) {
    expect(error).toMatchObject({ status: 403, message: expect.stringContaining(publicUrl) })
    return 'not ours'
  }
}

describe('a change with a cookie', () => {
  it.each([
    ['from the address people know', { origin: PUBLIC_URL, host: 'posts.example.com' }],
    ['from there, through a proxy that asks for another host', { origin: PUBLIC_URL, host: '10.0.0.7:3000' }],
    ['from another name of the same machine', { origin: 'http://127.0.0.1:3000', host: '127.0.0.1:3000' }],
    ['by the word of the browser, whatever a proxy made of it', { origin: 'https://x.example.org', host: 'app:3000', 'sec-fetch-site': 'same-origin' }],
  ])('is ours %s', (_, headers) => {
    expect(verdict('POST', headers)).toBe('ours')
  }) // biome-ignore format: one row per case

  it.each([
    ['without an Origin', { host: 'posts.example.com' }],
    ['without an Origin, even with a verdict', { host: 'posts.example.com', 'sec-fetch-site': 'same-origin' }],
    ['from another site', { origin: 'https://evil.example', host: 'posts.example.com' }],
    ['from a sibling', { origin: 'https://blog.example.com', host: 'posts.example.com' }],
    ['from another port', { origin: 'http://localhost:5173', host: 'localhost:3000' }],
    ['from a name that ends like ours', { origin: 'https://xposts.example.com', host: 'posts.example.com' }],
    ['from a sandboxed frame', { origin: 'null', host: 'posts.example.com' }],
    ['from nonsense', { origin: 'posts.example.com', host: 'posts.example.com' }],
    ['when the browser says same-site', { origin: PUBLIC_URL, host: 'posts.example.com', 'sec-fetch-site': 'same-site' }],
    ['when the browser says cross-site', { origin: PUBLIC_URL, host: 'posts.example.com', 'sec-fetch-site': 'cross-site' }],
    ['when the browser says that a person typed it', { origin: PUBLIC_URL, host: 'posts.example.com', 'sec-fetch-site': 'none' }],
  ])('is not ours %s', (_, headers) => {
    for (const method of ['POST', 'PATCH', 'PUT', 'DELETE']) expect(verdict(method, headers)).toBe('not ours')
  }) // biome-ignore format: one row per case
})

describe('reading with a cookie', () => {
  it.each([
    ['same-origin, without an Origin', {}],
    ['from our own pages', { 'sec-fetch-site': 'same-origin' }],
    ['by an address that a person typed', { 'sec-fetch-site': 'none' }],
  ])('is ours: %s', (_, headers) => {
    for (const method of ['GET', 'HEAD', 'OPTIONS']) expect(verdict(method, headers)).toBe('ours')
  })

  it.each([
    ['a sibling that asks by script', { origin: 'https://blog.example.com', host: 'posts.example.com' }],
    ['a sibling that embeds', { 'sec-fetch-site': 'same-site' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
  ])('is not ours: %s', (_, headers) => {
    expect(verdict('GET', headers)).toBe('not ours')
  })
})

describe('a login at a service on loopback alone', () => {
  const login = (origin: string | undefined, host = '127.0.0.1', publicUrl = 'http://localhost:3000') =>
    assertNotRebound(
      { host, publicUrl },
      { method: 'POST', header: (name) => (name === 'origin' ? origin : undefined) },
    )

  it.each([undefined, 'http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000', 'http://blog.localhost'])(
    'may come from %s',
    (origin) => expect(() => login(origin)).not.toThrow(),
  )

  it('may come from a name only if that is ours', () => {
    expect(() => login('http://evil.example:3000')).toThrow(/does not know itself as evil\.example/)
    expect(() => login('https://posts.example.com', 'localhost', PUBLIC_URL)).not.toThrow()
    expect(() => login('http://laptop.local:3000', '0.0.0.0')).not.toThrow()
  })
})
