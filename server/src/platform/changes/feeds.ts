/**
 * Streams of what changes, per owner.
 *
 * All streams of an owner in this process are one feed (`feed.ts`). Every text that is sent carries a *cursor*: the time at
 * which its reading began. A client with the cursor has been sent everything heard before; a heartbeat's cursor says the
 * same. A client that reconnects with a cursor is told what was heard since, in its present state.
 *
 * Every process that answers requests remembers what it hears of every watched owner, so that reconnecting works across
 * processes too: with an allowance for their clocks and for a signal's delay, which repeats a little. What is not remembered
 * (too long ago, too much, before this process began) is answered by `resync`: fetch again.
 */
import { Failure, fail } from '../errors.ts'
import { EventStream } from '../http/event-stream.ts'
import { errorField } from '../log.ts'
import { type Changes, WATCH_AGAIN_MS, WATCH_MS } from './changes.ts'
import { Cursors } from './cursors.ts'
import { Feed, type FeedNeeds, type Follower, type OpenStream, thingText } from './feed.ts'
import { Memory } from './memory.ts'

const MOST_STREAMS = 20
/** Of all accounts, in this process: each stream is looked at every 20 seconds. */
const MOST_STREAMS_IN_ALL = 5_000
/** How long an owner stays watched after the last stream has ended, for clients that reconnect. */
const LINGER_MS = 120_000
/** How soon a failed renewal of watches is repeated. */
const RENEW_AGAIN_MS = 1_000
/** How long a watch is relied on: less than others heed it, so no change that was not told counts as remembered. */
const REMEMBER_MS = WATCH_MS - 5_000

/**
 * An owner whose changes are heard: until one of the clocks says that it is over, in milliseconds. The wall clock may be set back, and
 * the monotonic one may stand still while the machine sleeps. `lingersUntil` is 0 unless a stream was open.
 */
type Owner = { memory: Memory; remembered: Until; lingersUntil: number; feed: Feed | undefined }
type Until = { wall: number; monotonic: number }

/** All feeds of this process. */
export class Feeds {
  readonly #ctx: FeedNeeds
  readonly #changes: Changes
  readonly #owners = new Map<string, Owner>()
  readonly #closing = new AbortController()
  #ticking: Promise<void> | undefined
  #rechecking: Promise<void> | undefined

  constructor({ changes, ...ctx }: Omit<FeedNeeds, 'cursors'> & { changes: Changes }) {
    this.#ctx = { ...ctx, cursors: new Cursors() }
    this.#changes = changes
  }

  /** Listens and remembers from now on. To be called once, in processes where streams may be opened. */
  start(): void {
    this.#ticking = this.#tick()
    this.#changes.listen({
      watched: (owner) => this.#remember(owner),
      changed: (owner, kind, ids) =>
        this.#hear(owner, (memory, now) =>
          memory.note(
            ids.map((id) => thingText(kind, id)),
            now,
          ),
        ),
      anythingChanged: (owner) => {
        for (const one of owner === undefined ? this.#owners.keys() : [owner])
          this.#hear(one, (memory, now) => memory.restart(now))
      },
    })
  }

  /** Opens a stream. Throws `rate_limited` when the owner has too many, `unavailable` while the service stops. */
  async open(follower: Follower): Promise<EventStream> {
    this.#assertRoom(follower.owner)
    await this.#changes.watch([follower.owner])
    this.#assertRoom(follower.owner)
    const owner = this.#remember(follower.owner)
    owner.feed ??= new Feed(this.#ctx, follower.owner, owner.memory)
    const one: OpenStream = { ...follower, stream: new EventStream(), openedAt: this.#ctx.clock.now() }
    one.stream.onEnd((reason) => this.#ended(one, reason))
    owner.feed.join(one)
    // The login may have ended while the owner was announced, when a recheck did not find this stream yet.
    void this.#endUnlessAllowed(one)
    return one.stream
  }

  /** Ends every stream (of one owner, if given) that may not go on. */
  async recheck(owner?: string): Promise<void> {
    for (const one of this.#streams(owner)) await this.#endUnlessAllowed(one)
  }

  async #endUnlessAllowed({ mayGoOn, stream }: OpenStream): Promise<void> {
    const refusal = await mayGoOn().then(
      () => undefined,
      (error: unknown) => error,
    )
    if (refusal instanceof Failure && refusal.kind !== 'unavailable') stream.end()
  }

  /** Ends every stream at once; resolves when nothing runs any more. */
  async close(): Promise<void> {
    this.#closing.abort()
    const feeds = [...this.#owners.values()].flatMap(({ feed }) => feed ?? [])
    for (const { stream } of this.#streams()) stream.end()
    await Promise.all([this.#ticking, this.#rechecking, ...feeds.map((feed) => feed.ended())])
  }

  #streams(owner?: string): OpenStream[] {
    const owners = owner === undefined ? [...this.#owners.values()] : [this.#owners.get(owner)]
    return owners.flatMap((one) => one?.feed?.streams() ?? [])
  }

  #now(): number {
    return this.#ctx.clock.now().getTime()
  }

  #assertRoom(owner: string): void {
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

  #ended(one: OpenStream, reason: string): void {
    const { owner, requestId, openedAt } = one
    const tookMs = this.#now() - openedAt.getTime()
    this.#ctx.log.info('stream.ended', { request_id: requestId, account_id: owner, reason, took_ms: tookMs })
    const known = this.#owners.get(owner)
    known?.feed?.leave(one)
    if (known === undefined || this.#streams(owner).length > 0) return
    known.feed = undefined
    known.lingersUntil = this.#now() + LINGER_MS
  }

  /** A watch was announced: the owner's changes are heard for a while. If they were not before, something may be missing. */
  #remember(owner: string): Owner {
    const now = this.#now()
    const remembered = { wall: now + REMEMBER_MS, monotonic: this.#ctx.clock.monotonicMs() + REMEMBER_MS }
    const known = this.#owners.get(owner)
    if (known === undefined) {
      const fresh = { memory: new Memory(now), remembered, lingersUntil: 0, feed: undefined }
      this.#owners.set(owner, fresh)
      return fresh
    }
    if (this.#isOver(known.remembered)) this.#hear(owner, (memory) => memory.restart(now))
    known.remembered = remembered
    return known
  }

  #isOver({ wall, monotonic }: Until): boolean {
    return wall <= this.#now() || monotonic <= this.#ctx.clock.monotonicMs()
  }

  #hear(owner: string, note: (memory: Memory, now: number) => void): void {
    const known = this.#owners.get(owner)
    if (known === undefined) return
    note(known.memory, this.#now())
    known.feed?.step()
  }

  /** Attends every `WATCH_AGAIN_MS` from start to start: a watch must not expire because attending took long. */
  async #tick(): Promise<void> {
    for (let last = this.#now(); !this.#closing.signal.aborted; ) {
      // At most `WATCH_AGAIN_MS`, even if the clock was set back meanwhile.
      const waitMs = Math.min(last - this.#now(), 0) + WATCH_AGAIN_MS
      if (waitMs > 0) await this.#ctx.clock.sleep(waitMs, this.#closing.signal)
      if (this.#closing.signal.aborted) return
      last = this.#now()
      const renewed = await this.#attend(last)
      if (!renewed) last -= WATCH_AGAIN_MS - RENEW_AGAIN_MS
    }
  }

  /**
   * Forgets owners that are no longer watched, renews the watches and sends heartbeats; returns whether the watches are renewed. If so,
   * it starts to check which streams may go on, one by one, without waiting for that.
   */
  async #attend(now: number): Promise<boolean> {
    for (const [id, { feed, remembered }] of this.#owners)
      if (feed === undefined && this.#isOver(remembered)) this.#owners.delete(id)
    const here = [...this.#owners].filter(([, { feed, lingersUntil }]) => feed !== undefined || lingersUntil > now)
    const renewed = await this.#changes.watch(here.map(([id]) => id)).then(
      () => true,
      (error: unknown) => {
        this.#ctx.log.warn('changes.not_watched', { error: errorField(error) })
        return false
      },
    )
    for (const [, { feed }] of here) feed?.beat()
    if (renewed)
      this.#rechecking ??= this.recheck().finally(() => {
        this.#rechecking = undefined
      })
    return renewed
  }
}
