/**
 * Traces by OpenTelemetry's own SDK, sent as OTLP over HTTP through the service's egress client. Spans wait in a bounded
 * queue; when the collector is too slow or unreachable, spans are dropped and the service goes on.
 */
import {
  type Attributes,
  context,
  type Span as OtelSpan,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { OPERATORS_NETWORKS } from '../egress/addresses.ts'
import type { Egress } from '../egress/egress.ts'
import { errorField, type Log } from '../log.ts'
import type { OtlpProtocol, TraceConfig } from './trace-config.ts'
import type { Span, Traces, Work } from './traces.ts'

const SEND_MS = 10_000
const CLOSE_MS = 2_000

const KINDS: Record<Work['kind'], SpanKind> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
}

const FORMATS: Record<OtlpProtocol, { type: string; serializer: typeof JsonTraceSerializer }> = {
  'http/protobuf': { type: 'application/x-protobuf', serializer: ProtobufTraceSerializer },
  'http/json': { type: 'application/json', serializer: JsonTraceSerializer },
}

/** Traces that go to the configured collector. */
export function createOtlpTraces(
  config: TraceConfig,
  { egress, log, version }: { egress: Egress; log: Log; version: string },
): Traces {
  // Tracks which span the running work belongs to; it has no other state, so one serves the whole process.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': config.serviceName, 'service.version': version }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(config.share) }),
    spanProcessors: [new BatchSpanProcessor({ exporter: exporter(config, egress, log), exportTimeoutMillis: SEND_MS })],
  })
  const tracer = provider.getTracer('postrider', version)
  return {
    span({ name, kind, facts, parent }, work) {
      const from = parent === undefined ? context.active() : propagation.extract(ROOT_CONTEXT, { traceparent: parent })
      return tracer.startActiveSpan(name, { kind: KINDS[kind], attributes: facts }, from, async (span) => {
        try {
          return await work(asSpan(span))
        } catch (error) {
          span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'error' })
          throw error
        } finally {
          span.end()
        }
      })
    },
    statement(sql, tookMs, failed) {
      // Statements outside traced work, such as the polls of the loops, would only be noise.
      if (trace.getActiveSpan() === undefined) return
      const now = Date.now()
      const attributes: Attributes = { 'db.system.name': 'postgresql', 'db.query.text': sql }
      const span = tracer.startSpan('sql', { kind: SpanKind.CLIENT, attributes, startTime: now - tookMs })
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(now)
    },
    async close() {
      const patience = new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())
      await Promise.race([provider.shutdown().catch(() => {}), patience])
    },
  }
}

function asSpan(span: OtelSpan): Span {
  return {
    setAttributes: (facts) => void span.setAttributes(facts),
    failed: (why) => void span.setStatus({ code: SpanStatusCode.ERROR, message: why }),
    traceId: span.isRecording() ? span.spanContext().traceId : undefined,
  }
}

/** Sends batches. Only the first of several failures is logged, and the first success after it. */
function exporter({ url, headers, protocol }: TraceConfig, egress: Egress, log: Log): SpanExporter {
  const { type, serializer } = FORMATS[protocol]
  let failing = false
  async function send(spans: ReadableSpan[]): Promise<boolean> {
    const body = serializer.serializeRequest(spans)
    if (body === undefined) return false
    const answer = await egress.send({
      method: 'POST',
      url,
      headers: { ...headers, 'content-type': type },
      body: Buffer.from(body.buffer, body.byteOffset, body.byteLength),
      deadlineMs: SEND_MS,
      allow: OPERATORS_NETWORKS,
    })
    const ok = answer.kind === 'response' && answer.status >= 200 && answer.status < 300
    if (!ok && !failing)
      log.warn('traces.not_sent', answer.kind === 'response' ? { status: answer.status } : { cause: answer.cause })
    if (ok && failing) log.info('traces.sent_again', {})
    failing = !ok
    return ok
  }
  return {
    export: (spans, done) =>
      void send(spans).then(
        (ok) => done({ code: ok ? 0 : 1 }),
        // Spans that cannot be serialized are dropped: an unhandled rejection would end the process.
        (error) => {
          log.error('traces.not_serialized', { spans: spans.length, error: errorField(error) })
          done({ code: 1, error })
        },
      ),
    shutdown: async () => {},
  }
}
