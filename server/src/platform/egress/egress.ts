/**
 * The only way out of this process: webhooks, test sends, platform detection, calls to a language model.
 *
 * What it guarantees to its callers:
 * - `send` never throws and never rejects. It ends at the deadline, which covers resolving, waiting for a connection,
 *   connecting, TLS, headers and body.
 * - One call puts the request on the wire at most once. Only if a kept connection turns out to be closed before anything is
 *   written does the attempt take another. If it closes after writing began, nobody can know whether the request arrived:
 *   the outcome is `connection_reset`, and the caller decides whether to retry.
 * - A final status is an answer. A body that is slow, endless, cut off or too long only makes the answer `truncated`.
 *
 * What it guarantees to the network it runs in:
 * - Only public addresses are called, and private ones that the operator allowed; by plain http only the latter. The
 *   literal, every resolved address and the connected peer are judged; sockets go to the judged addresses, and a name is
 *   resolved anew for every connection. Connections live for seconds when idle and a minute when busy.
 * - Redirects are not followed. Certificates are always verified, for the name in the URL.
 * - Nothing is decompressed. The bytes of headers, body and everything around them are limited, and so are connections.
 *
 * The files: `target.ts` and `addresses.ts` judge where a request may go, `resolve.ts` asks the name servers, `dial.ts` opens a vetted socket and
 * `pool.ts` keeps it. `attempt.ts` is one request from its beginning to its outcome: it takes a `connection.ts`, which writes it, `exchange.ts`
 * reads the response, and `answer.ts` is what is kept of it.
 *
 * An unsolicited `100 Continue` ends the attempt as `protocol_error`; other informational responses are skipped.
 */
import { LinkedList } from '../linked-list.ts'
import { AbortWatch } from './abort.ts'
import { type Allowed, type AllowPolicy, compileAllow } from './addresses.ts'
import { Attempt, type AttemptParts } from './attempt.ts'
import { createDial } from './dial.ts'
import type { BodySink } from './exchange.ts'
import { type Failure, toFailure } from './failure.ts'
import type { Lookup } from './lookup.ts'
import type { EgressOutcome, EgressRequest, EgressStream } from './message.ts'
import { ConnectionPool } from './pool.ts'
import { createResolver } from './resolve.ts'
import { streamBody } from './stream-body.ts'
import { checkUrl, parseTarget } from './target.ts'

export type { EgressOutcome, EgressRequest } from './message.ts'

export type Egress = {
  /** Sends one request. Never throws. */
  send(request: EgressRequest): Promise<EgressOutcome>
  /** Sends one request; resolves when the status is known, with the body as a stream. Never rejects. */
  stream(request: EgressRequest): Promise<EgressStream>
  /**
   * Judges a URL before it is stored, without a resolver: https, no credentials, no forbidden literal address. Plain http
   * is accepted for a literal address or `localhost` in an allowed range, and for any name when the operator has listed
   * CIDRs; the addresses of such a name are judged when it is called.
   */
  check(url: string): { ok: true } | { ok: false; reason: string }
  /** Ends the attempts under way like an abort and closes all sockets. Later sends are `aborted`. */
  close(): Promise<void>
}

export type EgressOptions = {
  allow: AllowPolicy
  userAgent: string
  /** Default: `createLookup()`. */
  lookup?: Lookup
  /** How many connections may be open before idle ones are closed to make room; default 1,024. */
  keptConnections?: number
  /** How many requests to one origin run at once; the others wait. Default 512. */
  perOriginConnections?: number
  /** PEM of an authority to trust besides the usual ones. */
  tlsCa?: string
  /** A monotonic clock, in milliseconds. */
  nowMs?: () => number
}

const BY_CALLER = 'aborted by the caller'

/** Builds the client. Throws if `allow` holds a bad CIDR. */
export function createEgress(options: EgressOptions): Egress {
  const { userAgent, keptConnections = 1_024, perOriginConnections = 512, nowMs = () => performance.now() } = options
  const allowed = compileAllow(options.allow)
  const allowedFor = createPolicyCache(options.allow, allowed)
  const dial = createDial(createResolver(options.lookup, nowMs), options.tlsCa)
  const parts: AttemptParts = {
    pool: new ConnectionPool({ dial, keptConnections, perOriginConnections, nowMs }),
    userAgent,
    nowMs,
  }
  const underWay = new LinkedList<Attempt>()
  const aborts = new AbortWatch((signal) => {
    for (const attempt of underWay.toArray()) if (attempt.signal === signal) attempt.stop('aborted', BY_CALLER)
  })
  let closed = false

  function begin(
    request: EgressRequest,
    onSettled: (outcome: EgressOutcome) => void,
    sink?: BodySink,
  ): Attempt | undefined {
    const refuse = ({ cause, detail }: Failure) => onSettled({ kind: 'unreachable', cause, detail, tookMs: 0 })
    if (closed) return void refuse({ cause: 'aborted', detail: 'outbound requests have been shut down' })
    if (request.signal?.aborted) return void refuse({ cause: 'aborted', detail: BY_CALLER })
    try {
      const parsed = parseTarget(request.url)
      if (!parsed.ok) return void refuse({ cause: 'invalid_url', detail: parsed.reason })
      const plan = { request, target: parsed.target, allowed: allowedFor(request.allow), sink }
      const attempt = new Attempt(parts, plan, (outcome) => {
        underWay.delete(attempt)
        aborts.leave(request.signal)
        onSettled(outcome)
      })
      underWay.add(attempt)
      aborts.join(request.signal)
      attempt.start()
      return attempt
    } catch (error) {
      return void refuse(toFailure(error))
    }
  }

  const send = (request: EgressRequest) => new Promise<EgressOutcome>((resolve) => void begin(request, resolve))

  function stream(request: EgressRequest): Promise<EgressStream> {
    return new Promise((resolve) => {
      let attempt: Attempt | undefined
      const { body, sink } = streamBody({
        onStart: (status, headers) => resolve({ kind: 'response', status, headers, body }),
        onCancel: () => attempt?.stop('aborted', 'the caller stopped reading'),
      })
      // After `onStart` the promise is already resolved, and this has no effect.
      const onSettled = (outcome: EgressOutcome) => {
        if (outcome.kind === 'unreachable') resolve(outcome)
      }
      attempt = begin(request, onSettled, sink)
    })
  }

  async function close(): Promise<void> {
    closed = true
    for (const attempt of underWay.toArray()) attempt.stop('aborted', 'outbound requests are shutting down')
    await parts.pool.close()
  }

  return { send, stream, check: (url) => checkUrl(url, allowed), close }
}

/** Compiling a policy costs more than a request; callers pass the same one again and again. */
function createPolicyCache(own: AllowPolicy, ownCompiled: Allowed): (policy: AllowPolicy | undefined) => Allowed {
  const byName = { none: compileAllow('none'), loopback: compileAllow('loopback') }
  const byObject = new WeakMap<object, Allowed>()
  return (policy) => {
    if (policy === undefined || policy === own) return ownCompiled
    if (typeof policy === 'string') return byName[policy]
    let compiled = byObject.get(policy)
    if (compiled === undefined) {
      compiled = compileAllow(policy)
      byObject.set(policy, compiled)
    }
    return compiled
  }
}
