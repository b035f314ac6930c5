import { describe, expect, it } from 'vitest'
import { judge } from './attempt.ts'

const accepts = (status: number) => status === 200

describe('judging an answer', () => {
  it('only a status that the channel accepts is success', () => {
    for (const status of [100, 199, 201, 202, 204, 206, 301, 304, 400, 404, 410, 500, 599]) {
      const outcome = {
        kind: 'response',
        status,
        headers: {},
        body: new Uint8Array(),
        truncated: false,
        tookMs: 5,
      } as const
      expect(judge(outcome, accepts)).toMatchObject({ kind: 'refused', code: status })
    }
  })

  it('no answer has no code', () => {
    const outcome = { kind: 'unreachable', cause: 'dns_error', detail: '', tookMs: 5.4 } as const
    expect(judge(outcome, accepts)).toEqual({ kind: 'unreachable', error: 'dns_error', silent: false, tookMs: 5.4 })
  })

  it('of an attempt that was aborted is unknown', () => {
    const outcome = { kind: 'unreachable', cause: 'aborted', detail: '', tookMs: 5 } as const
    expect(judge(outcome, accepts)).toEqual({ kind: 'unknown' })
  })

  it('is of silence only if somebody waited: a second, or until the timeout', () => {
    const silent = (cause: 'connection_refused' | 'timeout', tookMs: number) =>
      judge({ kind: 'unreachable', cause, detail: '', tookMs }, accepts)
    expect(silent('connection_refused', 3)).toMatchObject({ silent: false })
    expect(silent('connection_refused', 1_000)).toMatchObject({ silent: true })
    expect(silent('timeout', 400)).toMatchObject({ silent: true })
  })
})
