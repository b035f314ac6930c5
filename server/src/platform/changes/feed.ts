import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '../clock.ts'
import { endOfTurn } from '../end-of-turn.ts'
import { type EventStream, eventText, heartbeatText, type ServerEvent } from '../http/event-stream.ts'
import { errorField, type Log } from '../log.ts'
import type { Cursors } from './cursors.ts'
import type { ChangeKind } from './kinds.ts'
import type { Memory } from './memory.ts'

/** The ids of the things to read, by kind. */
export type Things = ReadonlyMap<ChangeKind, readonly string[]>

/** Reads things of an owner as they are now, each as one event; a thing that is gone has an event too. */
export type ReadThings = (owner: string, things: Things) => Promise<ServerEvent[]>

/** Who opens a stream. */
export type Follower = {
  owner: string
  requestId: string
  /** Where an earlier stream ended. */
  cursor: string | undefined
  /** When the stream ends. */
  expiresAt: Date
  /** Throws a refusal when the stream must not go on. */
  mayGoOn: () => Promise<unknown>
}

/** An open stream, and who opened it. */
export type OpenStream = Follower & { stream: EventStream; openedAt: Date }

/** What feeds are made with. */
export type FeedNeeds = { clock: Clock; log: Log; read: ReadThings; cursors: Cursors }

/** How often, at most, the things of a busy owner are read, and its clients told to fetch everything again. */
const READ_EVERY_MS = 200
const RESYNC_EVERY_MS = 3_000
const RETRY_MS = 1_000

/** Steps run outside the async context of the request that opened a stream: they go on for other streams, after its end. */
const outside = AsyncLocalStorage.snapshot()

/**
 * All streams of one owner. The feed reads the present state of the things heard of since `#told`, with one set of queries,
 * and sends the same text to every stream. One step runs at a time, so what a stream is told of a thing never goes back in
 * time; `#told` advances once the things have been read, so what could not be read is read again.
 */
export class Feed {
  readonly #ctx: FeedNeeds
  readonly #owner: string
  readonly #memory: Memory
  readonly #streams = new Set<OpenStream>()
  /** Not told `ready` yet. */
  #joining: OpenStream[] = []
  #told: number
  #readAt = 0
  #resyncAt = 0
  #steps: Promise<void> | undefined
  /** Ends the wait between two steps. */
  #wake = new AbortController()

  constructor(ctx: FeedNeeds, owner: string, memory: Memory) {
    this.#ctx = ctx
    this.#owner = owner
    this.#memory = memory
    this.#told = memory.mark(this.#now())
  }

  streams(): OpenStream[] {
    return [...this.#streams, ...this.#joining]
  }

  join(one: OpenStream): void {
    this.#joining.push(one)
    this.#wake.abort()
    this.step()
  }

  leave(one: OpenStream): void {
    this.#streams.delete(one)
    this.#joining = this.#joining.filter((other) => other !== one)
    if (this.streams().length === 0) this.#wake.abort()
  }

  /** Starts to tell the news unless it is being told; to be called when something was heard. */
  step(): void {
    this.#steps ??= outside(() => this.#run())
  }

  /** Sends a heartbeat; while there is no news left to tell, it carries a cursor. */
  beat(): void {
    const now = this.#now()
    const idle = this.#steps === undefined && this.#news()?.length === 0
    if (idle) this.#told = this.#memory.mark(now)
    this.#sendAll(idle ? heartbeatText(this.#ctx.cursors.at(this.#told)) : ':\n\n')
  }

  /** Resolves when nothing runs any more; the streams must have ended. */
  async ended(): Promise<void> {
    await this.#steps
  }

  #now(): number {
    return this.#ctx.clock.now().getTime()
  }

  /** What was heard and not told yet; undefined when that is too much, or something may have been missed. */
  #news(): string[] | undefined {
    return this.#memory.since(this.#told)
  }

  async #run(): Promise<void> {
    // What is heard in one turn of the event loop is read together.
    await endOfTurn()
    for (;;) {
      const joining = this.#joining.shift()
      if (joining !== undefined) await this.#admit(joining)
      else if (this.#streams.size === 0 || this.#news()?.length === 0) break
      else if (this.#waitMs() <= 0) await this.#tellNews()
      else await this.#sleep(this.#waitMs())
    }
    this.#steps = undefined
  }

  async #sleep(ms: number): Promise<void> {
    this.#wake = new AbortController()
    await this.#ctx.clock.sleep(ms, this.#wake.signal)
  }

  #waitMs(): number {
    const resyncs = this.#news() === undefined
    return Math.max(
      resyncs ? this.#untilAfter(this.#resyncAt, RESYNC_EVERY_MS) : 0,
      this.#untilAfter(this.#readAt, READ_EVERY_MS),
    )
  }

  /** How long until `ms` after `time`; 0 for a time in the future, which is from before the clock was set back. */
  #untilAfter(time: number, ms: number): number {
    const now = this.#now()
    return time > now ? 0 : time + ms - now
  }

  /** Sends a joining stream `ready`, as it misses nothing from here on, and what it has missed. */
  async #admit(one: OpenStream): Promise<void> {
    this.#streams.add(one)
    const since = one.cursor === undefined ? this.#told : this.#ctx.cursors.since(one.cursor)
    const missed = since === undefined ? undefined : this.#memory.since(since)
    const mark = this.#memory.mark(this.#now())
    try {
      const events = missed === undefined ? [RESYNC] : await this.#read(missed)
      // `#told` advances only if this is the only stream: others have not been told what this one was.
      if (this.#streams.size === 1 && this.#streams.has(one)) this.#told = mark
      this.#send(one, eventText([READY, ...events], this.#ctx.cursors.at(mark)))
    } catch (error) {
      this.#ctx.log.warn('stream.not_read', { request_id: one.requestId, error: errorField(error) })
      one.stream.end()
    }
  }

  async #tellNews(): Promise<void> {
    const news = this.#news()
    const mark = this.#memory.mark(this.#now())
    this.#readAt = this.#now()
    try {
      const events = news === undefined ? [RESYNC] : await this.#read(news)
      if (news === undefined) this.#resyncAt = this.#readAt
      this.#told = mark
      this.#sendAll(eventText(events, this.#ctx.cursors.at(mark)))
    } catch (error) {
      this.#ctx.log.warn('stream.not_read', { account_id: this.#owner, error: errorField(error) })
      await this.#sleep(RETRY_MS)
    }
  }

  async #read(things: readonly string[]): Promise<ServerEvent[]> {
    if (things.length === 0) return []
    const byKind = new Map<ChangeKind, string[]>()
    for (const thing of things) {
      const { kind, id } = thingOf(thing)
      byKind.set(kind, [...(byKind.get(kind) ?? []), id])
    }
    return this.#ctx.read(this.#owner, byKind)
  }

  #sendAll(text: string): void {
    for (const one of this.#streams) this.#send(one, text)
  }

  #send({ stream, expiresAt }: OpenStream, text: string): void {
    if (expiresAt.getTime() <= this.#now()) stream.end()
    else stream.send(text)
  }
}

const READY: ServerEvent = { event: 'ready', data: {} }
const RESYNC: ServerEvent = { event: 'resync', data: {} }

/** The text under which a thing is remembered. */
export function thingText(kind: ChangeKind, id: string): string {
  return `${kind} ${id}`
}

function thingOf(text: string): { kind: ChangeKind; id: string } {
  const [kind = '', id = ''] = text.split(' ')
  return { kind: kind as ChangeKind, id } // `thingText` made it
}
