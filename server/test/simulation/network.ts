/** Simulated receivers behind the outbound client's interface, and a journal of every POST to them. */
import { createHmac } from 'node:crypto'
import { SLOW_MS } from '../../src/engine/policy.ts'
import type { Egress, EgressOutcome, EgressRequest } from '../../src/platform/egress/egress.ts'
import type { Agenda } from './agenda.ts'
import type { Process } from './process.ts'
import type { Weather } from './story.ts'

/** One request on the wire. Times are the agenda's. */
export type Request = {
  process: Process
  siteId: string
  startedAt: number
  /** What the clock of its process said, in milliseconds since 1970. */
  wallAt: number
  /** When the receiver sent its 200. */
  acknowledgedAt: number | undefined
  /** When the worker saw how it ended; undefined if it never did. */
  endedAt: number | undefined
  ok: boolean
  /** Whether it waited for an answer that did not come. */
  silent: boolean
  aborted: boolean
}

/** A request for one delivery; of a build, what it was for one of the deliveries that it served. */
export type Post = Request & {
  deliveryId: string
  postId: string
  /** Undefined of a webhook. */
  build: Build | undefined
  /** What the engine logged about the result, and when. */
  settled: { as: 'recorded' | 'late'; at: number; attempt: number; status: string } | undefined
}

/** A request to a build hook, which says nothing of what it is for: the log of its result does. */
export type Build = Request & { debounceSeconds: number | null | undefined; served: Post[] }

/** What the engine logs about a result. */
export type LoggedResult = { delivery_id: string; site_id: string; post_id: string; attempt: number; status: string }

/** A site as its owner knows it. `since`: when the last change was answered; `is`: undefined while one is under way. */
export type Receiver = {
  siteId: string
  slot: number
  url: string
  weather: Weather
  /** Newest last; `until`: when the owner saw it replaced. `secretUnknown` after a rotation without an answer. */
  secrets: Array<{ text: string; until: number | undefined }>
  secretUnknown: boolean
  paused: { is: boolean | undefined; since: number }
  /** Of a build hook, in seconds; null where webhooks are sent. */
  debounce: { is: number | null | undefined; since: number }
  deleted: { is: boolean | undefined; since: number }
}

/** The id of a site whose creation was not answered. */
export const UNKNOWN = 'unknown'

const FAIR = ['ok', 'slow', 'error', 'hang', 'reset', 'refuse'] as const
const UNFAIR = [...FAIR, 'error', 'acknowledge and crash'] as const
const ERRORS = [500, 404, 301, 201, 503]

type Parts = {
  /** Whether nothing breaks on our side in the whole story. */
  calm: boolean
  agenda: Agenda
  wall(process: Process): number
  receivers: Map<string, Receiver>
  /** Whether anything may break on our side now. */
  armed(): boolean
  /** Until when, in virtual time, the process has leased the lane of the site. */
  leasedUntil(process: Process, siteId: string): number
  tell(line: string): void
  complain(promise: string, detail: string): void
}

/** The network between the service and its sites. */
export class Network {
  readonly posts: Post[] = []
  readonly builds: Build[] = []
  /** Requests that only ask whether the site works. */
  readonly probes: Request[] = []
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The way out of one process. */
  egressOf(process: Process): Egress {
    return {
      send: (request) => this.#send(process, request),
      stream: () => Promise.reject(new Error('nothing streams in a simulation')),
      check: () => ({ ok: true }),
      close: async () => {},
    }
  }

  #send(process: Process, request: EgressRequest): Promise<EgressOutcome> {
    const { agenda, tell } = this.#parts
    const strike = process.strikeAt(false)
    if (strike === 'crash before') process.crash()
    if (!process.alive) return new Promise(() => {})
    const receiver = this.#parts.receivers.get(request.url)
    if (receiver === undefined) throw new Error(`nobody lives at ${request.url}`)
    const post = this.#receive(process, receiver, request)
    if (strike === 'crash after') agenda.after(0, () => process.crash())
    return new Promise((resolve) => {
      const end = (outcome: EgressOutcome) => {
        if (post.endedAt !== undefined) return
        post.endedAt = agenda.now
        post.ok = outcome.kind === 'response' && outcome.status === 200
        post.silent = outcome.kind === 'unreachable' && (outcome.cause === 'timeout' || outcome.tookMs >= SLOW_MS)
        post.aborted = outcome.kind === 'unreachable' && outcome.cause === 'aborted'
        tell(`${process.name} sees ${describe(outcome)} of ${nameOf(post)}`)
        resolve(outcome)
      }
      request.signal?.addEventListener('abort', () => process.deliver(() => end(failed('aborted', post, agenda.now))))
      this.#answer(receiver, process, post, request.deadlineMs, end)
    })
  }

  #answer(
    receiver: Receiver,
    process: Process,
    post: Request,
    deadlineMs: number,
    end: (outcome: EgressOutcome) => void,
  ): void {
    const { agenda } = this.#parts
    const chance = () => process.chance()
    const errors = 'served' in post ? ERRORS.filter((status) => status >= 300) : ERRORS
    const mix = this.#parts.calm ? FAIR : UNFAIR
    const weather = receiver.weather === 'mixed' ? (mix[Math.floor(chance() * mix.length)] ?? 'ok') : receiver.weather
    const within = (ms: number, what: () => void) => void agenda.after(Math.min(ms, deadlineMs), what)
    const arrive = (outcome: () => EgressOutcome) => process.deliver(() => end(outcome()))
    const answer = (status: number, deadly = false) => {
      if (status === 200) {
        post.acknowledgedAt = agenda.now
        this.#parts.tell(`site ${short(receiver.siteId)} acknowledges ${nameOf(post)}`)
      }
      if (deadly) process.crash()
      arrive(() => answered(status, post, agenda.now))
    }
    switch (weather) {
      case 'ok':
        within(1 + chance() * 60, () => answer(200))
        break
      case 'slow':
        within(300 + chance() * (deadlineMs - 400), () => answer(200))
        break
      case 'error':
        within(1 + chance() * 60, () => answer(errors[Math.floor(chance() * errors.length)] ?? 500))
        break
      case 'hang':
        within(deadlineMs, () => arrive(() => failed('timeout', post, agenda.now)))
        break
      case 'reset':
        within(1 + chance() * 300, () => arrive(() => failed('connection_reset', post, agenda.now)))
        break
      case 'refuse':
        within(1, () => arrive(() => failed('connection_refused', post, agenda.now)))
        break
      case 'acknowledge and crash':
        within(1 + chance() * 60, () => {
          // The process dies with the answer on its way.
          answer(200, this.#parts.armed() && chance() < 0.6)
        })
    }
  }

  /** What any receiver checks, and what a careful one does. */
  #receive(process: Process, receiver: Receiver, request: EgressRequest): Request {
    const { agenda, tell } = this.#parts
    const isBuild = request.body === '{}'
    const begun: Request = {
      process,
      siteId: receiver.siteId,
      startedAt: agenda.now,
      wallAt: this.#parts.wall(process),
      acknowledgedAt: undefined,
      endedAt: undefined,
      ok: false,
      silent: false,
      aborted: false,
    }
    if (isBuild) {
      tell(`${process.name} starts a build of ${short(receiver.siteId)}`)
      this.#expect(process, receiver, request, 'a build')
      const build = { ...begun, debounceSeconds: receiver.debounce.is, served: [] }
      this.builds.push(build)
      return build
    }
    if (request.headers['x-service-event'] === 'site.test') {
      tell(`${process.name} probes ${short(receiver.siteId)}`)
      this.probes.push(begun)
      return begun
    }
    const { deliveryId, postId } = this.#readWebhook(process, receiver, request)
    this.#expect(process, receiver, request, deliveryId)
    const post = { ...begun, siteId: receiver.siteId, deliveryId, postId, build: undefined, settled: undefined }
    this.posts.push(post)
    return post
  }

  /** Whether a request may come to this receiver now. */
  #expect(process: Process, receiver: Receiver, request: EgressRequest, what: string): void {
    const { agenda, complain } = this.#parts
    const kind = receiver.debounce.is === null ? 'webhook' : 'build hook'
    const isOfOtherKind = (kind === 'webhook') === (request.body === '{}') && receiver.debounce.is !== undefined
    for (const [state, is, since] of [
      ['paused', receiver.paused.is, receiver.paused.since],
      ['deleted', receiver.deleted.is, receiver.deleted.since],
      [`a ${kind}`, isOfOtherKind, receiver.debounce.since],
    ] as const) {
      if (is === true && since + this.patience(process) < agenda.now)
        complain('fresh endpoints', `${what} was sent to a site that was ${state} at ${since.toFixed(1)}`)
    }
    if (agenda.now + request.deadlineMs > this.#parts.leasedUntil(process, receiver.siteId))
      complain('9 no attempt without a lease', `${what} was sent with a lease that ends before its deadline`)
  }

  /** The request that led to a result: that of the delivery, or the build that served it. */
  requestOf(process: Process, result: LoggedResult): Post | undefined {
    const { delivery_id: deliveryId, site_id: siteId, post_id: postId } = result
    const own = this.posts.findLast(
      (one) => one.process === process && one.deliveryId === deliveryId && one.settled === undefined,
    )
    const build = this.builds.findLast(
      (one) => one.process === process && one.siteId === siteId && one.endedAt !== undefined,
    )
    if (build === undefined || (own !== undefined && own.startedAt > build.startedAt)) return own
    const { served, debounceSeconds: _, ...request } = build
    const post = { ...request, deliveryId, postId, build, settled: undefined }
    served.push(post)
    this.posts.push(post)
    return post
  }

  /** What a careful receiver of webhooks checks: who it is for, what it says, when it was made and by whom. */
  #readWebhook(process: Process, receiver: Receiver, request: EgressRequest): { deliveryId: string; postId: string } {
    const { headers } = request
    const body = request.body as Buffer
    const payload = JSON.parse(body.toString())
    const header = (name: string) => headers[name] ?? ''
    const deliveryId = header('x-service-delivery')
    const { agenda, complain, tell } = this.#parts
    const wallAt = this.#parts.wall(process)
    tell(
      `${process.name} sends ${short(deliveryId)} (${payload.event} of ${short(payload.post.id)}) to ${short(receiver.siteId)}`,
    )
    // The owner of a site whose creation was not answered learns its id from what arrives.
    if (receiver.siteId === UNKNOWN) receiver.siteId = payload.site.id
    if (header('webhook-id') !== deliveryId) complain('4 stable id', `two ids in one request: ${deliveryId}`)
    if (payload.event !== header('x-service-event') || payload.site.id !== receiver.siteId)
      complain('4 signature', `the body is not what the headers say: ${deliveryId}`)
    for (const name of ['x-service-timestamp', 'webhook-timestamp']) {
      if (header(name) !== String(Math.floor(wallAt / 1000)))
        complain('4 fresh timestamp', `${deliveryId} says ${header(name)} at ${wallAt}`)
    }
    if (!receiver.secretUnknown) {
      const signed = receiver.secrets.findLast(({ text }) => isSigned(text, headers, body))
      const stale = signed?.until !== undefined && signed.until + this.patience(process) < agenda.now
      if (signed === undefined || stale)
        complain(
          '4 signature',
          `${deliveryId} is signed with ${stale ? 'a secret that was rotated' : 'no secret of the site'}`,
        )
    }
    return { deliveryId, postId: payload.post.id }
  }

  /** How long a process may go on with what it read before it hears of a change; set by the world. */
  patience: (process: Process) => number = () => 0
}

/** Both signatures, made by the receiver's own means. */
function isSigned(secret: string, headers: Record<string, string>, body: Buffer): boolean {
  const hex = createHmac('sha256', secret).update(body).digest('hex')
  const standard = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    .update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`)
    .update(body)
    .digest('base64')
  return headers['x-service-signature'] === `sha256=${hex}` && headers['webhook-signature'] === `v1,${standard}`
}

function answered(status: number, post: Request, now: number): EgressOutcome {
  const nothing = { headers: {}, body: new Uint8Array(), truncated: false }
  return { kind: 'response', status, ...nothing, tookMs: now - post.startedAt }
}

function failed(cause: 'timeout' | 'connection_reset' | 'connection_refused' | 'aborted', post: Request, now: number) {
  return { kind: 'unreachable', cause, detail: cause, tookMs: now - post.startedAt } as const
}

function describe(outcome: EgressOutcome): string {
  return outcome.kind === 'response' ? String(outcome.status) : outcome.cause
}

function nameOf(request: Request): string {
  if ('served' in request) return 'the build'
  return 'deliveryId' in request ? short(String(request.deliveryId)) : 'the probe'
}

/** The part of an id that tells it from others in one story. */
export function short(id: string): string {
  return id.slice(-6)
}
