/**
 * The paragraphs of a text that was written in WordPress's classic editor: there, blank lines separate them, and a line break is one. The
 * rules are those that its pages show, written anew; `paragraphs.test.ts` compares the result with WordPress's own.
 */

import { replacePairs, TAG_PATTERN } from './scan.ts'

/** Blocks whose text falls into paragraphs. */
const HOLDS_PARAGRAPHS = 'article aside blockquote details div fieldset footer form header main nav section address'
/** Blocks whose text is of one piece, unless there are blank lines in it. */
const HOLDS_TEXT = 'caption dd dt figcaption h1 h2 h3 h4 h5 h6 legend li option p summary td th'
/** Blocks in which text has no place. */
const HOLDS_BLOCKS = 'colgroup col dl figure ol table tbody tfoot thead tr ul hr'

const set = (names: string) => new Set(names.split(' '))
const paragraphs = set(HOLDS_PARAGRAPHS)
const texts = set(HOLDS_TEXT)
const blocks = set(HOLDS_BLOCKS)
const EMPTY = set('hr col')

/** What is between these is left alone. */
const LITERAL = /<(pre|script|style|textarea|svg)\b[^<>]{0,2000}>/gi
/** The place of a literal, or a tag. */
const TAG = new RegExp(`<pre>\\d+<\\/pre>|${TAG_PATTERN}`, 'gi')
const INLINE_TAG = new RegExp(`(${TAG_PATTERN})`, 'gi')
const NAME = /^<(\/?)([a-z][a-z0-9]*)/i
/** Stands for itself. */
const FRAME = /^<(iframe|video|audio)\b[^<>]*><\/\1>$/i
const TWO_BREAKS = /<br\s*\/?>\s*<br\s*\/?>/gi

/** HTML with the paragraphs and line breaks that blank lines and ends of lines stand for. */
export function withParagraphs(text: string): string {
  const literals: string[] = []
  const literal = (whole: string) => `<pre>${literals.push(whole) - 1}</pre>`
  const lines = text.replaceAll(/\r\n?/g, '\n')
  const source = replacePairs(
    lines,
    LITERAL,
    (name) => `</${name}>`,
    (_, _inner, whole) => literal(whole),
  ).replaceAll(TWO_BREAKS, '\n\n')
  const out: string[] = []
  const open: string[] = []
  let [run, end] = ['', 0]
  for (const match of source.matchAll(TAG)) {
    run += source.slice(end, match.index)
    end = match.index + match[0].length
    const [tag] = match
    const [, slash, given = ''] = NAME.exec(tag) ?? []
    const name = given.toLowerCase()
    const isLiteral = tag.startsWith('<pre>')
    if (!(isLiteral || isBlock(name))) {
      run += tag
      continue
    }
    out.push(runIn(open.at(-1), run), tag)
    run = ''
    if (isLiteral || EMPTY.has(name)) continue
    if (slash === '') open.push(name)
    else if (open.includes(name)) open.length = open.lastIndexOf(name)
  }
  out.push(runIn(open.at(-1), run + source.slice(end)))
  return out.join('').replaceAll(/<pre>(\d+)<\/pre>/g, (_, index) => literals[Number(index)] ?? '')
}

const isBlock = (name: string) => paragraphs.has(name) || texts.has(name) || blocks.has(name)

/** A run of text and inline tags, in this block. */
function runIn(block: string | undefined, run: string): string {
  const pieces = run.split(/\n[ \t]*(?:\n[ \t]*)+/).filter((piece) => piece.trim() !== '')
  const isOne = block !== undefined && texts.has(block) && pieces.length < 2
  if (isOne || (block !== undefined && blocks.has(block))) return pieces.map(withBreaks).join('')
  return pieces.map((piece) => (FRAME.test(piece.trim()) ? piece.trim() : `<p>${withBreaks(piece)}</p>`)).join('\n')
}

/** Ends of lines as line breaks, but for those in tags and beside a break. */
function withBreaks(piece: string): string {
  return piece
    .trim()
    .split(INLINE_TAG)
    .map((part, index, all) => (index % 2 === 1 ? part : brokenText(part, all[index - 1], all[index + 1])))
    .join('')
}

const isBreak = (tag: string | undefined) => /^<br\b/i.test(tag ?? '')

function brokenText(text: string, before: string | undefined, after: string | undefined): string {
  const inner = isBreak(before) ? text.replace(/^[ \t]*\n/, ' ') : text
  const last = isBreak(after) ? inner.replace(/\n[ \t]*$/, ' ') : inner
  return last.replaceAll('\n', '<br />\n')
}
