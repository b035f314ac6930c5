/** The elements of WordPress's export files, as they come. */
import type { Readable } from 'node:stream'
import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { FileRefused, MOST_POST_BYTES } from '../source-post.ts'

/** An item of the file: its elements by their names, its terms, and its metadata. */
export type WxrItem = {
  texts: ReadonlyMap<string, string>
  terms: ReadonlyArray<{ domain: string; name: string }>
  meta: ReadonlyArray<{ key: string; value: string }>
}

/** What is in a file: the address of the blog, its authors, and its items. */
export type WxrPart =
  | { kind: 'address'; url: string }
  | { kind: 'author'; login: string; name: string }
  | { kind: 'item'; item: WxrItem }

/** What XML cannot hold, but databases of blogs do. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are to go
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

/** The parts of a file, in its order. Throws FileRefused unless it is a well-formed export. */
export async function* wxrParts(file: Readable): AsyncGenerator<WxrPart> {
  const found: WxrPart[] = []
  const parser = parserInto(found)
  const decoder = new TextDecoder('utf-8')
  const write = (text: string) => parser.write(text.replaceAll(NOT_IN_XML, ''))
  for await (const bytes of file) {
    write(decoder.decode(bytes as Uint8Array, { stream: true }))
    yield* found.splice(0)
  }
  write(decoder.decode())
  parser.close()
  yield* found.splice(0)
}

/** Entities beyond XML's own do not exist without a document type, and that is refused: nothing expands, and nothing is loaded. */
function parserInto(found: WxrPart[]): SaxesParser {
  const parser = new SaxesParser()
  const path: string[] = []
  let text = ''
  let attributes: SaxesTagPlain['attributes'] = {}
  let texts = new Map<string, string>()
  let children = new Map<string, string>()
  let terms: Array<{ domain: string; name: string }> = []
  let meta: Array<{ key: string; value: string }> = []
  const add = (piece: string) => {
    text += piece
    if (text.length > MOST_POST_BYTES)
      throw new FileRefused('A post in the file is larger than 8 MiB. Nothing was imported.')
  }
  parser.on('doctype', () => {
    throw new FileRefused(
      'The file declares a document type, which exports of WordPress do not have. Nothing was imported.',
    )
  })
  parser.on('error', ({ message }) => {
    throw new FileRefused(`The file is not well-formed XML (${message}). Export it again: it may be cut off.`)
  })
  parser.on('text', add)
  parser.on('cdata', add)
  parser.on('opentag', (tag) => {
    path.push(tag.name)
    if (path.length === 1 && tag.name !== 'rss') throw new FileRefused('This XML file is not an export of WordPress.')
    if (path.length > 20)
      throw new FileRefused('The elements of the file are nested too deeply for an export of WordPress.')
    attributes = tag.attributes
    text = ''
    if (path.length !== 3) return
    if (tag.name === 'item') [texts, terms, meta] = [new Map(), [], []]
    children = new Map()
  })
  parser.on('closetag', ({ name }) => {
    const isInItem = path[2] === 'item'
    if (path.length === 3) {
      if (name === 'item') found.push({ kind: 'item', item: { texts, terms, meta } })
      if (name === 'wp:base_blog_url') found.push({ kind: 'address', url: text.trim() })
      if (name === 'wp:author') found.push(authorOf(children))
    }
    if (path.length === 4) {
      if (!isInItem) children.set(name, text)
      else if (name === 'category') terms.push({ domain: String(attributes.domain ?? ''), name: text })
      else if (name === 'wp:postmeta') {
        meta.push({ key: children.get('wp:meta_key') ?? '', value: children.get('wp:meta_value') ?? '' })
        children = new Map()
      } else texts.set(name, text)
    }
    if (path.length === 5 && isInItem && path[3] === 'wp:postmeta') children.set(name, text)
    path.pop()
    text = ''
  })
  return parser
}

function authorOf(children: ReadonlyMap<string, string>): WxrPart {
  const login = children.get('wp:author_login') ?? ''
  return { kind: 'author', login, name: children.get('wp:author_display_name') || login }
}
