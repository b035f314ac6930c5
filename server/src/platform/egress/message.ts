import type { AllowPolicy } from './addresses.ts'
import type { FailureCause } from './failure.ts'

/** One outgoing request. */
export type EgressRequest = {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  url: string
  /** Host, framing, `connection` and `accept-encoding` are the client's own and ignored here. */
  headers: Record<string, string>
  body?: string | Uint8Array
  /** For the whole attempt, in milliseconds. */
  deadlineMs: number
  /** The most that is read of the response's body; beyond it the socket is destroyed. Default 16,384. */
  maxResponseBytes?: number
  /** Ends the attempt as `aborted`, or as a truncated response if the status has arrived. */
  signal?: AbortSignal
  /** Replaces the instance's policy. */
  allow?: AllowPolicy
}

/**
 * `headers`: lower-case names, repeated ones joined by commas, control characters replaced with spaces. `body`: what was
 * read, unchanged. Both are getters that assemble the value on access, so a copy of the outcome lacks them. `truncated`:
 * there was or might have been more. `tookMs`: from the call to the end of reading.
 */
export type EgressOutcome =
  | {
      kind: 'response'
      status: number
      headers: Record<string, string>
      body: Uint8Array
      truncated: boolean
      tookMs: number
    }
  | { kind: 'unreachable'; cause: FailureCause; detail: string; tookMs: number }

/** The unreachable kind of outcome. */
export type Unreachable = Extract<EgressOutcome, { kind: 'unreachable' }>

/**
 * A response whose body is still arriving. `body` ends in an EgressError when it does not arrive whole: at the deadline, cut
 * off, longer than wanted. Cancelling it ends the attempt.
 */
export type EgressStream =
  | { kind: 'response'; status: number; headers: Record<string, string>; body: ReadableStream<Uint8Array<ArrayBuffer>> }
  | Unreachable
