/** Takes a request through its endpoint: authentication → rate limit → parsing → idempotency key → handler. */
import type { Readable } from 'node:stream'
import type { z } from 'zod'
import type { Context } from '../context.ts'
import { type Failure, fail, invalid, unavailable } from '../errors.ts'
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
import { readBody } from './body.ts'
import { clientNetwork } from './client-address.ts'
import { type Admission, type Endpoint, honoursIdempotencyKeys, type Reply, type RequestFacts } from './endpoint.ts'
import { HeldMemory } from './held-memory.ts'
import { sentenceAbout, telling } from './issues.ts'
import { isStorable, MAX_BODY_BYTES, parseJsonBody } from './json.ts'

/** A request that was routed to its endpoint. `requestBody` is there if it may be read. */
export type Incoming = {
  url: string
  requestBody?: Readable
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
/** How many bytes of large bodies may wait, in all and of one account. */
const MOST_WAITING = { all: 64 * 1024 * 1024, ofOne: 16 * 1024 * 1024 }
/** How many bytes of bodies are kept that are not complete yet. */
const MOST_UNFINISHED = 128 * 1024 * 1024

/** Serves the requests of this service. They share one counter, and the slots for large bodies. */
export function createServe(ctx: Context): Serve {
  const count = createRequestCounter(ctx.db.root, ctx.clock)
  const large = new Slots(LARGE_AT_ONCE)
  const unfinished = new HeldMemory(MOST_UNFINISHED)
  return async (one, incoming) => {
    const { requestBody, facts, progress } = incoming
    const { principal, whose, usage } = await admit(ctx, count, one, facts)
    progress.usage = usage
    progress.whose = whose
    if (usage?.refused === true) throw overLimit(usage)
    const bytes =
      one.body === undefined || requestBody === undefined
        ? undefined
        : await readBody(facts, requestBody, { most: one.mostBytes ?? MAX_BODY_BYTES, unfinished, whose })
    if (bytes === undefined || bytes.length <= LARGE) return handle(ctx, one, incoming, principal, bytes)
    // Taken only after the body was read: a slow sender must not keep others waiting.
    if (!large.mayWait(bytes.length, whose, MOST_WAITING)) throw busy()
    const room = await large.take(bytes.length, whose)
    return handle(ctx, one, incoming, principal, bytes).finally(room.free)
  }
}

async function handle(
  ctx: Context,
  one: Endpoint,
  { url, params, facts }: Incoming,
  principal: unknown,
  bytes: Uint8Array | undefined,
): Promise<Reply> {
  const query = one.query === undefined ? undefined : parse(one.query, queryOf(url))
  const body =
    one.body === undefined || bytes === undefined
      ? undefined
      : parse(one.body, jsonOf(facts, bytes, one.bodyOptional === true))
  // A path parameter that cannot be stored equals no stored text.
  if (!Object.values(params).every(isStorable)) throw fail('not_found', 'There is nothing at this address.')
  // The definition's own schemas parsed the input, so it has the types its handler declares.
  const call = { ...facts, ctx, principal, params, query, body } as Parameters<Endpoint['handler']>[0]
  const key = facts.header('idempotency-key')
  const scope = honoursIdempotencyKeys(one) ? one.auth?.idempotencyScope?.(principal) : undefined
  if (key === undefined || scope === undefined) return one.handler(call)
  const work = { atomic: one.atomic === true, run: () => one.handler(call) }
  return answerOnce(ctx, { scope, key, path: new URL(url).pathname, body }, work)
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
    return { principal: undefined, whose: clientNetwork(facts.clientAddress), usage }
  }
  if ('admit' in one.auth) return one.auth.admit(ctx, facts)
  const principal = await one.auth.authenticate(ctx, facts)
  return { principal, whose: one.auth.whose(principal), usage: await count(one.auth.bucket(ctx, principal, facts)) }
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

function busy(): Failure {
  return unavailable('Too many large requests are waiting. Try again shortly.')
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
