/** Writes replies to connections. What a client does not read stays in memory, so it is counted. */
import type { ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { unavailable } from '../errors.ts'
import { ByteBudget } from './byte-budget.ts'
import type { Content, Reply } from './endpoint.ts'

/** Unlike an Authorization header, a cookie does not by itself keep shared caches from storing an answer. */
const UNSTORED = 'private, no-cache'

/** How many bytes of answers may wait to be read: in all, and of one tenant. */
const UNREAD = { all: 128 * 1024 * 1024, ofOne: 32 * 1024 * 1024 }
/** A smaller answer is not counted: most are, and the number of connections bounds how many there can be. */
const COUNTED_BYTES = 16 * 1024

/** A reply with its body serialized, if it has one. */
export type Serialized = Omit<Reply, 'body'> & { contentBytes: number }

/** Serializes a reply's body. */
export function serialized({ body, ...reply }: Reply): Serialized {
  const content = reply.content ?? (body === undefined ? undefined : JSON.stringify(body))
  return { ...reply, ...(content === undefined ? {} : { content }), contentBytes: bytesOf(content) }
}

function bytesOf(content: Content | undefined): number {
  return content === undefined ? 0 : Buffer.byteLength(content)
}

/** Counts what answers take until they are read. Throws `unavailable` if the tenant has too much unread. */
export function createUnread(): (tenant: string, reply: Serialized, response: ServerResponse) => void {
  const budget = new ByteBudget(UNREAD)
  return (tenant, { contentBytes }, response) => {
    // A client that has gone leaves nothing unread, and emits no second `close`.
    if (contentBytes < COUNTED_BYTES || response.destroyed) return
    if (!budget.reserve(tenant, contentBytes))
      throw unavailable('Too many answers are waiting to be read. Read those before you send more requests.')
    response.once('close', () => budget.return(tenant, contentBytes))
  }
}

/** Sends a reply. `onBroken` receives why a stream could not be completed; the connection ends then, as the status is sent already. */
export function send(
  response: ServerResponse,
  { status, headers, content, contentBytes, stream }: Serialized,
  common: Record<string, string>,
  onBroken: (error: unknown) => void,
): void {
  const type = content === undefined && stream === undefined ? {} : { 'Content-Type': 'application/json' }
  const length = content === undefined ? {} : { 'Content-Length': contentBytes }
  response.writeHead(status, { ...type, 'Cache-Control': UNSTORED, ...headers, ...length, ...common })
  if (stream === undefined) return void response.end(content)
  // Nobody reads it; and `pipeline` would throw for a client that has gone.
  if (response.req.method === 'HEAD' || response.destroyed) {
    giveUp(stream)
    return void response.end()
  }
  pipeline(stream, response, (error) => {
    // The client has left, or was cut off.
    if (error && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') onBroken(error)
  })
}

/** Lets go of what a stream that was not read yet holds. */
function giveUp(stream: AsyncIterable<unknown>): void {
  if (stream instanceof Readable) stream.destroy()
  else void stream[Symbol.asyncIterator]().return?.()
}
