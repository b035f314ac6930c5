import type { Nodes } from 'mdast'
import { toHast } from 'mdast-util-to-hast'
import { cjkFriendlyExtension } from 'micromark-extension-cjk-friendly'
import { gfmStrikethroughCjkFriendly } from 'micromark-extension-cjk-friendly-gfm-strikethrough'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import remarkStringify from 'remark-stringify'
import { type Processor, unified } from 'unified'
import { docToMdast } from './doc-to-mdast.ts'
import { placeFootnotes } from './footnotes.ts'
import { printHtml } from './html.ts'
import { assertTreeSize, BodyError, copyBudget, maxDocDepth, nodeBudget, tooDeep } from './limits.ts'
import { markdownCost } from './markdown-cost.ts'
import type { DocNode } from './schema.ts'
import { withoutUnclosedTags } from './unclosed.ts'
import { safeHref, safeImageSrc } from './urls.ts'

// The estimated cost of 10,000 paragraphs or 6,000 list items, more than a document can have, is 1.2 s.
const maxCostMicros = 1_200_000

const reader = unified().use(remarkParse).use(remarkGfm).use(withoutLateAutolinks).use(besideIdeographs).freeze()
// The library does not escape `<` before most punctuation, but `<|a@b.c>` is a link.
const unsafe = [{ character: '<', after: '\\S', inConstruct: 'phrasing' as const }]
const writer = unified()
  .use(remarkGfm, { tablePipeAlign: false })
  .use(remarkStringify, { bullet: '-', rule: '-', resourceLink: true, unsafe })
  .freeze()

/**
 * The parser links bare addresses while it parses. This removes its second search, in the finished text, which would also link
 * addresses that the author escaped.
 */
function withoutLateAutolinks(this: Processor): void {
  const data = this.data()
  const extensions = data.fromMarkdownExtensions ?? []
  data.fromMarkdownExtensions = extensions.flat().map(({ transforms: _late, ...extension }) => extension)
}

/** CommonMark's rules for `**` know no scripts without spaces: beside Chinese, Japanese and Korean it would often stay as it is. */
function besideIdeographs(this: Processor): void {
  const data = this.data()
  const extensions = data.micromarkExtensions ?? []
  data.micromarkExtensions = [...extensions, cjkFriendlyExtension(), gfmStrikethroughCjkFriendly()]
}

/** Converts GFM, with HTML in it, to untrusted HTML; `isPlain`: there is none in it, and no address to refuse. Throws BodyError if parsing would take too long or the tree is too large. */
export function markdownToHtml(markdown: string, path: string): { html: string; isPlain: boolean } {
  const { micros, markers } = markdownCost(markdown)
  if (markers > maxDocDepth) throw tooDeep(path, maxDocDepth)
  if (micros > maxCostMicros)
    throw new BodyError(path, 'has too many lines, or too many *, _, [, ], ` or <! in a paragraph')
  const tree = reader.parse(markdown)
  assertTreeSize<Nodes>(tree, (node) => ('children' in node ? node.children : []), path)
  assertTableSizes(tree, path)
  assertReferences(tree, path)
  const isPlain = hasNothingToSanitise(tree)
  visitAll(tree, mendTags)
  placeFootnotes(tree)
  return { html: printHtml(toHast(tree, { allowDangerousHtml: true, clobberPrefix: '' })), isPlain }
}

/** Whether a text has no HTML in it and no address that a link or picture must not have: sites may then get it as it is. */
export function isPlainMarkdown(markdown: string): boolean {
  const { micros, markers } = markdownCost(markdown)
  return markers <= maxDocDepth && micros <= maxCostMicros && hasNothingToSanitise(reader.parse(markdown))
}

function hasNothingToSanitise(tree: Nodes): boolean {
  let isPlain = true
  visitAll(tree, (node) => {
    if (node.type === 'html') isPlain = false
    else if (node.type === 'image') isPlain &&= node.url === '' || safeImageSrc(node.url) !== undefined
    else if (node.type === 'link' || node.type === 'definition')
      isPlain &&= node.url === '' || safeHref(node.url) !== undefined
  })
  return isPlain
}

/** Keeps the HTML below a node from swallowing what is not meant for it (see unclosed.ts). */
function mendTags(parent: Nodes): void {
  if (!('children' in parent)) return
  const children: readonly Nodes[] = parent.children
  const pieces = children.filter((child) => child.type === 'html')
  if (pieces.length === 0) return
  const values = withoutUnclosedTags(pieces.map(({ value }) => value))
  for (const [index, piece] of pieces.entries()) piece.value = values[index] ?? piece.value
}

/** The Markdown form of a canonical document. */
export function docToMarkdown(doc: DocNode): string {
  return writer.stringify(docToMdast(doc))
}

/** Each reference gets the address and the title of its definition. */
function assertReferences(tree: Nodes, path: string): void {
  const lengths = new Map<string, number>()
  visitAll(tree, (node) => {
    if (node.type !== 'definition') return
    const { identifier, url, title } = node
    if (!lengths.has(identifier)) lengths.set(identifier, url.length + (title?.length ?? 0))
  })
  const copy = copyBudget(path)
  visitAll(tree, (node) => {
    if (node.type === 'linkReference' || node.type === 'imageReference') copy(lengths.get(node.identifier) ?? 0)
  })
}

function visitAll(node: Nodes, visit: (node: Nodes) => void): void {
  visit(node)
  if ('children' in node) for (const child of node.children) visitAll(child, visit)
}

/** Counts cells: rows are filled up to the table's width, so a wide header over many short rows grows with their product. */
function assertTableSizes(tree: Nodes, path: string): void {
  const count = nodeBudget(path)
  visitAll(tree, (node) => {
    if (node.type === 'table') count(node.children.length * (node.align?.length ?? 0))
  })
}
