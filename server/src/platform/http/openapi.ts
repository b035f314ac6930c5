/** Turns the list of endpoints into the OpenAPI 3.1 document. */
import { OpenAPIRegistry, OpenApiGeneratorV31, type RouteConfig } from '@asteasolutions/zod-to-openapi'
import { z } from 'zod'
import { type FailureKind, wireOf } from '../errors.ts'
import { type Endpoint, honoursIdempotencyKeys, possibleFailures } from './endpoint.ts'

type Document = ReturnType<OpenApiGeneratorV31['generateDocument']>

/** What stands at the head of the document. */
export type DocumentInfo = { title: string; version: string; description: string; serverUrl: string }

const ErrorBody = z
  .object({
    error: z.string(),
    message: z.string(),
    field: z
      .string()
      .optional()
      .openapi({ description: 'Dotted path of the offending field.', example: 'meta.description' }),
    request_id: z.string().optional().openapi({ description: 'Present in a 500.' }),
  })
  .openapi('Error')

const IdempotencyKey = z.object({
  'Idempotency-Key': z.string().min(1).max(255).optional().openapi({
    description:
      'Visible ASCII. The same key and request within 24 hours get the first answer again, with `Idempotent-Replayed: true`; with another request it is a 409.',
  }),
})

/** The document of these endpoints. Same list, same bytes. */
export function createDocument(endpoints: readonly Endpoint[], info: DocumentInfo): Document {
  const registry = new OpenAPIRegistry()
  for (const one of endpoints) {
    if (one.auth !== null) registry.registerComponent('securitySchemes', one.auth.name, one.auth.document)
    registry.registerPath(routeOf(one))
  }
  const { serverUrl, ...head } = info
  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: head,
    servers: [{ url: serverUrl }],
  })
}

function routeOf(one: Endpoint): RouteConfig {
  const { params, query, body } = one
  const headers = honoursIdempotencyKeys(one) ? (one.headers ?? z.object({})).extend(IdempotencyKey.shape) : one.headers
  return {
    method: one.method,
    path: one.path,
    operationId: one.name,
    tags: [one.tag],
    summary: one.summary,
    ...(one.description === undefined ? {} : { description: one.description }),
    security: one.auth === null ? [] : [{ [one.auth.name]: [] }],
    request: {
      ...(params === undefined ? {} : { params }),
      ...(query === undefined ? {} : { query }),
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined
        ? {}
        : { body: { required: one.bodyOptional !== true, content: { 'application/json': { schema: body } } } }),
    },
    responses: { ...successes(one), ...failures(one) },
  }
}

function successes(one: Endpoint): RouteConfig['responses'] {
  return Object.fromEntries(
    Object.entries(one.replies).map(([status, { description, schema, headers }]) => [
      status,
      {
        description,
        ...(schema === null ? {} : { content: { 'application/json': { schema } } }),
        headers: z.object({
          'X-Request-Id': z.string(),
          ...Object.fromEntries(
            Object.entries(headers ?? {}).map(([name, text]) => [name, z.string().openapi({ description: text })]),
          ),
        }),
      },
    ]),
  )
}

function failures(one: Endpoint): RouteConfig['responses'] {
  const byStatus = Map.groupBy(possibleFailures(one).sort(byWireStatus), (kind) => wireOf(kind).status)
  const documented = [...byStatus].map(([status, kinds]) => {
    const codes = kinds.map((kind) => wireOf(kind).error)
    return [
      status,
      { description: `\`${codes.join('` or `')}\``, content: { 'application/json': { schema: ErrorBody } } },
    ] as const
  })
  return {
    ...Object.fromEntries(documented),
    500: { description: '`internal_error`', content: { 'application/json': { schema: ErrorBody } } },
  }
}

function byWireStatus(a: FailureKind, b: FailureKind): number {
  return wireOf(a).status - wireOf(b).status
}
