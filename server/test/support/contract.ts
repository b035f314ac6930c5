/** Checks real answers against the API document. */
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { createApiDocument } from '../../src/openapi.ts'

/** An answer of the service, or a request that it sent. */
export type Message = { headers: Headers; body: unknown }

/** Checks against the document. Each returns the problems, one line each; an empty list if there are none. */
export type Contract = {
  /** An answer of an operation; of a stream, one event. */
  answer(operationId: string, status: number, answer: Message): string[]
  /** A webhook as it was sent. */
  webhook(event: string, request: Message): string[]
  /** Every example in the document. */
  examples(): string[]
}

/** What HTTP itself, or the listener, puts on any message. */
const OF_HTTP = 'connection content-length content-type date keep-alive transfer-encoding x-content-type-options'.split(
  ' ',
)
const OF_CLIENTS = 'accept-encoding host user-agent'.split(' ')

type Json = { [key: string]: Json } | Json[] | string | number | boolean | null
type Node = Record<string, Json>
type Header = { required?: boolean; schema: Node }
type Content = { schema: Node; example?: Json; examples?: Record<string, { value: Json }> }

/** Reads the document of the API as it is now. */
export function readContract(): Contract {
  const document = JSON.parse(JSON.stringify(createApiDocument('/'))) as Node
  const ajv = new Ajv2020.default({ strict: false, allErrors: true })
  formats.default(ajv)
  // Ajv knows no e-mail addresses beyond ASCII; those that the service takes have tests of their own.
  ajv.addFormat('idn-email', true)
  ajv.addSchema(closed(document) as Node, 'document')
  const at = (pointer: string) => {
    const steps = pointer
      .slice(2)
      .split('/')
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    return steps.reduce<Json | undefined>((node, step) => (node as Node | undefined)?.[step], document)
  }
  /** The pointer itself, or where a reference leads. */
  const follow = (pointer: string): string => {
    const target = (at(pointer) as Node | undefined)?.$ref
    return typeof target === 'string' ? follow(target) : pointer
  }
  const validator = (pointer: string) => ajv.getSchema(`document${pointer}`) as ValidateFunction
  const problems = (where: string, validate: ValidateFunction, value: unknown) =>
    validate(value) ? [] : (validate.errors ?? []).map((error) => `${where}${error.instancePath}: ${error.message}`)

  const headerProblems = (pointers: Record<string, string>, headers: Headers, unremarkable: string[]): string[] => {
    const known = new Map(Object.entries(pointers).map(([name, pointer]) => [name.toLowerCase(), follow(pointer)]))
    const stray = [...headers.keys()].filter((name) => !known.has(name) && !unremarkable.includes(name))
    const wrong = [...known].flatMap(([name, pointer]) => {
      const { required, schema } = at(pointer) as Header
      const text = headers.get(name)
      if (text === null) return required === true ? [`${name} is missing`] : []
      return problems(name, validator(`${pointer}/schema`), schema.type === 'integer' ? Number(text) : text)
    })
    return [...stray.map((name) => `${name} is not documented`), ...wrong]
  }

  const operations = operationsOf(document)
  return {
    answer(operationId, status, { headers, body }) {
      const pointer = operations.get(operationId)
      if (pointer === undefined) return [`${operationId} is not documented`]
      const response = follow(`${pointer}/responses/${status}`)
      const found = at(response) as { headers?: Node; content?: Record<string, Content> } | undefined
      if (found === undefined) return [`${operationId}: ${status} is not documented`]
      const named = Object.keys(found.headers ?? {}).map((name) => [name, `${response}/headers/${name}`])
      const [mediaType] = Object.keys(found.content ?? {})
      const bodyProblems =
        mediaType === undefined || mediaType === 'application/zip'
          ? body === undefined
            ? []
            : ['there should be no body']
          : problems('body', validator(`${response}/content/${escaped(mediaType)}/schema`), body)
      return [...headerProblems(Object.fromEntries(named), headers, OF_HTTP), ...bodyProblems].map(
        (line) => `${operationId} ${status}: ${line}`,
      )
    },
    webhook(event, { headers, body }) {
      const pointer = `#/webhooks/${event}/post`
      const parameters = (at(`${pointer}/parameters`) ?? []) as Array<{ name: string }>
      const named = parameters.map(({ name }, index) => [name, `${pointer}/parameters/${index}`])
      return [
        ...headerProblems(Object.fromEntries(named), headers, [...OF_HTTP, ...OF_CLIENTS]),
        ...problems('body', validator(`${pointer}/requestBody/content/application~1json/schema`), body),
      ].map((line) => `${event}: ${line}`)
    },
    examples() {
      return contentsOf(document).flatMap(([pointer, { example, examples }]) => {
        const values = example === undefined ? Object.values(examples ?? {}).map(({ value }) => value) : [example]
        if (values.length === 0) return [`${pointer} has no example`]
        return values.flatMap((value) => problems(pointer, validator(`${pointer}/schema`), value))
      })
    },
  }
}

function operationsOf(document: Node): Map<string, string> {
  const paths = Object.entries(document.paths as Record<string, Node>)
  return new Map(
    paths.flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => [
        String((operation as Node).operationId),
        `#/paths/${escaped(path)}/${method}`,
      ]),
    ),
  )
}

/** Of files, which have no examples. */
const BYTES = /^multipart\//

/** Every place where a body is described that is text. */
function contentsOf(node: Json, pointer = '#'): Array<readonly [string, Content]> {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return []
  return Object.entries(node).flatMap(([key, child]) => {
    const below = `${pointer}/${escaped(key)}`
    if (key === 'schemas') return [] // a property may be named content too
    if (key !== 'content') return contentsOf(child, below)
    return Object.entries(child as Node)
      .filter(([type]) => !BYTES.test(type))
      .map(([type, content]) => [`${below}/${escaped(type)}`, content as Content] as const) // a media type object, says OpenAPI
      .filter(([at, { schema }]) => schema.format !== 'binary' && !at.endsWith('multipart~1form-data'))
  })
}

const escaped = (step: string) => step.replaceAll('~', '~0').replaceAll('/', '~1')

/**
 * The document with every object closed where it is used: what a schema does not name is then a mistake. Not inside
 * `allOf` and its like, whose parts each see the whole object.
 */
function closed(node: Json, used = false): Json {
  if (Array.isArray(node)) return node.map((item) => closed(item))
  if (typeof node !== 'object' || node === null) return node
  const inner = Object.fromEntries(
    Object.entries(node).map(([key, child]) => {
      if (key === 'properties') return [key, closedEach(child as Node)]
      return [key, closed(child, key === 'schema' || key === 'items')]
    }),
  )
  return used ? { ...inner, unevaluatedProperties: false } : inner
}

function closedEach(properties: Node): Node {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, closed(schema, true)]))
}
