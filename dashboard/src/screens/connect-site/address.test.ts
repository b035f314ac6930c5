import { expect, it } from 'vitest'
import { addressOf, nameFrom, siteAt, webhookAddress } from './address.ts'

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
  expect(nameFrom('http://localhost:3000')).toBe('')
})

it('webhooks go below the address, by https but to this very machine', () => {
  expect(webhookAddress('https://example.com/blog', '/api/postrider')).toBe('https://example.com/blog/api/postrider')
  expect(webhookAddress('http://example.com', '/hook')).toBe('https://example.com/hook')
  expect(webhookAddress('http://localhost:4321', '/hook')).toBe('http://localhost:4321/hook')
})

it('a site is known by where it receives, else by its address', () => {
  const blog = { url: 'https://example.com/blog', webhook_url: 'https://example.com/hook?site=1' }
  const shop = { url: 'https://example.com/shop', webhook_url: 'https://example.com/hook?site=2' }
  const known = (url: string, webhook_url: string) => siteAt([blog, shop], { url, webhook_url })
  expect(known('https://other.example', 'https://EXAMPLE.com/hook/?site=2')).toBe(shop)
  expect(known('https://example.com/blog', 'https://example.com/hook?site=2')).toBe(shop)
  expect(known('http://example.com/blog/', 'https://example.com/other')).toBe(blog)
  expect(known('https://example.com', 'https://example.com/hook')).toBeUndefined()
  expect(siteAt([{ url: '', webhook_url: '' }], { url: '', webhook_url: 'half an addr' })).toBeUndefined()
})
