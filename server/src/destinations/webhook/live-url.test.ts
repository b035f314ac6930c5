import { expect, it } from 'vitest'
import { liveUrlOf } from './live-url.ts'

it.each([
  ['{"ok":true,"url":"https://blog.example.com/bread"}', 'https://blog.example.com/bread'],
  ['{"url":"http://localhost:4000/posts/bread"}', 'http://localhost:4000/posts/bread'],
  ['{"url":"javascript:alert(1)"}', null],
  ['{"url":"/blog/bread?a=b"}', 'https://blog.example.com/blog/bread?a=b'],
  ['{"url":"//other.example/bread"}', null],
  ['{"url":"/\\\\other.example/bread"}', null],
  ['{"url":"bread"}', null],
  ['{"url":["https://blog.example.com"]}', null],
  ['{"url":"https://blog.example.com/a b"}', null],
  [`{"url":"https://blog.example.com/","more":"${'x'.repeat(4_096)}"}`, null],
  ['{"url":"https://blog.exam', null],
  ['OK', null],
  ['', null],
])('the answer %.50s names %s', (text, url) => {
  expect(liveUrlOf(Buffer.from(text), 'https://blog.example.com/api/postrider')).toBe(url)
})
