import type { FollowOptions, LiveEvent, PostriderClient } from '@postrider/sdk'
import type { ManualClock } from './clock.ts'
import { type TestService, tokenOf } from './service.ts'

/** A kind of thing whose changes are announced. */
type Kind = 'post' | 'delivery' | 'job' | 'site'

/** A stream of events, read one by one. */
export type Following = {
  /** All events read so far. */
  seen: LiveEvent[]
  /** The next event. Rejects when the stream was refused, or has ended. */
  next(): Promise<LiveEvent>
  /** Reads on until an event passes; resolves with it. */
  until(passes: (event: LiveEvent) => boolean): Promise<LiveEvent>
  /** Reads on until an event names this thing. */
  changed(kind: Kind, id: string): Promise<void>
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
    async changed(kind, id) {
      await until(({ event, data }) => event === `${kind}.changed` && 'ids' in data && data.ids.includes(id))
    },
    async close() {
      leaving.abort()
      await events.return()
    },
  }
}

/** Real time for what is under way. */
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
export async function openRaw(service: TestService, client: PostriderClient): Promise<RawStream> {
  const token = await tokenOf(service, client)
  const response = await fetch(`${service.url}/api/events`, { headers: { authorization: `Bearer ${token}` } })
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
