/**
 * An endpoint is data: method, path, authentication, schemas, documented errors and a handler. The router, the
 * OpenAPI document and the tests over "every endpoint" all read the same list.
 */
import { extendZodWithOpenApi } from '@asteasolutions/zod-to-openapi'
import { z } from 'zod'
import type { Context } from '../context.ts'
import type { FailureKind } from '../errors.ts'
import type { Bucket } from '../rate-limit/rate-limit.ts'

extendZodWithOpenApi(z)

/** The parts of a request that are known before any handler runs. */
export type RequestFacts = { requestId: string; clientAddress: string; header(name: string): string | undefined }

/** One way to authenticate: how the document describes it, and how a request proves it. */
export type AuthScheme<Principal> = {
  name: string
  document:
    | { type: 'http'; scheme: 'bearer'; bearerFormat: string; description: string }
    | { type: 'apiKey'; in: 'header'; name: string; description: string }
  /** Who asks. Throws a failure of kind `unauthorized`. */
  authenticate(ctx: Context, request: RequestFacts): Promise<Principal>
  /** Whose idempotency keys a principal uses; without it, keys are not honoured. */
  idempotencyScope?(principal: Principal): string
  /** What the requests of a principal are counted under. */
  bucket(ctx: Context, principal: Principal): Bucket
}

/** What a handler answers. A body that is undefined sends none. */
export type Reply = { status: number; body?: unknown; headers?: Record<string, string> }

/** One documented success. A schema of null means an empty body. */
export type DocumentedReply = { description: string; schema: z.ZodType | null; headers?: Record<string, string> }

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

/** What a handler receives: validated input and who asks. */
export type Call<Principal, Params, Query, Body> = RequestFacts & {
  ctx: Context
  principal: Principal
  params: Parsed<Params>
  query: Parsed<Query>
  body: Parsed<Body>
}

type Definition<Principal, Params, Query, Body> = {
  method: 'get' | 'post' | 'patch' | 'delete'
  /** In OpenAPI's form: `/api/posts/{id}`. */
  path: string
  name: string
  tag: string
  summary: string
  description?: string
  auth: AuthScheme<Principal> | null
  /** What a request is counted under when nobody is authenticated. */
  bucket?: (ctx: Context, request: RequestFacts) => Bucket
  params?: Params
  query?: Query
  body?: Body
  /** A request without any body is taken as `{}`. */
  bodyOptional?: boolean
  headers?: z.ZodObject
  replies: Record<number, DocumentedReply>
  /** What else may happen, beyond what follows from authentication and input. */
  errors: readonly FailureKind[]
  handler(call: Call<Principal, Params, Query, Body>): Promise<Reply>
}

/** An endpoint as the router and the document see it. */
export type Endpoint = Omit<Definition<unknown, z.ZodObject, z.ZodObject, z.ZodType>, 'handler'> & {
  handler(call: Call<unknown, z.ZodObject, z.ZodObject, z.ZodType>): Promise<Reply>
}

/** Declares an endpoint; its handler is typed by its schemas. */
export function endpoint<
  Principal = undefined,
  Params extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(definition: Definition<Principal, Params, Query, Body>): Endpoint {
  // The list holds endpoints of every input type; the pipeline gives each handler what its own schemas parsed.
  return definition as unknown as Endpoint
}

/** Whether a request to the endpoint may carry an idempotency key. */
export function honoursIdempotencyKeys({ method, auth }: Pick<Endpoint, 'method' | 'auth'>): boolean {
  return method === 'post' && auth?.idempotencyScope !== undefined
}

/** Every refusal an endpoint can answer with: its own and those that follow from its shape. */
export function possibleFailures(one: Endpoint): FailureKind[] {
  const kinds = new Set<FailureKind>(one.errors)
  if (one.auth !== null) kinds.add('unauthorized')
  if (one.auth !== null || one.bucket !== undefined) kinds.add('rate_limited')
  if (one.query !== undefined || one.body !== undefined) kinds.add('invalid')
  if (one.params !== undefined) kinds.add('not_found')
  if (one.body !== undefined) kinds.add('too_large').add('unsupported_media_type')
  if (honoursIdempotencyKeys(one)) kinds.add('conflict').add('invalid')
  kinds.add('unavailable')
  return [...kinds]
}

/** A field that a client may send back but not change: accepted in a write, then ignored. */
export function readOnlyField(): z.ZodOptional<z.ZodUnknown> {
  return z.unknown().optional().openapi({ readOnly: true, description: 'Read-only: accepted and ignored.' })
}

/** An instant on the wire: ISO 8601, UTC, milliseconds. */
export const Timestamp = z.string().openapi({ format: 'date-time', example: '2026-11-01T09:30:00.000Z' })

/** An identifier on the wire (UUIDv7). */
export const Id = z.string().openapi({ format: 'uuid', example: '019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11' })

/** Path parameters of a single resource. Ids that cannot exist are simply not found, so any text is accepted. */
export const IdParams = z.object({ id: z.string() })
