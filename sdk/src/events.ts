import { PostriderError } from './errors.ts'
import type { components } from './generated/api.ts'
import { serverSentEvents } from './server-sent-events.ts'
import { addressOf, LONGEST_TIMER_MS, type TransportOptions } from './transport.ts'

/**
 * What has changed, by id. Fetch what you show after each `ready`, with which every connection begins, and each `resync`; fetch
 * again what the other events name.
 */
export type LiveEvent = components['schemas']['LiveEvent']

/** Options of following events. */
export type FollowOptions = {
  /** Ends the iteration, without an error. */
  signal?: AbortSignal
  /** A connection that stays silent for this many milliseconds is closed and replaced. Default 50,000. */
  silenceMs?: number
}

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000

/**
 * Streams changes until `signal` aborts or the loop is left. It replaces a connection that is lost or ended, after growing waits;
 * the new one begins with `ready`. Throws PostriderError when the service refuses for good, such as with 401.
 */
export async function* followEvents(
  options: TransportOptions,
  credentials: () => Record<string, string>,
  { signal, silenceMs = 50_000 }: FollowOptions = {},
): AsyncGenerator<LiveEvent, void, void> {
  let failures = 0
  while (!isAborted(signal)) {
    let waitMs = FIRST_WAIT_MS
    const connection = connect(options, credentials(), signal)
    try {
      const body = await connection.body
      for await (const one of serverSentEvents(body, () => connection.expectWithin(silenceMs))) {
        connection.expectNothing()
        failures = 0
        waitMs = one.retryMs ?? waitMs
        if (one.data !== undefined) yield { event: one.event, data: JSON.parse(one.data) } as LiveEvent // as documented
      }
    } catch (error) {
      if (isAborted(signal)) return
      if (isFinal(error)) throw error
      failures += 1
      waitMs = refusalMs(error) ?? Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS)
    } finally {
      connection.close()
    }
    // Jitter: after a restart of the service, clients must not all reconnect at once.
    await sleep(waitMs * (1 + Math.random() / 2), signal)
  }
}

/** Reads the flag anew each time: it changes while other code runs. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true
}

/** Opens one connection, with a timer that closes it when it stays silent. */
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
    timer = setTimeout(close, Math.min(ms, LONGEST_TIMER_MS))
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

/** Whether the service refused in a way that a retry would not change. */
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
    const timer = setTimeout(finish, Math.min(ms, LONGEST_TIMER_MS))
    signal?.addEventListener('abort', finish, { once: true })
  })
}
