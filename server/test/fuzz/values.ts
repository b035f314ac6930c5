/** Values for a schema: what it allows, up to its edges, and what it does not. */
import fc from 'fast-check'
import { resolved, type Schema } from '../support/operations.ts'

/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** Stands for an id of the one who asks, by its name in paths and bodies; put in when the request is sent. */
export const OWN = [
  'post_id',
  'site_id',
  'delivery_id',
  'job_id',
  'channel_id',
  'import_id',
  'trashed_post_id',
  'preview_id',
  'preview_token',
  'medium_id',
  'token_id',
  'slug',
] as const
export type Own = (typeof OWN)[number]
export const ownId = (name: Own) => `{${name}}`

/** Stands for a number that JavaScript would not write like this; see `jsonText`. */
const NUMBERS = ['1e400', '-1e400', '-0', '1E-400', '123456789012345678901234567890', '0.1e1', '9007199254740993']
const numberMark = (text: string) => `#number ${text}`

/** The JSON text of a value, with the numbers that only text can hold. */
export function jsonText(value: Json): string {
  return JSON.stringify(value).replaceAll(/"#number ([^"]+)"/g, '$1')
}

const deep = (depth: number, wrap: (inner: Json) => Json) => {
  let value: Json = null
  for (let level = 0; level < depth; level += 1) value = wrap(value)
  return value
}

/** Text that has broken programs. */
export const nastyText = fc.oneof(
  fc.constantFrom(
    ...[
      '',
      ' ',
      '\0',
      'a\0b',
      '\ud800',
      '\udfff',
      'x\udc00\ud800',
      '\u2028',
      '\ufeff',
      '\u202e',
      '\uffff',
      '\x7f',
      '\u0085',
    ],
    ...[
      'null',
      'NaN',
      '-1',
      '0',
      'true',
      '[]',
      '{}',
      '__proto__',
      'constructor',
      'toString',
      '%',
      '%s%n',
      '\\',
      '\\u0000',
    ],
    ...[
      "'; drop table posts; --",
      '" or ""="',
      '$1',
      '#{x}',
      '{{x}}',
      '<script>x()</script>',
      '../../etc/passwd',
      '🏳️‍🌈',
      'İ',
      'ﬀ',
      'ß',
    ],
    ...[
      '2026-02-30T00:00:00Z',
      '0000-00-00',
      '+275760-09-13T00:00:00Z',
      '9999-12-31T23:59:59.999+14:00',
      '2026-11-01T24:00:00Z',
    ],
    ...[
      'http://',
      'https://[::1',
      'https://a\nb',
      'javascript:x()',
      'https://user:pass@example.com',
      'HTTPS://EXAMPLE.COM:0',
    ],
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.integer({ min: 1, max: 3_000 }).map((length) => 'x'.repeat(length)),
  fc.integer({ min: 1, max: 400 }).map((length) => '🌱'.repeat(length)),
)

/** Any JSON, the awkward more often than the usual. */
export const nastyJson: fc.Arbitrary<Json> = fc.oneof(
  nastyText,
  fc.constantFrom<Json>(...NUMBERS.map(numberMark), 0, -1, 1.5, 2 ** 53, -(2 ** 31), 1e300, Number.MIN_VALUE),
  fc.constantFrom<Json>(null, true, false, [], {}, [[]], [null], { '': null }, { length: 5 }),
  fc.constantFrom<Json>(
    deep(150, (inner) => [inner]),
    deep(190, (inner) => ({ a: inner })),
    deep(250, (inner) => [inner]),
  ),
  fc.dictionary(nastyText, nastyText, { maxKeys: 3, noNullPrototype: true }),
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>,
)

/** Schemas may contain themselves; what is optional ends here. */
const MAX_DEPTH = 8

/** Values that the schema allows. `name`: what the value is called, for those that are ids. */
export function valid(given: Schema, name = '', depth = 0): fc.Arbitrary<Json> {
  const schema = resolved(given)
  const own = OWN.find((one) => one.endsWith('_id') && one === name.replace(/s$/, ''))
  if (own !== undefined && schema.type !== 'array') return fc.constant(ownId(own))
  const choices = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  if (choices !== undefined) return fc.oneof(...choices.map((one) => valid(one, name, depth)))
  if (schema.const !== undefined) return fc.constant(schema.const as Json)
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as Json[]))
  if (Array.isArray(schema.allOf))
    return fc.tuple(...(schema.allOf as Schema[]).map((one) => valid(one, name, depth))).map(merged)
  const types = (Array.isArray(schema.type) ? schema.type : [schema.type]) as Array<string | undefined>
  const allowed = fc.oneof(...types.map((type) => ofType(type, schema, name, depth)))
  // Free-form objects mean something all the same; only their example tells what.
  if (schema.example === undefined || schema.additionalProperties === undefined) return allowed
  return fc.oneof({ weight: 3, arbitrary: fc.constant(schema.example as Json) }, { weight: 1, arbitrary: allowed })
}

const merged = (parts: Json[]): Json =>
  Object.assign({}, ...parts.map((part) => (typeof part === 'object' ? part : {})))

function ofType(type: string | undefined, schema: Schema, name: string, depth: number): fc.Arbitrary<Json> {
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
    case 'number':
      return numberWithin(schema)
    case 'string':
      return textWithin(schema)
    case 'array': {
      const items = depth < MAX_DEPTH ? valid((schema.items ?? {}) as Schema, name, depth + 1) : fc.constant<Json>(null)
      const [min, max] = [Number(schema.minItems ?? 0), depth < MAX_DEPTH ? Number(schema.maxItems ?? 5) : 0]
      return fc.oneof(
        { weight: 9, arbitrary: fc.array(items, { minLength: min, maxLength: Math.min(max, min + 3) }) },
        { weight: 1, arbitrary: fc.array(items, { minLength: max, maxLength: max }) },
      )
    }
    case 'object':
      return objectWithin(schema, depth)
    default:
      return fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>
  }
}

function numberWithin(schema: Schema): fc.Arbitrary<Json> {
  const [min, max] = [Number(schema.minimum ?? -1000), Number(schema.maximum ?? 1000)]
  return fc.oneof(fc.integer({ min, max }), fc.constantFrom(min, max, Math.min(max, min + 1)))
}

/** Addresses at which nobody is, and at most one that refuses connections. */
const ADDRESSES = [
  'https://example.com',
  'https://blog.example.com/a?b=c#d',
  'http://example.org:8080/',
  'http://127.0.0.1:1/',
]

function textWithin(schema: Schema): fc.Arbitrary<string> {
  if (schema.format === 'uri') return fc.constantFrom(...ADDRESSES)
  if (schema.format === 'email') return fc.uuid().map((id) => `${id}@example.com`)
  if (schema.format === 'uuid') return fc.uuid()
  if (schema.format === 'date-time')
    return fc
      .date({ min: new Date('2026-11-03T00:00:00Z'), max: new Date('2199-01-01T00:00:00Z'), noInvalidDate: true })
      .map((date) => date.toISOString())
  const [min, max] = [Number(schema.minLength ?? 0), Number(schema.maxLength ?? 200)]
  const edges = fc.constantFrom(min, max, Math.min(max, min + 1), Math.max(min, max - 1))
  const text = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.string({ unit: 'grapheme-composite', minLength: min, maxLength: Math.min(max, min + 30) }),
    },
    { weight: 2, arbitrary: fc.string({ minLength: min, maxLength: Math.min(max, min + 30) }) },
    { weight: 1, arbitrary: edges.map((length) => 'y'.repeat(length)) },
  )
  const pattern = typeof schema.pattern === 'string' ? new RegExp(schema.pattern, 'u') : undefined
  return pattern === undefined ? text : fc.oneof(text, fc.stringMatching(pattern))
}

function objectWithin(schema: Schema, depth: number): fc.Arbitrary<Json> {
  const required = new Set((schema.required ?? []) as string[])
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>).map(([name, child]) => {
    if (depth >= MAX_DEPTH && !required.has(name)) return fc.constant(undefined)
    const value = valid(child, name, depth + 1)
    // Few fields at once: many of them get into each other's way, and all requests are then refused.
    return required.has(name)
      ? value
      : fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value })
  })
  const names = Object.keys((schema.properties ?? {}) as object)
  const known = fc
    .tuple(...properties)
    .map((values) =>
      Object.fromEntries(
        values.flatMap(
          (value, index): Array<[string, Json]> => (value === undefined ? [] : [[names[index] ?? '', value]]),
        ),
      ),
    )
  const more = schema.additionalProperties
  if (typeof more !== 'object' && more !== true) return known
  const others = fc.dictionary(
    fc.string({ maxLength: 8 }),
    valid(more === true ? {} : (more as Schema), '', depth + 1),
    {
      maxKeys: 3,
      noNullPrototype: true,
    },
  )
  return fc.tuple(others, known).map(([first, second]) => ({ ...first, ...second }))
}

type Mutation = { at: number; kind: 'replace' | 'remove' | 'add' | 'stretch'; with: Json; name: string }

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat({ max: 1_000 }),
  kind: fc.constantFrom('replace', 'replace', 'remove', 'add', 'stretch'),
  with: nastyJson,
  name: nastyText,
})

/** The value with a few places in it changed for the worse. */
export function mutated(value: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return fc
    .tuple(value, fc.array(mutation, { minLength: 1, maxLength: 3 }))
    .map(([start, mutations]) => mutations.reduce(mutate, start))
}

function mutate(root: Json, { at, kind, with: other, name }: Mutation): Json {
  const places = placesIn(root)
  const place = places[at % places.length] ?? []
  const found = place.reduce<Json>((node, step) => (node as Record<string, Json>)[step] ?? null, root)
  switch (kind) {
    case 'replace':
      return replaced(root, place, other)
    case 'remove':
      return replaced(root, place, undefined)
    case 'add':
      return typeof found === 'object' && found !== null && !Array.isArray(found)
        ? replaced(root, place, { ...found, [name]: other })
        : replaced(root, place, [found, other])
    case 'stretch':
      return replaced(
        root,
        place,
        typeof found === 'string' ? (found || 'x').repeat(1 + (at % 400)) : [found, found, found],
      )
  }
}

/** The paths to all nodes, the root's first. */
function placesIn(node: Json, path: string[] = []): string[][] {
  if (typeof node !== 'object' || node === null) return [path]
  return [path, ...Object.entries(node).flatMap(([step, child]) => placesIn(child, [...path, step]))]
}

function replaced(node: Json, [step, ...rest]: string[], value: Json | undefined): Json {
  if (step === undefined) return value ?? null
  if (typeof node !== 'object' || node === null) return node
  if (Array.isArray(node))
    return node.flatMap((child, index) =>
      String(index) !== step ? [child] : rest.length === 0 && value === undefined ? [] : [replaced(child, rest, value)],
    )
  return Object.fromEntries(
    Object.entries(node).flatMap(([name, child]) =>
      name !== step
        ? [[name, child]]
        : rest.length === 0 && value === undefined
          ? []
          : [[name, replaced(child, rest, value)]],
    ),
  )
}
