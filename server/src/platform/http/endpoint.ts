/**
 * An endpoint is data: method, path, authentication, schemas, documented errors and a handler. The router, the
 * OpenAPI document and the tests over "every endpoint" all read the same list.
 */
import type { Readable } from 'node:stream'
import { z } from 'zod'
import './zod-openapi.ts'
import type { Context } from '../context.ts'
import type { FailureKind } from '../errors.ts'
import type { Bucket, Usage } from '../rate-limit/rate-limit.ts'

/** The parts of a request that are known before any handler runs. */
export type RequestFacts = {
  requestId: string
  clientAddress: string
  /** In upper case. */
  method: string
  /** The path and the query, as they were sent. */
  url: string
  header(name: string): string | undefined
}

/** The path of a request, without its query. */
export function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? url
}

/** How the API document describes a way to authenticate. */
export type SecurityDocument =
  | { type: 'http'; scheme: 'bearer'; bearerFormat: string; description: string }
  | { type: 'apiKey'; in: 'header' | 'cookie'; name: string; description: string }

/**
 * The principal, the tenant (its account) that takes turns and memory, and how the request was counted; `usage` is undefined when it was
 * not.
 */
export type Admission<Principal> = { principal: Principal; tenant: string; usage: Usage | undefined }

/** One way to authenticate: how the document describes it, and how a request proves it. */
export type AuthScheme<Principal> = {
  name: string
  document: SecurityDocument
  /** What a request may carry instead. */
  alternatives?: ReadonlyArray<{
    name: string
    document: SecurityDocument
    scopes?: readonly string[]
    /** Whether the endpoint can stay within some of the account's sites. */
    staysWithinSites?: boolean
  }>
  /** What `authenticate` throws besides `unauthorized`. */
  errors?: readonly FailureKind[]
  /** Whose idempotency keys a principal uses; without it, keys are not honoured. */
  idempotencyScope?(principal: Principal): string
} & (InSteps<Principal> | AtOnce<Principal>)

type InSteps<Principal> = {
  /** Authenticates the request. Throws a failure of kind `unauthorized`, or of one of `errors`. */
  authenticate(ctx: Context, request: RequestFacts): Promise<Principal>
  /** The account whose turns and memory the requests of a principal take. */
  tenant(principal: Principal): string
  /** What the requests of a principal are counted under. */
  bucket(ctx: Context, principal: Principal, request: RequestFacts): Bucket
  /** Throws a refusal if the principal may not use the endpoint for what the path names. */
  authorize?(ctx: Context, principal: Principal, params: Record<string, string>): Promise<void>
}

type AtOnce<Principal> = {
  /** Authenticates and counts the request in one step. Throws a failure of kind `unauthorized`. */
  admit(ctx: Context, request: RequestFacts): Promise<Admission<Principal>>
}

/** A body that is serialized already. What is sent only once is better sent as text: bytes would take memory of their own. */
export type Content = string | Uint8Array<ArrayBuffer>

/**
 * What a handler answers, as the pipeline sees it: a value, content that is serialized already, or a stream of it if it may be too large
 * for memory. It is JSON unless the headers say otherwise. With none of them, no body is sent.
 */
export type Reply = {
  status: number
  body?: unknown
  content?: Content
  stream?: AsyncIterable<string | Uint8Array>
  headers?: Record<string, string>
}

/** Named examples, as sent on the wire. The name is shown to the reader: "A draft in Markdown". */
export type Examples = Record<string, unknown>

/** A header of an answer; unless it is optional, every such answer carries it. */
export type DocumentedHeader = { description: string; example: string; optional?: true }

/** One documented success. A schema of null means an empty body. */
export type DocumentedReply = { description: string; headers?: Record<string, DocumentedHeader> } & (
  | { schema: z.ZodType; examples: Examples }
  /** Server-sent events; the schema is of one of them. */
  | { schema: z.ZodType; examples: Examples; stream: true }
  /** A file of this media type. */
  | { schema: null; file: string }
  | { schema: null }
)

type Replies = Record<number, DocumentedReply>

/** What a handler may answer: one of the documented replies, with the body and the headers that it promises. */
type ReplyTo<Documented extends Replies> = {
  [Status in keyof Documented & number]: { status: Status } & BodyOf<Documented[Status]> & HeadersOf<Documented[Status]>
}[keyof Documented & number]

/** A stream may be left out: `HEAD` asks for its head alone. */
type BodyOf<One extends DocumentedReply> = One extends { stream: true }
  ? { stream?: AsyncIterable<string> }
  : One extends { file: string }
    ? { stream: AsyncIterable<Uint8Array> }
    : One['schema'] extends z.ZodType
      ? { body: z.output<One['schema']> } | { content: Content } | { stream: AsyncIterable<string> }
      : { body?: undefined }

type HeadersOf<One extends DocumentedReply> = One extends { headers: infer Headers }
  ? keyof AlwaysIn<Headers> extends never
    ? { headers?: SometimesIn<Headers> }
    : { headers: AlwaysIn<Headers> & SometimesIn<Headers> }
  : { headers?: undefined }

type AlwaysIn<Headers> = {
  [Name in keyof Headers as Headers[Name] extends { optional: true } ? never : Name]: string
}
type SometimesIn<Headers> = {
  [Name in keyof Headers as Headers[Name] extends { optional: true } ? Name : never]?: string
}

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

/** What an endpoint with an upload takes: at most `mostBytes`, of one of these media types. */
export type UploadLimits = { mostBytes: number; types: readonly string[] }

/** An upload: its media type as declared, in lower case, and its bytes. The stream fails if there are too many, or if it breaks off. */
export type Upload = { type: string; bytes: Readable }

/** What a handler receives: the principal and validated input. */
export type Call<Principal, Params, Query, Body> = RequestFacts & {
  ctx: Context
  principal: Principal
  params: Parsed<Params>
  query: Parsed<Query>
  body: Parsed<Body>
  /** The body of an endpoint that takes an upload. */
  upload?: Upload
}

type Definition<Principal, Params, Query, Body, Documented extends Replies> = {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** In OpenAPI's form: `/api/posts/{id}`. */
  path: string
  name: string
  tag: string
  /** A few words for lists; begins with a verb or says what is there. */
  summary: string
  /** What it does and what to know about it, in Markdown. */
  description: string
  auth: AuthScheme<Principal> | null
  /** What a request is counted under without authentication, the narrowest bucket first. */
  buckets?: (ctx: Context, request: RequestFacts) => Bucket[]
  params?: Params
  query?: Query
  body?: Body
  /** A request without any body is taken as `{}`. */
  bodyOptional?: boolean
  /**
   * Bodies of more bytes are refused. For handlers that wait for other servers, during which a large body would occupy slots for
   * large bodies, and for requests that anybody may send.
   */
  mostBytes?: number
  /** The body is a stream of bytes instead of JSON; idempotency keys are not honoured. */
  upload?: UploadLimits
  headers?: z.ZodObject
  /** Has no effect before its one transaction commits, so it may begin before it holds its idempotency key. */
  atomic?: true
  replies: Documented
  /** Its failures beyond those that follow from authentication and input. */
  errors: readonly FailureKind[]
  handler(call: Call<Principal, Params, Query, Body>): Promise<ReplyTo<NoInfer<Documented>>>
} & (Body extends z.ZodType ? { bodyExamples: Examples } : unknown)

/** An endpoint as the router and the document see it. */
export type Endpoint = Omit<
  Definition<unknown, z.ZodObject, z.ZodObject, z.ZodType, Replies>,
  'handler' | 'bodyExamples'
> & {
  bodyExamples?: Examples
  handler(call: Call<unknown, z.ZodObject, z.ZodObject, z.ZodType>): Promise<Reply>
}

/** Declares an endpoint; what its handler receives and answers is typed by its schemas. */
export function endpoint<
  Principal = undefined,
  Params extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
  Documented extends Replies = Replies,
>(definition: Definition<Principal, Params, Query, Body, Documented>): Endpoint {
  // The list holds endpoints of every input type; the pipeline gives each handler what its own schemas parsed.
  return definition as unknown as Endpoint
}

/** Whether a request to the endpoint may carry an idempotency key. */
export function honoursIdempotencyKeys({
  method,
  auth,
  upload,
}: Pick<Endpoint, 'method' | 'auth' | 'upload'>): boolean {
  return method === 'post' && upload === undefined && auth?.idempotencyScope !== undefined
}

/** Every refusal an endpoint can answer with: its own and those that follow from its shape. */
export function possibleFailures(one: Endpoint): FailureKind[] {
  const kinds = new Set<FailureKind>(one.errors)
  if (one.auth !== null) for (const kind of ['unauthorized', ...(one.auth.errors ?? [])] as const) kinds.add(kind)
  if (one.auth !== null || one.buckets !== undefined) kinds.add('rate_limited')
  if (one.query !== undefined || one.body !== undefined) kinds.add('invalid')
  if (one.params !== undefined) kinds.add('not_found')
  if (one.body !== undefined || one.upload !== undefined) kinds.add('too_large').add('unsupported_media_type')
  if (honoursIdempotencyKeys(one)) kinds.add('conflict').add('invalid')
  kinds.add('method_not_allowed').add('unavailable')
  return [...kinds]
}

/** For answers that hold secrets: what is sent, and how it is documented. */
export const NO_STORE = {
  sent: { 'Cache-Control': 'no-store' },
  documented: {
    'Cache-Control': { description: 'The response contains secrets: do not store it.', example: 'no-store' },
  },
} as const

/** A field that a client may send back but not change: accepted in a write, then ignored. */
export function readOnlyField(): z.ZodOptional<z.ZodUnknown> {
  return z.unknown().optional().openapi({ readOnly: true, description: 'Read-only: accepted and ignored.' })
}

const INSTANT = { format: 'date-time', example: '2026-11-02T08:00:00.000Z' }

/** An instant on the wire: ISO 8601, UTC, milliseconds. JSON makes that of a Date. */
export const Timestamp = z.date().openapi(INSTANT)

/** The same, for an instant that is stored as its wire text. */
export const TimestampText = z.string().openapi(INSTANT)

/** An identifier on the wire (UUIDv7). */
export const Id = z.string().openapi({ format: 'uuid', example: '01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071' })

/** Path parameters of a single resource. Ids that cannot exist are simply not found, so any text is accepted. */
export const IdParams = z.object({
  id: z.string().openapi({ description: "The resource's id.", example: '01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071' }),
})
