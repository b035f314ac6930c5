import type { FollowOptions, LiveEvent, PostriderClient } from '@postrider/sdk'
import type { ManualClock } from './clock.ts'
import { type TestService, tokenOf } from './service.ts'

type Name = LiveEvent['event']

/** The data of an event of a kind. */
type Told<Kind extends Name> = Extract<LiveEvent, { event: Kind }>['data']

/** A stream of events, read one by one. */
export type Following = {
  /** All events read so far. */
  seen: LiveEvent[]
  /** The next event. Rejects when the stream was refused, or has ended. */
  next(): Promise<LiveEvent>
  /** Reads on until an event passes; resolves with it. */
  until(passes: (event: LiveEvent) => boolean): Promise<LiveEvent>
  /** Reads on until an event of this kind has these values; resolves with its data. */
  told<Kind extends Name>(kind: Kind, values?: Partial<Told<Kind>>): Promise<Told<Kind>>
  /** The latest cursor, for resuming. */
  cursor(): string
  close(): Promise<void>
}

/**
 * Follows an account's events; resolves when the stream is ready. Waiting for an event moves `clock`, past the pauses that
 * the service makes between events.
 */
export async function follow(
  client: PostriderClient,
  { clock, ...options }: FollowOptions & { clock?: ManualClock } = {},
): Promise<Following> {
  const leaving = new AbortController()
  const events = client.events({ ...options, signal: leaving.signal })
  const seen: LiveEvent[] = []
  const next = async () => {
    const event = events.next()
    for (let here = clock === undefined; !here; ) {
      clock?.advance(100)
      here = await Promise.race([event.then(() => true), soon().then(() => false)])
    }
    const { value } = await event
    if (value === undefined) throw new Error('the stream has ended')
    seen.push(value)
    return value
  }
  const until = async (passes: (event: LiveEvent) => boolean) => {
    for (;;) {
      const event = await next()
      if (passes(event)) return event
    }
  }
  const first = await next()
  if (first.event !== 'ready') throw new Error(`the first event is ${first.event}`)
  return {
    seen,
    next,
    until,
    async told(kind, values = {}) {
      const event = await until((one) => one.event === kind && has(one.data, values))
      return event.data as Told<typeof kind> // its kind says so
    },
    cursor: () => seen.findLast(({ id }) => id !== undefined)?.id ?? '',
    async close() {
      leaving.abort()
      await events.return()
    },
  }
}

function has(data: object, values: object): boolean {
  const known = new Map(Object.entries(data))
  return Object.entries(values).every(([key, value]) => known.get(key) === value)
}

/** Moves time until everything that was told has reached the streams. */
export async function pass(clock: ManualClock): Promise<void> {
  for (let count = 0; count < 10; count += 1) {
    clock.advance(100)
    await soon()
  }
}

/**
 * Real time for what is under way. The clock must not be moved much faster than a busy machine can follow: watches would
 * expire before they are renewed.
 */
function soon(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10))
}

/** The raw text of a stream. */
export type RawStream = {
  /** The token that it was opened with. */
  token: string
  /** Resolves with all of its text once `fits` accepts it, or the stream has ended. */
  until(fits: (text: string) => boolean, meanwhile?: () => void): Promise<string>
  ended(meanwhile?: () => void): Promise<string>
  close(): Promise<void>
}

/** Opens a stream and keeps reading; resolves when it is ready. */
export async function openRaw(service: TestService, client: PostriderClient, query = ''): Promise<RawStream> {
  const token = await tokenOf(service, client)
  const response = await fetch(`${service.url}/api/events${query}`, { headers: { authorization: `Bearer ${token}` } })
  const reader = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  let ended = false
  const readAll = async () => {
    for (let read = await reader.read(); !read.done; read = await reader.read()) text += read.value
    ended = true
  }
  void readAll()
  const until = async (fits: (text: string) => boolean, meanwhile = () => {}) => {
    while (!ended && !fits(text)) {
      meanwhile()
      await soon()
    }
    return text
  }
  await until((text) => text.includes('ready'))
  return { token, until, ended: (meanwhile) => until(() => false, meanwhile), close: () => reader.cancel() }
}
