import { expect, it } from 'vitest'
import { addressOf, nameFrom, webhookAddress } from './address.ts'

it.each([
  ['blog.example.com', 'https://blog.example.com'],
  [' https://example.com/blog/ ', 'https://example.com/blog'],
  ['http://localhost:4321', 'http://localhost:4321'],
  ['localhost:4321', 'http://localhost:4321'],
  ['127.0.0.1:4321/', 'http://127.0.0.1:4321'],
  ['mailto:ada@example.com', undefined],
  ['kitchen', undefined],
  ['', undefined],
])('%o means %o', (typed, address) => {
  expect(addressOf(typed)).toBe(address)
})

it('a site is called as its address is', () => {
  expect(nameFrom('https://www.kitchen-notes.example.com/blog')).toBe('kitchen-notes.example.com')
})

it('webhooks go below the address, by https but to this very machine', () => {
  expect(webhookAddress('https://example.com/blog', '/api/postrider')).toBe('https://example.com/blog/api/postrider')
  expect(webhookAddress('http://example.com', '/hook')).toBe('https://example.com/hook')
  expect(webhookAddress('http://localhost:4321', '/hook')).toBe('http://localhost:4321/hook')
})
