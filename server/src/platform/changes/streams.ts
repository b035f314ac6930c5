/** Streams of what changes, per owner: `ready`, then `KIND.changed` with ids, and `resync` when anything may have changed. */
import type { Clock } from '../clock.ts'
import { Failure, fail } from '../errors.ts'
import { type EndReason, EventStream, eventText, HEARTBEAT } from '../http/event-stream.ts'
import type { Log } from '../log.ts'
import type { Changed, Changes } from './changes.ts'

const MOST_STREAMS = 20
/** Of all accounts, in this process: whether each may go on is checked at every heartbeat. */
const MOST_STREAMS_IN_ALL = 5_000
const HEARTBEAT_MS = 20_000

/** Who opens a stream. */
export type Follower = {
  owner: string
  requestId: string
  /** When the stream ends; undefined: when it must not go on. */
  expiresAt: Date | undefined
  /** Throws a refusal when the stream must not go on. */
  mayGoOn: () => Promise<unknown>
}

type OpenStream = Follower & { stream: EventStream; openedAt: Date }

/** All streams of this process. */
export class LiveStreams {
  readonly #ctx: { clock: Clock; log: Log }
  readonly #owners = new Map<string, Set<OpenStream>>()
  readonly #closing = new AbortController()
  readonly #beating: Promise<void>
  #rechecking: Promise<void> | undefined

  constructor({ changes, ...ctx }: { clock: Clock; log: Log; changes: Changes }) {
    this.#ctx = ctx
    changes.listen((owner, changed) => {
      const text = textOf(changed)
      for (const one of this.#streams(owner)) this.#send(one, text)
    })
    this.#beating = this.#beat()
  }

  /** Opens a stream. Throws `rate_limited` when the owner has too many, `unavailable` while the service stops. */
  open(follower: Follower): EventStream {
    this.#assertFree(follower.owner)
    const one: OpenStream = { ...follower, stream: new EventStream(), openedAt: this.#ctx.clock.now() }
    const streams = this.#owners.get(one.owner) ?? new Set()
    this.#owners.set(one.owner, streams.add(one))
    one.stream.onEnd((reason) => this.#ended(one, reason))
    one.stream.send(eventText('ready', {}))
    // The login may have ended since it was checked, when a recheck did not find this stream yet.
    void this.#endUnlessAllowed(one)
    return one.stream
  }

  /** Ends every stream (of one owner, if given) that may not go on. */
  async recheck(owner?: string): Promise<void> {
    for (const one of this.#streams(owner)) await this.#endUnlessAllowed(one)
  }

  /** Ends every stream at once; resolves when nothing runs any more. */
  async close(): Promise<void> {
    this.#closing.abort()
    for (const { stream } of this.#streams()) stream.end()
    await Promise.all([this.#beating, this.#rechecking])
  }

  #streams(owner?: string): OpenStream[] {
    const owners = owner === undefined ? [...this.#owners.values()] : [this.#owners.get(owner) ?? []]
    return owners.flatMap((streams) => [...streams])
  }

  #assertFree(owner: string): void {
    if (this.#closing.signal.aborted)
      throw fail('unavailable', 'The service is restarting. Connect again.', { headers: { 'Retry-After': '2' } })
    if (this.#streams().length >= MOST_STREAMS_IN_ALL)
      throw fail('unavailable', 'Too many event streams are open here. Connect again later.', {
        headers: { 'Retry-After': '30' },
      })
    if (this.#streams(owner).length < MOST_STREAMS) return
    const message = `This account already has ${MOST_STREAMS} event streams open. Close one, or share one between your windows.`
    throw fail('rate_limited', message, { retryAfter: 30, headers: { 'Retry-After': '30' } })
  }

  #ended(one: OpenStream, reason: EndReason): void {
    const { owner, requestId, openedAt } = one
    const tookMs = this.#ctx.clock.now().getTime() - openedAt.getTime()
    this.#ctx.log.info('stream.ended', { request_id: requestId, account_id: owner, reason, took_ms: tookMs })
    const streams = this.#owners.get(owner)
    streams?.delete(one)
    if (streams?.size === 0) this.#owners.delete(owner)
  }

  #send({ stream, expiresAt }: OpenStream, text: string): void {
    if (expiresAt !== undefined && expiresAt <= this.#ctx.clock.now()) stream.end()
    else stream.send(text)
  }

  async #endUnlessAllowed({ mayGoOn, stream }: OpenStream): Promise<void> {
    const refusal = await mayGoOn().then(
      () => undefined,
      (error: unknown) => error,
    )
    if (refusal instanceof Failure && refusal.kind !== 'unavailable') stream.end()
  }

  async #beat(): Promise<void> {
    const { signal } = this.#closing
    for (;;) {
      await this.#ctx.clock.sleep(HEARTBEAT_MS, signal)
      if (signal.aborted) return
      for (const one of this.#streams()) this.#send(one, HEARTBEAT)
      // Not waited for: with a slow database it takes longer than a heartbeat may be late.
      this.#rechecking ??= this.recheck().finally(() => {
        this.#rechecking = undefined
      })
    }
  }
}

function textOf(changed: Changed): string {
  if (changed === 'anything') return eventText('resync', {})
  return [...changed].map(([kind, ids]) => eventText(`${kind}.changed`, { ids: [...ids] })).join('')
}
