/** Requests that this process makes to its own endpoints, for somebody who was admitted already: the same rights, limits, checks and errors. */
import type { Context } from '../context.ts'
import type { Endpoint, Reply, RequestFacts } from './endpoint.ts'
import { authorize, handle } from './serve.ts'

/** Who asks: the principal of the request that is being answered, and the request. */
export type Caller = { principal: unknown; facts: RequestFacts }

/** What a request would bring in its path, its query, `If-Match` and its body. */
export type Given = {
  params?: Record<string, string>
  query?: Record<string, string | number | undefined>
  ifMatch?: string | undefined
  body?: unknown
}

/** An answer: the body as a client would read it, undefined if there is none, and the entity tag. */
export type Answer = { body: unknown; etag: string | undefined }

/** Has an endpoint answer a request of the caller. It is not counted, the caller's was. Throws what the endpoint refuses it with. */
export async function invoke(ctx: Context, one: Endpoint, { principal, facts }: Caller, given: Given): Promise<Answer> {
  const { params = {}, query = {}, ifMatch, body } = given
  await authorize(ctx, one, principal, params)
  const asked = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) asked.set(name, String(value))
  const headers: Record<string, string | undefined> = { 'content-type': 'application/json', 'if-match': ifMatch }
  const request = {
    ...facts,
    method: one.method.toUpperCase(),
    url: `${one.path}?${asked}`,
    header: (name: string) => headers[name.toLowerCase()],
  }
  const bytes = body === undefined ? undefined : new TextEncoder().encode(JSON.stringify(body))
  const reply = await handle(ctx, one, { params, facts: request }, principal, bytes)
  return { body: await bodyOf(reply), etag: reply.headers?.ETag }
}

/** What a client would parse: instants, for example, are texts. */
async function bodyOf({ body, content, stream }: Reply): Promise<unknown> {
  const parts = stream ?? (content === undefined ? [] : [content])
  const decoder = new TextDecoder()
  let text = body === undefined ? '' : JSON.stringify(body)
  for await (const part of parts) text += typeof part === 'string' ? part : decoder.decode(part, { stream: true })
  return text === '' ? undefined : JSON.parse(text)
}
