/** An answer of the service that is not a success. */
export class PostriderError extends Error {
  readonly status: number
  /** The `error` code of the answer, such as `validation_error`. */
  readonly code: string
  /** The dotted path of the offending field, when one is to blame. */
  readonly field: string | undefined
  readonly requestId: string | undefined
  /** Seconds to wait before trying again, when the service said so. */
  readonly retryAfter: number | undefined

  constructor(response: Response, body: unknown) {
    const { error, message, field } = (typeof body === 'object' && body !== null ? body : {}) as Partial<
      Record<string, unknown>
    >
    super(typeof message === 'string' ? message : `The service answered ${response.status}.`)
    this.name = 'PostriderError'
    this.status = response.status
    this.code = typeof error === 'string' ? error : 'unknown'
    this.field = typeof field === 'string' ? field : undefined
    this.requestId = response.headers.get('x-request-id') ?? undefined
    const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
    this.retryAfter = Number.isFinite(retryAfter) ? retryAfter : undefined
  }
}
