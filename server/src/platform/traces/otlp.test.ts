import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer'
import { afterEach, expect, it, vi } from 'vitest'
import { type LogLine, recordingLog } from '../../../test/support/log.ts'
import type { Egress } from '../egress/egress.ts'
import { createOtlpTraces } from './otlp.ts'

afterEach(() => void vi.restoreAllMocks())

const config = {
  url: 'http://127.0.0.1:4318/v1/traces',
  headers: {},
  protocol: 'http/json',
  serviceName: 'blogs',
  share: 1,
} as const

it('drops spans that cannot be serialized, and sends the next ones', async () => {
  const logged: LogLine[] = []
  const sent: string[] = []
  const egress: Pick<Egress, 'send'> = {
    async send({ body }) {
      sent.push(String(body))
      return { kind: 'response', status: 200, headers: {}, body: '', tookMs: 1 } as never
    },
  }
  vi.spyOn(JsonTraceSerializer, 'serializeRequest').mockImplementationOnce(() => {
    throw new Error('too large')
  })
  const one = () =>
    createOtlpTraces(config, {
      egress: egress as Egress,
      log: recordingLog((line) => void logged.push(line)),
      version: '1',
    })
  const traced = async (name: string) => {
    const traces = one()
    await traces.span({ name, kind: 'internal', facts: {} }, async () => {})
    await traces.close()
  }
  await traced('first')
  expect(logged.map(({ event }) => event)).toEqual(['traces.not_serialized'])
  expect(sent).toEqual([])
  await traced('second')
  expect(sent).toEqual([expect.stringContaining('"second"')])
})
