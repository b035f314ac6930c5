/** Takes a request through its endpoint: authentication → rate limit → authorization → parsing → idempotency key → handler. */
import type { Readable } from 'node:stream'
import type { z } from 'zod'
import type { Context } from '../context.ts'
import { fail, invalid } from '../errors.ts'
import { answerOnce } from '../idempotency/idempotency.ts'
import {
  type Bucket,
  createRequestCounter,
  overLimit,
  type RequestCounter,
  type Usage,
} from '../rate-limit/rate-limit.ts'
import { Slots } from '../slots.ts'
import type { Progress } from './answer.ts'
import { announcedBytes, readBody } from './body.ts'
import { ByteBudget } from './byte-budget.ts'
import { clientNetwork } from './client-address.ts'
import {
  type Admission,
  type Endpoint,
  honoursIdempotencyKeys,
  pathOf,
  type Reply,
  type RequestFacts,
  type Upload,
} from './endpoint.ts'
import { sentenceAbout, telling } from './issues.ts'
import { isStorable, MAX_BODY_BYTES, parseJsonBody } from './json.ts'
import { openUpload } from './upload.ts'

/** A request that was routed to its endpoint, with its body as it comes. */
export type Incoming = {
  requestBody: Readable
  params: Record<string, string>
  facts: RequestFacts
  progress: Progress
}

/** Serves a request with its endpoint. What it throws becomes the refusal. */
export type Serve = (one: Endpoint, incoming: Incoming) => Promise<Reply>

/** A body of more bytes than this counts as large. */
const LARGE = 65_536
/** How many bytes of large bodies are processed at once: meanwhile, each takes many times its size in memory. */
const LARGE_AT_ONCE = 2 * MAX_BODY_BYTES
/** How many bytes of bodies are in memory, from the first byte to the answer: in all, and of one tenant. */
const BODIES = { all: 64 * 1024 * 1024, ofOne: 16 * 1024 * 1024 }

/** Serves the requests of this service. They share one counter, and the memory for bodies. */
export function createServe(ctx: Context): Serve {
  const count = createRequestCounter(ctx.db.root, ctx.clock)
  const large = new Slots(LARGE_AT_ONCE)
  const budget = new ByteBudget(BODIES)
  return async (one, incoming) => {
    const { requestBody, facts, progress } = incoming
    const { principal, tenant, usage } = await admit(ctx, count, one, facts)
    progress.usage = usage
    progress.tenant = tenant
    if (usage?.refused === true) throw overLimit(usage)
    await authorize(ctx, one, principal, incoming.params)
    if (one.upload !== undefined)
      return handle(ctx, one, { ...incoming, upload: openUpload(facts, requestBody, one.upload) }, principal)
    if (one.body === undefined) return handle(ctx, one, incoming, principal)
    const mostBytes = one.mostBytes ?? MAX_BODY_BYTES
    const announced = announcedBytes(facts, mostBytes)
    const { bytes, done } = await readBody(requestBody, { announced, mostBytes, budget, tenant })
    // Taken only after the body was read: a slow sender must not keep others waiting.
    const slot = bytes.length > LARGE ? await large.take(bytes.length, tenant) : undefined
    try {
      return await handle(ctx, one, incoming, principal, bytes)
    } finally {
      slot?.free()
      done()
    }
  }
}

/** Throws a refusal if the principal may not use the endpoint for what its path names. */
export async function authorize(
  ctx: Context,
  one: Endpoint,
  principal: unknown,
  params: Record<string, string>,
): Promise<void> {
  if (one.auth !== null && 'authorize' in one.auth) await one.auth.authorize?.(ctx, principal, params)
}

/** Parses what an admitted request brings, and has its endpoint answer it. */
export async function handle(
  ctx: Context,
  one: Endpoint,
  { params, facts, upload }: Pick<Incoming, 'params' | 'facts'> & { upload?: Upload },
  principal: unknown,
  bytes?: Uint8Array,
): Promise<Reply> {
  const query = one.query === undefined ? undefined : parse(one.query, queryOf(facts.url))
  const body =
    one.body === undefined || bytes === undefined
      ? undefined
      : parse(one.body, jsonOf(facts, bytes, one.bodyOptional === true))
  // A path parameter that cannot be stored equals no stored text.
  if (!Object.values(params).every(isStorable)) throw fail('not_found', 'There is nothing at this address.')
  // The definition's own schemas parsed the input, so it has the types its handler declares.
  const call = { ...facts, ctx, principal, params, query, body, upload } as Parameters<Endpoint['handler']>[0]
  const key = facts.header('idempotency-key')
  const scope = honoursIdempotencyKeys(one) ? one.auth?.idempotencyScope?.(principal) : undefined
  if (key === undefined || scope === undefined) return one.handler(call)
  const work = { atomic: one.atomic === true, run: () => one.handler(call) }
  return answerOnce(ctx, { scope, key, path: pathOf(facts.url), body }, work)
}

/** Authenticates a request and counts it. */
async function admit(
  ctx: Context,
  count: RequestCounter,
  one: Endpoint,
  facts: RequestFacts,
): Promise<Admission<unknown>> {
  if (one.auth === null) {
    const usage = await countInEach(count, one.buckets?.(ctx, facts) ?? [])
    return { principal: undefined, tenant: clientNetwork(facts.clientAddress), usage }
  }
  if ('admit' in one.auth) return one.auth.admit(ctx, facts)
  const principal = await one.auth.authenticate(ctx, facts)
  return { principal, tenant: one.auth.tenant(principal), usage: await count(one.auth.bucket(ctx, principal, facts)) }
}

/** Counts a request in each bucket until one refuses it. The result is the usage of that one, or of the one with the least left. */
async function countInEach(count: RequestCounter, buckets: readonly Bucket[]): Promise<Usage | undefined> {
  let least: Usage | undefined
  for (const bucket of buckets) {
    const usage = await count(bucket)
    if (usage !== undefined && (least === undefined || usage.remaining < least.remaining || usage.refused))
      least = usage
    if (usage?.refused === true) break
  }
  return least
}

function queryOf(url: string): Record<string, string> {
  const begin = url.indexOf('?')
  return begin === -1 ? {} : Object.fromEntries(new URLSearchParams(url.slice(begin)))
}

function jsonOf({ header }: RequestFacts, bytes: Uint8Array, optional: boolean): unknown {
  if (optional && bytes.length === 0) return {}
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw invalid('body', 'The body is not valid UTF-8.', error)
  }
  return parseJsonBody(header('content-type'), text)
}

/** Parses input with a schema; the first problem becomes a failure that names its dotted path. */
function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value, { error: sentenceAbout })
  if (result.success) return result.data
  const issue = telling(result.error.issues[0])
  const path = [...(issue?.path ?? [])]
  if (issue?.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? ''
    throw invalid([...path, key].join('.'), `There is no field "${key}" here. Check its spelling, or leave it out.`)
  }
  throw invalid(path.join('.') || 'body', issue?.message ?? 'The value is not valid.')
}
