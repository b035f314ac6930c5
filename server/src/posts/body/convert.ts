import type { Root } from 'hast'
import { indexedWords } from '../words.ts'
import { canonicalDoc } from './canonical.ts'
import { docToHast } from './doc-to-hast.ts'
import { defaultEmbedHosts } from './embeds.ts'
import { hastToDoc } from './hast-to-doc.ts'
import { parseHtml, printHtml } from './html.ts'
import { assertFormSize, assertStorableText, assertTreeSize, BodyError } from './limits.ts'
import { type Loss, Losses } from './losses.ts'
import { docToMarkdown, isPlainMarkdown, markdownToHtml } from './markdown.ts'
import { sanitizeHtml, sanitizeTree } from './sanitize.ts'
import type { DocNode } from './schema.ts'
import { countWords, docToText } from './text.ts'
import type { Tidying } from './tidy.ts'

export { BodyError } from './limits.ts'
export type { Loss } from './losses.ts'
export type { DocMark, DocNode } from './schema.ts'

/** The forms an author may give: any, several or none of them. */
export type BodyInput = { html?: string | undefined; markdown?: string | undefined; json?: unknown }

/** The three stored forms of one body; `json` is the canonical one. */
export type Body = { html: string; markdown: string; json: DocNode }

/**
 * `text`: its blocks are separated by \n; `words`: those of the text, as they are searched; `wordCount`: how many there are; `losses`: what could not be kept.
 * `siteMarkdown`: what sites get instead of the author's Markdown, if that may run or load what HTML may not; else null.
 */
export type ConvertedBody = Body & {
  siteMarkdown: string | null
  text: string
  words: string
  wordCount: number
  losses: Loss[]
}

type Form = 'json' | 'html' | 'markdown'

/** What the operator decides; `embedHosts` as in embeds.ts. */
export type BodyRules = { embedHosts?: readonly string[] | undefined }

/**
 * Derives all forms of a body from the richest one given (JSON, then HTML, then Markdown). Given Markdown is kept as it
 * is, given HTML as it is after sanitising. No form given: the empty body.
 *
 * Throws BodyError if a form is malformed, larger than 1 MiB, of more than 20,000 nodes or deeper than 64 levels, or if
 * a derived form would be. Bounded for hostile input: about 2 s at worst.
 */
export function convertBody(input: BodyInput, { embedHosts = defaultEmbedHosts }: BodyRules = {}): ConvertedBody {
  const given = givenForms(input)
  const source = given.json !== undefined ? 'json' : given.html !== undefined ? 'html' : 'markdown'
  try {
    return convert(given, source, embedHosts)
  } catch (error) {
    // The bounds keep every library from overflowing the stack; if one is wrong, refuse the input all the same.
    if (error instanceof RangeError) throw new BodyError(source, 'is too complex', { cause: error })
    throw error
  }
}

/** What comes of a conversion, as data that can go from one thread to another. */
export type Conversion = { body: ConvertedBody } | { refused: { path: string; message: string } }

/** `convertBody` that does not throw for a body that is refused. */
export function conversionOf(input: BodyInput, rules: BodyRules): Conversion {
  try {
    return { body: convertBody(input, rules) }
  } catch (error) {
    if (error instanceof BodyError) return { refused: { path: error.path, message: error.message } }
    throw error
  }
}

/** The body of a post created without one. */
export function emptyBody(): ConvertedBody {
  return convertBody({})
}

function givenForms({ html, markdown, json }: BodyInput): BodyInput {
  for (const [path, text] of Object.entries({ html, markdown })) {
    if (text === undefined) continue
    assertStorableText(text, path)
    assertFormSize(text, path, path)
  }
  return { html, markdown, json }
}

function convert(given: BodyInput, source: Form, embedHosts: readonly string[]): ConvertedBody {
  const losses = new Losses()
  const tidying = (form: Form): Tidying => ({
    embedHosts,
    note: (code, message) => losses.note(form, code, message),
  })
  const cannotHold = (message: string) => losses.note('json', 'form_cannot_hold', message)
  const sanitised = given.html === undefined ? undefined : sanitizeHtml(given.html, 'html', tidying('html'))
  const read = source === 'markdown' ? markdownToHtml(given.markdown ?? '', 'markdown') : undefined
  const tree = () => sanitised?.tree ?? sanitizeTree(parseHtml(read?.html ?? '', 'markdown'), tidying('markdown'))
  const json =
    source === 'json' ? canonicalDoc(given.json, 'json', embedHosts) : docIn(tree(), source, embedHosts, cannotHold)
  assertFormSize(JSON.stringify(json), 'json', source)
  const html = sanitised?.html ?? docToHtml(json, source, tidying(source))
  assertFormSize(html, 'html', source)
  const markdown = given.markdown ?? docToMarkdown(json)
  assertFormSize(markdown, 'markdown', source)
  const isPlain = given.markdown === undefined || (read?.isPlain ?? isPlainMarkdown(given.markdown))
  const safeMarkdown = isPlain ? markdown : docToMarkdown(json)
  assertFormSize(safeMarkdown, 'markdown', source)
  const siteMarkdown = safeMarkdown === markdown ? null : safeMarkdown
  const text = docToText(json)
  const words = indexedWords(text)
  return { html, markdown, siteMarkdown, json, text, words, wordCount: countWords(text), losses: losses.all() }
}

/** The canonical document of a tree. Errors name the form that the author gave. */
function docIn(
  tree: Root,
  source: string,
  embedHosts: readonly string[],
  cannotHold: (message: string) => void,
): DocNode {
  try {
    return canonicalDoc(hastToDoc(tree, embedHosts, cannotHold), source, embedHosts)
  } catch (error) {
    if (error instanceof BodyError) throw new BodyError(source, error.message, { cause: error })
    throw error
  }
}

function docToHtml(doc: DocNode, source: string, tidying: Tidying): string {
  const tree = docToHast(doc)
  assertTreeSize<Root | Root['children'][number]>(tree, (node) => ('children' in node ? node.children : []), source)
  return printHtml(sanitizeTree(tree, tidying))
}
