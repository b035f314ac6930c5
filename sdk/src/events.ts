import { PostriderError } from './errors.ts'
import type { components } from './generated/api.ts'
import { serverSentEvents } from './server-sent-events.ts'
import { addressOf, type TransportOptions } from './transport.ts'

/**
 * Something that changed, as it is now. Fetch what you show after the first `ready`, and again after each `resync`.
 * `id` says how far you are: give it as `lastEventId` to go on there.
 */
export type LiveEvent = components['schemas']['LiveEvent'] & { id: string | undefined }

/** How events are followed. */
export type FollowOptions = {
  /** Ends the iteration, without an error. */
  signal?: AbortSignal
  /** Where an earlier iteration ended. */
  lastEventId?: string
  /** A connection on which nothing has come for so long is given up, in milliseconds. Default 50,000. */
  silenceMs?: number
}

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000

/**
 * Follows what changes until `signal` aborts or the loop is left. A connection that is lost or ended is made again, with
 * growing waits, and goes on where it was. Throws PostriderError when the service refuses for good, such as 401.
 */
export async function* followEvents(
  options: TransportOptions,
  credentials: () => Record<string, string>,
  { signal, lastEventId, silenceMs = 50_000 }: FollowOptions = {},
): AsyncGenerator<LiveEvent, void, void> {
  let id = lastEventId
  let failures = 0
  while (!isAborted(signal)) {
    let waitMs = FIRST_WAIT_MS
    const connection = connect(
      options,
      { ...credentials(), ...(id === undefined ? {} : { 'last-event-id': id }) },
      signal,
    )
    try {
      const body = await connection.body
      for await (const one of serverSentEvents(body, () => connection.expectWithin(silenceMs))) {
        connection.expectNothing()
        failures = 0
        waitMs = one.retryMs ?? waitMs
        id = one.id ?? id
        if (one.data !== undefined) yield { event: one.event, data: JSON.parse(one.data), id } as LiveEvent // as documented
      }
    } catch (error) {
      if (isAborted(signal)) return
      if (isFinal(error)) throw error
      failures += 1
      waitMs = refusalMs(error) ?? Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS)
    } finally {
      connection.close()
    }
    // Scattered, so that after a restart not everybody comes at once.
    await sleep(waitMs * (1 + Math.random() / 2), signal)
  }
}

/** Read anew each time: it changes while others work. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true
}

/** One connection, and a watch over its silence. */
function connect(
  { baseUrl, timeoutMs = 30_000, fetch: request = fetch }: TransportOptions,
  headers: Record<string, string>,
  signal: AbortSignal | undefined,
) {
  const closing = new AbortController()
  const close = () => closing.abort()
  let timer: ReturnType<typeof setTimeout> | undefined
  const expectNothing = () => clearTimeout(timer)
  const expectWithin = (ms: number) => {
    expectNothing()
    timer = setTimeout(close, ms)
  }
  signal?.addEventListener('abort', close, { once: true })
  expectWithin(timeoutMs)
  return {
    body: open(request, `${addressOf(baseUrl)}/api/events`, {
      headers: { accept: 'text/event-stream', ...headers },
      signal: closing.signal,
    }),
    expectWithin,
    expectNothing,
    close() {
      expectNothing()
      signal?.removeEventListener('abort', close)
      close()
    },
  }
}

async function open(request: typeof fetch, url: string, init: RequestInit): Promise<ReadableStream<Uint8Array>> {
  const response = await request(url, init)
  if (!response.ok) throw new PostriderError(response, await response.json().catch(() => undefined))
  if (response.body === null) throw new Error('The service answered without a body.')
  return response.body
}

/** A refusal that trying again would not change. */
function isFinal(error: unknown): boolean {
  return error instanceof PostriderError && error.status < 500 && error.status !== 429
}

/** How long the service asked to wait, in milliseconds. */
function refusalMs(error: unknown): number | undefined {
  if (!(error instanceof PostriderError) || error.retryAfter === undefined) return undefined
  return error.retryAfter * 1000
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve()
    const finish = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, ms)
    signal?.addEventListener('abort', finish, { once: true })
  })
}
