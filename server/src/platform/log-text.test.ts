import { expect, it } from 'vitest'
import { createLog, errorField } from './log.ts'

/** What a log writes for people, without the time of day. */
function written(write: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = []
  write(createLog('debug', 'text', { write: (line) => void lines.push(line) }))
  return lines.map((line) => line.replace(/^\d\d:\d\d:\d\d {2}/, ''))
}

it('shows a request as other servers do, and of anything else the event and its fields', () => {
  const lines = written((log) => {
    log.info('request.done', { request_id: 'r1', route: 'GET /api/posts', status: 200, took_ms: 4 })
    log.info('request.done', { request_id: 'r2', route: 'unreadable', status: 400 })
    log.warn('delivery.attempted', { status: 500, site: 'Kitchen notes', token: 'abc', at: ['a', 1] })
  })
  expect(lines).toEqual([
    'GET /api/posts  200  4 ms\n',
    'unreadable  400\n',
    'WARN  delivery.attempted  status=500  site="Kitchen notes"  token=[secret]  at=["a",1]\n',
  ])
})

it('shows what an error says, and what caused it, on lines of their own', () => {
  const error = new Error('no answer', { cause: new TypeError('refused') })
  const [line = ''] = written((log) => log.error('loop.failed', { loop: 'deliver', error: errorField(error) }))
  const [first, second] = line.split('\n')
  expect(first).toBe('ERROR  loop.failed  loop=deliver')
  expect(second).toBe('  Error: no answer')
  expect(line).toMatch(/\n {2} {4}at .*\n {2}TypeError: refused\n/)
})
