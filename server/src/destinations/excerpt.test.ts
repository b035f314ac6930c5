import { describe, expect, it } from 'vitest'
import { excerptOf } from './excerpt.ts'

const of = (text: string) => excerptOf(Buffer.from(text))

describe('the excerpt of an answer', () => {
  it.each([
    ['', null],
    [' \n\0 ', null],
    ['{"error":"no such table"}', '{"error":"no such table"}'],
    ['<h1>502</h1>\r\n\tnginx\n', '<h1>502</h1> \n\tnginx'],
    ['a\u0000b\u001b[31mc\u202ed', 'a b [31mc d'],
    ['ümläut 🦊', 'ümläut 🦊'],
  ])('of %j is %j', (text, excerpt) => {
    expect(of(text)).toBe(excerpt)
  })

  it('has at most 500 characters, none of them half', () => {
    expect(of('x'.repeat(10_000))).toBe('x'.repeat(500))
    expect(of('🦊'.repeat(600))).toBe('🦊'.repeat(500))
    expect(of(`x${'€'.repeat(2_000)}`)).toBe(`x${'€'.repeat(499)}`)
  })

  it('of what is not text can be kept', () => {
    const bytes = Buffer.from(Array.from({ length: 4_096 }, (_, index) => index % 256))
    const excerpt = excerptOf(bytes) ?? ''
    expect(excerpt).toBe(excerpt.toWellFormed())
    expect(excerpt).not.toMatch(/[^\P{Cc}\n\t]/u)
  })
})
