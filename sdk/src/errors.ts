/** An answer that is not a success, or not JSON and so not from the service. */
export class PostriderError extends Error {
  readonly status: number
  /** The `error` code of the answer, such as `validation_error`. */
  readonly code: string
  /** The dotted path of the offending field, when one is to blame. */
  readonly field: string | undefined
  /** The scope that a program's token lacks. */
  readonly requiredScope: string | undefined
  readonly requestId: string | undefined
  /** Seconds to wait before trying again, when the service said so. */
  readonly retryAfter: number | undefined

  constructor(response: Response, body: unknown) {
    const { error, message, field, required_scope } = (
      typeof body === 'object' && body !== null ? body : {}
    ) as Partial<Record<string, unknown>>
    super(typeof message === 'string' ? message : `The service answered ${response.status}.`)
    this.name = 'PostriderError'
    this.status = response.status
    this.code = typeof error === 'string' ? error : 'unknown'
    this.field = typeof field === 'string' ? field : undefined
    this.requiredScope = typeof required_scope === 'string' ? required_scope : undefined
    this.requestId = response.headers.get('x-request-id') ?? undefined
    this.retryAfter = secondsUntil(response.headers.get('retry-after'))
  }
}

/** `Retry-After` in seconds: the service sends seconds, a proxy in between may send a date. */
function secondsUntil(header: string | null): number | undefined {
  if (header === null || header === '') return undefined
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds))
}
