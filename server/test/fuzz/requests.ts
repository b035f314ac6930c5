/** Requests to an operation of the document, right and wrong. They name no real ids, so a run can be repeated by its seed. */
import fc from 'fast-check'
import type { Operation, Parameter } from '../support/operations.ts'
import { type Json, jsonText, mutated, nastyJson, nastyText, OWN, ownId, valid } from './values.ts'

/** Who asks: by one of the operation's ways in (by number), or by none that works. */
export type Who = { way: number } | { wrong: Record<string, string> }

/** A request before real ids and credentials are put in. `body` is text, or bytes as numbers. */
export type Draft = {
  path: Record<string, string>
  query: string
  headers: Array<[name: string, value: string]>
  who: Who
  body: { type: string | undefined; content: string | number[] } | undefined
}

/** What a body has to be for an operation to succeed, where no schema can say so. */
const KNOWN_BODIES: Record<string, Json> = {
  login: { email: '{email}', password: '{password}' },
  changePassword: { current_password: '{password}', new_password: '{password}' },
  resetPassword: { token: '{reset_token}', password: '{password}' },
  verifyNotificationAddress: { token: '{verify_token}' },
  addMediumFromUrl: { url: '{picture_url}' },
  createNotificationChannel: { kind: 'slack', target: 'https://chat.example.com/hook' },
}

const ODD_PATHS = ['%', '%00', '%ff%fe', '%2F', '~', '*', ':id', '%7Bid%7D', '%F0%9F%8C%B1', 'x'.repeat(3_000)]
const ODD_QUERIES = [
  '',
  '&',
  '=',
  '&&==',
  '%',
  '%00=1',
  '%ff=%fe',
  '__proto__=1',
  'page=1&page=2',
  'page[]=1',
  'a;b',
  '?x',
]
const ODD_HEADERS: Array<[string, string]> = [
  ['accept', 'text/html'],
  ['accept', 'application/xml;q=0'],
  ['accept-encoding', '*;q=0'],
  ['accept-language', 'tlh'],
  ['authorization', 'Basic dXNlcjpwYXNz'],
  ['content-encoding', 'gzip'],
  ['content-type', 'text/plain'],
  ['content-type', ';;;'],
  ['cookie', 'postrider_session=x; a=b; =; postrider_session'],
  ['expect', '100-continue'],
  ['forwarded', 'for="[::1]:1"'],
  ['if-match', '*'],
  ['if-modified-since', 'yesterday'],
  ['if-none-match', '*'],
  ['origin', 'null'],
  ['range', 'bytes=0-0'],
  ['upgrade', 'websocket'],
  ['x-forwarded-for', '::ffff:1.2.3.4, nonsense, '],
  ['x-http-method-override', 'DELETE'],
  ['x-request-id', 'mine'],
]

const encoded = (text: string) => encodeURIComponent(text.toWellFormed())
/** What HTTP lets a header hold. */
const isHeaderValue = (text: string) => /^[\t\x20-\x7e\x80-\xff]*$/.test(text)

const pathText = (name: string, path: string): fc.Arbitrary<string> => {
  const first = name === 'version' ? '1' : undefined
  const nouns = {
    '/preview/': 'preview_token',
    '/imports': 'import_id',
    '/tokens': 'token_id',
    '/untrash': 'trashed_post_id',
    '/posts': 'post_id',
    '/deliveries': 'delivery_id',
    '/channels': 'channel_id',
    '/media': 'medium_id',
  } as const
  const [, noun = 'site_id'] = Object.entries(nouns).find(([part]) => path.includes(part)) ?? []
  const own = OWN.find((one) => one === name) ?? noun
  return fc.oneof(
    { weight: 7, arbitrary: fc.constant(first ?? ownId(own)) },
    { weight: 1, arbitrary: fc.uuid() },
    { weight: 1, arbitrary: nastyText.map(encoded).filter((text) => text !== '' && text !== '.' && text !== '..') },
    { weight: 1, arbitrary: fc.constantFrom(...ODD_PATHS) },
  )
}

const queryText = (one: Parameter): fc.Arbitrary<string> =>
  fc.oneof(
    {
      weight: 5,
      arbitrary: valid(one.schema, one.name).map((value) => (typeof value === 'string' ? value : jsonText(value))),
    },
    { weight: 1, arbitrary: nastyText },
  )

function queryOf(parameters: Parameter[]): fc.Arbitrary<string> {
  const each = parameters.map((one) => fc.option(queryText(one), { nil: undefined, freq: 2 }))
  const known = fc
    .tuple(...each)
    .map((values) =>
      values.flatMap((value, index) =>
        value === undefined ? [] : [`${parameters[index]?.name}=${/^\{\w+\}$/.test(value) ? value : encoded(value)}`],
      ),
    )
  const odd = fc.oneof(
    { weight: 6, arbitrary: fc.constant<string[]>([]) },
    { weight: 1, arbitrary: fc.subarray(ODD_QUERIES, { maxLength: 2 }) },
  )
  return fc.tuple(known, odd).map((parts) => parts.flat().join('&'))
}

function headersOf(parameters: Parameter[]): fc.Arbitrary<Draft['headers']> {
  const each = parameters.map((one) => fc.option(queryText(one).filter(isHeaderValue), { nil: undefined, freq: 2 }))
  const known = fc
    .tuple(...each)
    .map((values) =>
      values.flatMap((value, index): Draft['headers'] =>
        value === undefined ? [] : [[parameters[index]?.name ?? '', value]],
      ),
    )
  const odd = fc.oneof(
    { weight: 6, arbitrary: fc.constant<Draft['headers']>([]) },
    { weight: 1, arbitrary: fc.subarray(ODD_HEADERS, { maxLength: 2 }) },
  )
  return fc.tuple(known, odd).map((parts) => parts.flat())
}

const JSON_TYPE = 'application/json'
const CONTENT_TYPES = [
  JSON_TYPE,
  'application/json; charset=utf-8',
  'application/vnd.api+json',
  'text/json',
  'application/x-www-form-urlencoded',
  undefined,
]

/** A GIF of one pixel. */
const PIXEL = [...Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')]

/** Files, and what looks like them. */
const fileBody: fc.Arbitrary<Draft['body']> = fc.record({
  type: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('image/gif', 'application/octet-stream') },
    { weight: 1, arbitrary: fc.constantFrom('multipart/form-data', 'multipart/form-data; boundary=x', 'text/plain') },
  ),
  content: fc.oneof(
    { weight: 2, arbitrary: fc.constant(PIXEL) },
    { weight: 1, arbitrary: fc.nat({ max: PIXEL.length }).map((length) => PIXEL.slice(0, length)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 30 }).map((bytes) => [...bytes]) },
    { weight: 1, arbitrary: fc.constant('--x\r\nContent-Disposition: form-data; name="file"\r\n\r\n') },
  ),
})

/** A file of one post, and what looks like one. */
const exportBody: fc.Arbitrary<Draft['body']> = fc.record({
  type: fc.constantFrom(JSON_TYPE, 'application/octet-stream', 'text/plain', 'multipart/form-data; boundary=x'),
  content: fc.oneof<fc.Arbitrary<string | number[]>[]>(
    fc.constant('{"data":{"posts":[{"id":"1","title":"Boo","html":"<p>x</p>"}]}}'),
    fc.constantFrom('{"data":{"posts":[1,null,{}]}}', '<rss/>', '<rss><channel><item/></channel></rss>', 'PK', ''),
    fc.uint8Array({ maxLength: 30 }).map((bytes) => [...bytes]),
    fc.constant('--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n<rss/>\r\n--x--\r\n'),
  ),
})

function bodyOf({ name, body }: Operation): fc.Arbitrary<Draft['body']> {
  if (name === 'uploadMedium') return fileBody
  if (name === 'createImport') return exportBody
  if (body === undefined)
    return fc.constantFrom(
      undefined,
      undefined,
      { type: JSON_TYPE, content: '{"a":' },
      { type: undefined, content: 'x' },
    )
  const known = KNOWN_BODIES[name]
  const right = known === undefined ? valid(body.schema) : fc.oneof(valid(body.schema), fc.constant(known))
  const json = fc
    .oneof(
      { weight: 5, arbitrary: right },
      { weight: 4, arbitrary: mutated(right) },
      { weight: 1, arbitrary: nastyJson },
    )
    .map(jsonText)
  const damaged = fc
    .tuple(json, fc.nat({ max: 100 }))
    .map(([text, percent]) => text.slice(0, Math.ceil((text.length * percent) / 100)))
  const doubled = json.map((text) => text.replace('{', '{"title":1,"title":"x","__proto__":{},'))
  const content = fc.oneof<fc.Arbitrary<string | number[]>[]>(
    json,
    damaged,
    doubled,
    fc.uint8Array({ maxLength: 30 }).map((bytes) => [...bytes]),
    fc.constantFrom('', ' ', '\ufeff{}', 'null', '{}//'),
  )
  return fc.oneof(
    { weight: 8, arbitrary: json.map((text) => ({ type: JSON_TYPE, content: text })) },
    { weight: 1, arbitrary: fc.record({ type: fc.constantFrom(...CONTENT_TYPES), content }) },
    ...(body.required ? [] : [{ weight: 1, arbitrary: fc.constant(undefined) }]),
  )
}

function whoOf({ security }: Operation): fc.Arbitrary<Who> {
  if (security.length === 0) return fc.constant({ wrong: {} })
  return fc.oneof(
    { weight: 9, arbitrary: fc.nat({ max: security.length - 1 }).map((way) => ({ way })) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Who>(
        { wrong: {} },
        { wrong: { authorization: 'Bearer' } },
        { wrong: { authorization: 'Bearer a.b.c' } },
        { wrong: { authorization: `Bearer ${'x'.repeat(5_000)}` } },
        { wrong: { authorization: 'Bearer \xe9\xff' } },
        { wrong: { 'x-api-key': 'pr_x' } },
        { wrong: { cookie: 'postrider_session=a.b.c' } },
      ),
    },
  )
}

/** Requests to the operation. */
export function requestsTo(one: Operation): fc.Arbitrary<Draft> {
  const at = (where: Parameter['in']) => one.parameters.filter((parameter) => parameter.in === where)
  return fc.record({
    path: fc.record(Object.fromEntries(at('path').map(({ name }) => [name, pathText(name, one.path)]))),
    query: queryOf(at('query')),
    headers: headersOf(at('header')),
    who: whoOf(one),
    body: bodyOf(one),
  })
}
