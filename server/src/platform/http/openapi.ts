/** Turns the lists of endpoints and webhooks into the OpenAPI 3.1 document. */
import { OpenAPIRegistry, OpenApiGeneratorV31, type RouteConfig } from '@asteasolutions/zod-to-openapi'
import { COMMON_HEADERS, EVERYWHERE, headerObjects, headersOfSuccess } from './common-headers.ts'
import {
  type DocumentedReply,
  type Endpoint,
  type Examples,
  honoursIdempotencyKeys,
  possibleFailures,
  type UploadLimits,
} from './endpoint.ts'
import { failureResponse } from './failure-responses.ts'
import type { Webhook } from './webhook.ts'

type Generated = ReturnType<OpenApiGeneratorV31['generateDocument']>
type Response = RouteConfig['responses'][string]

/** What is documented, and the head of the document. */
export type Described = {
  endpoints: readonly Endpoint[]
  webhooks: readonly Webhook[]
  info: Generated['info']
  servers: NonNullable<Generated['servers']>
  /** In the order in which they are shown. */
  tags: NonNullable<Generated['tags']>
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes it safe to repeat the request. Use a random key, such as a UUID. For 24 hours the same request with the same key returns the first response again, with `Idempotent-Replayed: true`; another request with the key gets 409.',
  // No example: clients that send it unchanged would all share one key.
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]+$', maxLength: 255 },
} as const

/** The document. The same lists make the same bytes. */
export function createDocument({ endpoints, webhooks, ...head }: Described): Generated {
  const registry = new OpenAPIRegistry()
  for (const { name, document } of endpoints.flatMap(waysToAuthenticate))
    registry.registerComponent('securitySchemes', name, document)
  for (const [name, header] of Object.entries(COMMON_HEADERS)) registry.registerComponent('headers', name, header)
  registry.registerComponent('parameters', IDEMPOTENCY_KEY.name, IDEMPOTENCY_KEY)
  for (const one of endpoints) registry.registerPath(routeOf(one))
  for (const one of webhooks) registry.registerWebhook(webhookRoute(one))
  const kinds = new Set(endpoints.flatMap(possibleFailures))
  for (const { name, schema, response } of [...kinds, 'internal' as const].map(failureResponse)) {
    registry.register(name, schema)
    registry.registerComponent('responses', name, response)
  }
  const generator = new OpenApiGeneratorV31(registry.definitions, { sortComponents: 'alphabetically' })
  return generator.generateDocument({ openapi: '3.1.0', ...head })
}

type WayToAuthenticate = NonNullable<NonNullable<Endpoint['auth']>['alternatives']>[number]

function waysToAuthenticate({ auth }: Endpoint): WayToAuthenticate[] {
  return auth === null ? [] : [{ name: auth.name, document: auth.document }, ...(auth.alternatives ?? [])]
}

function routeOf(one: Endpoint): RouteConfig {
  const { params, query, headers, body, upload, bodyExamples = {} } = one
  const ways = waysToAuthenticate(one)
  const scopes = ways.flatMap((way) => way.scopes ?? [])
  return {
    method: one.method,
    path: one.path,
    operationId: one.name,
    tags: [one.tag],
    summary: one.summary,
    description: one.description + inWords(scopes),
    security: ways.map(({ name }) => ({ [name]: [] })),
    // OpenAPI knows scopes of OAuth alone.
    ...(scopes.length === 0 ? {} : { 'x-required-scopes': scopes }),
    ...(honoursIdempotencyKeys(one)
      ? { parameters: [{ $ref: `#/components/parameters/${IDEMPOTENCY_KEY.name}` }] }
      : {}),
    request: {
      ...(params === undefined ? {} : { params }),
      ...(query === undefined ? {} : { query }),
      ...(headers === undefined ? {} : { headers }),
      ...(upload === undefined ? {} : { body: { required: true, content: uploadContent(upload) } }),
      ...(body === undefined
        ? {}
        : {
            body: {
              required: one.bodyOptional !== true,
              content: { 'application/json': { schema: body, examples: exampleObjects(bodyExamples) } },
            },
          }),
    },
    responses: { ...successes(one), ...failures(one) },
  }
}

/** What people are told of the scopes that a token needs. */
function inWords(scopes: readonly string[]): string {
  if (scopes.length === 0) return ''
  return `\n\nThe token of a program needs ${scopes.map((scope) => `\`${scope}\``).join(' and ')}.`
}

function uploadContent({ types, mostBytes }: UploadLimits) {
  const schema = { type: 'string' as const, format: 'binary', maxLength: mostBytes }
  const form = { type: 'object' as const, required: ['file'], properties: { file: schema } }
  return Object.fromEntries(types.map((type) => [type, { schema: type === 'multipart/form-data' ? form : schema }]))
}

function successes(one: Endpoint): Record<string, Response> {
  const common = headerObjects(headersOfSuccess(one))
  return Object.fromEntries(
    Object.entries(one.replies).map(([status, reply]) => {
      const own = Object.entries(reply.headers ?? {}).map(([name, { description, example, optional }]) => [
        name,
        { description, required: optional !== true || isEverywhere(name), schema: { type: 'string' }, example },
      ])
      return [
        status,
        { description: reply.description, headers: { ...common, ...Object.fromEntries(own) }, ...contentOf(reply) },
      ]
    }),
  )
}

function contentOf(reply: DocumentedReply) {
  if ('file' in reply) return { content: { [reply.file]: { schema: { type: 'string' as const, format: 'binary' } } } }
  if (reply.schema === null) return {}
  const mediaType = 'stream' in reply ? 'text/event-stream' : 'application/json'
  return { content: { [mediaType]: { schema: reply.schema, examples: exampleObjects(reply.examples) } } }
}

function failures(one: Endpoint): Record<string, Response> {
  const responses = [...possibleFailures(one), 'internal' as const].map(failureResponse)
  return Object.fromEntries(responses.map(({ name, status }) => [status, { $ref: `#/components/responses/${name}` }]))
}

function webhookRoute(one: Webhook): RouteConfig {
  return {
    method: 'post',
    path: one.name,
    operationId: one.operationId,
    tags: [one.tag],
    summary: one.summary,
    description: one.description,
    security: [],
    request: {
      headers: one.headers,
      body: { required: true, content: { 'application/json': { schema: one.body, example: one.example } } },
    },
    responses: Object.fromEntries(
      Object.entries(one.answers).map(([status, description]) => [status, { description }]),
    ),
  }
}

const isEverywhere = (name: string) => EVERYWHERE.some((header) => header === name)

function exampleObjects(examples: Examples) {
  return Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]))
}
