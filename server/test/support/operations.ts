/** The operations of the API, read from its document: what the tests over "every operation" are generated from. */
import { createApiDocument } from '../../src/openapi.ts'

/** A JSON schema, references followed one step at a time by `resolved`. */
export type Schema = { [keyword: string]: unknown }

/** A parameter of an operation. */
export type Parameter = { name: string; in: 'path' | 'query' | 'header' | 'cookie'; required: boolean; schema: Schema }

/**
 * An operation as the document describes it; `body` is a JSON one. `security`: the names of the auth schemes, any of which suffices. `streams`:
 * its answer goes on until one side closes the connection.
 */
export type Operation = {
  name: string
  method: string
  path: string
  security: string[]
  parameters: Parameter[]
  body: { schema: Schema; required: boolean } | undefined
  streams: boolean
  /** What the token of a program needs; undefined where none may. */
  scopes: string[] | undefined
}

type Node = Record<string, unknown>

const document = JSON.parse(JSON.stringify(createApiDocument('/'))) as Node

/** The target of a reference in the document; anything else unchanged. */
export function resolved<T extends object>(node: T): T {
  if (!('$ref' in node)) return node
  const steps = String(node.$ref).slice(2).split('/')
  const target = steps.reduce<Node>(
    (at, step) => at[step.replaceAll('~1', '/').replaceAll('~0', '~')] as Node,
    document,
  )
  return resolved(target as T) // a reference stands for what it leads to
}

/** Every operation of the document. */
export const operations: readonly Operation[] = Object.entries(document.paths as Record<string, Node>).flatMap(
  ([path, item]) => Object.entries(item).map(([method, node]) => operationOf(path, method, node as Node)),
)

function operationOf(path: string, method: string, node: Node): Operation {
  const {
    operationId,
    security = [],
    parameters = [],
    requestBody,
    responses,
    'x-required-scopes': scopes,
  } = node as {
    operationId: string
    security?: Array<Record<string, unknown>>
    parameters?: Parameter[]
    responses: Record<string, { content?: object }>
    'x-required-scopes'?: string[]
    /** Only JSON is told of: uploads have tests of their own. */
    requestBody?: { required?: boolean; content: { 'application/json'?: { schema: Schema } } }
  }
  const body = requestBody && resolved(requestBody)
  const isUpload = 'multipart/form-data' in (body?.content ?? {})
  const json = isUpload ? undefined : body?.content['application/json']
  return {
    name: operationId,
    method: method.toUpperCase(),
    path,
    security: security.flatMap((way) => Object.keys(way)),
    parameters: parameters.map(resolved),
    streams: Object.values(responses).some((response) => 'text/event-stream' in (resolved(response).content ?? {})),
    scopes,
    body: json && { schema: resolved(json.schema), required: body?.required === true },
  }
}
