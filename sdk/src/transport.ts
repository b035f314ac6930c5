import { PostriderError } from './errors.ts'

/** The service's address, and the client's timeouts and retries. */
export type TransportOptions = {
  /** The service's address, such as `https://postrider.example.com`. */
  baseUrl: string
  /** Time limit of one attempt, in milliseconds. Default 30,000. */
  timeoutMs?: number
  /** How often a request is retried after 429, and, if that is safe, after 503 or a lost connection. Default 2. */
  retries?: number
  /** The longest wait before a retry, in milliseconds; a longer `Retry-After` is an error at once. Default 10,000. */
  maxRetryWaitMs?: number
  fetch?: typeof fetch
}

/** Options of one call. */
export type CallOptions = {
  /** Aborts the call, even while it waits for a retry, with the signal's reason. */
  signal?: AbortSignal
}

/**
 * One call. `safe`: repeating it does no harm. `stream`: the result is the answer's body as it comes, for which there is no time limit; it is
 * the caller's to read, or to cancel. `content`: a file, instead of a body that becomes JSON. `timeoutMs` replaces the client's.
 */
export type Call = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  query?: object
  body?: unknown
  content?: Blob
  timeoutMs?: number
  headers?: Record<string, string>
  safe?: boolean
  stream?: true
  signal?: AbortSignal | undefined
}

/** How long an upload may take: a large file on a slow line takes its time. */
export const UPLOAD_MS = 600_000

/** The name of a file; a Blob has none. */
export function nameOf(file: Blob): string | undefined {
  return 'name' in file && typeof file.name === 'string' ? file.name : undefined
}

/** Sends a call and resolves with the service's answer; throws PostriderError, or what `fetch` throws. */
export type Transport = <Result>(call: Call) => Promise<Result>

const FIRST_WAIT_MS = 250

const NOT_THE_SERVICE =
  'The answer is not JSON. Check that baseUrl is the address of your service, and that nothing else answers there.'

/** The most that `setTimeout` can wait, 24 days. It would wait a single millisecond for anything longer, `Infinity` included. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Makes a transport. `credentials` returns the authentication headers; it is called for each attempt. */
export function createTransport(options: TransportOptions, credentials: () => Record<string, string>): Transport {
  const { baseUrl, retries = 2, maxRetryWaitMs = 10_000 } = options
  const base = addressOf(baseUrl)
  return async <Result>(call: Call) => {
    const url = new URL(base + call.path)
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value))
    }
    for (let tries = 0; ; tries += 1) {
      try {
        return (await send(options, url, call, credentials())) as Result // the document's schema of a success
      } catch (error) {
        const waitMs = waitBefore(error, call, tries)
        if (call.signal?.aborted || tries >= retries || waitMs === undefined || waitMs > maxRetryWaitMs) throw error
        await pause(waitMs, call.signal)
      }
    }
  }
}

/** The address without a slash at its end. Throws a TypeError that names it, rather than one from `fetch` that does not. */
export function addressOf(baseUrl: string): string {
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl))
    throw new TypeError(
      `baseUrl must be the address of your service, such as "https://postrider.example.com", not "${baseUrl}".`,
    )
  return baseUrl.replace(/\/+$/, '')
}

async function send(
  options: TransportOptions,
  url: URL,
  call: Call,
  credentials: Record<string, string>,
): Promise<unknown> {
  const { timeoutMs = 30_000, fetch: request = fetch } = options
  const body = call.content ?? (call.body === undefined ? undefined : JSON.stringify(call.body))
  return withDeadline(call.timeoutMs ?? timeoutMs, call.signal, async (signal) => {
    const response = await request(url, {
      method: call.method,
      headers: {
        ...credentials,
        ...(body === undefined ? {} : { 'content-type': typeOf(call) }),
        ...call.headers,
      },
      ...(body === undefined ? {} : { body }),
      signal,
    })
    if (call.stream === true && response.ok) return response.body
    const text = await response.text()
    const parsed: unknown = text === '' ? undefined : safelyParsed(text)
    if (!response.ok) throw new PostriderError(response, parsed)
    if (text !== '' && parsed === undefined) throw new PostriderError(response, { message: NOT_THE_SERVICE })
    return parsed
  })
}

/** A file that has no type is sent as bytes; the service finds out what it is. */
function typeOf({ content }: Call): string {
  return content === undefined ? 'application/json' : content.type || 'application/octet-stream'
}

/**
 * Runs `work` with a signal that aborts after `ms`, or when the caller's does. Made by hand: edge runtimes may have no
 * `AbortSignal.any`, and there the timer of `AbortSignal.timeout` would outlive the work and keep the process up.
 */
async function withDeadline<Result>(
  ms: number,
  callers: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const own = new AbortController()
  const timeOut = () => own.abort(new DOMException(`No answer within ${ms} ms.`, 'TimeoutError'))
  const timer = setTimeout(timeOut, Math.min(ms, LONGEST_TIMER_MS))
  const giveUp = () => own.abort(callers?.reason)
  if (callers?.aborted) giveUp()
  callers?.addEventListener('abort', giveUp)
  try {
    return await work(own.signal)
  } finally {
    clearTimeout(timer)
    callers?.removeEventListener('abort', giveUp)
  }
}

/** Milliseconds until the next retry, or undefined when there should be none. */
function waitBefore(error: unknown, call: Call, tries: number): number | undefined {
  const backOffMs = FIRST_WAIT_MS * 2 ** tries
  const isSafe = call.method === 'GET' || call.safe === true
  // After a lost connection the request may have been carried out; after 503 too, if the database was lost at the last moment.
  if (!(error instanceof PostriderError)) return isSafe ? backOffMs : undefined
  // The conflict to wait for: an earlier try, whose connection was lost, is still being carried out under the same key.
  const isUnderWay = error.status === 409 && error.retryAfter !== undefined
  if (error.status !== 429 && !isUnderWay && !(error.status === 503 && isSafe)) return undefined
  return error.retryAfter === undefined ? backOffMs : error.retryAfter * 1000
}

/** Waits; rejects with the signal's reason as soon as it is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      if (signal?.aborted) reject(signal.reason)
      else resolve()
    }
    const timer = setTimeout(end, Math.min(ms, LONGEST_TIMER_MS))
    signal?.addEventListener('abort', end)
    if (signal?.aborted) end()
  })
}

function safelyParsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
