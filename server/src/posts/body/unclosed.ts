/**
 * Tags that would swallow the rest of a text. The content of `<title>`, `<script>` or `<select>` is no part of a post, so where
 * such a tag is never closed (somebody writes about it, or closes it as MDX does: `<iframe … />`), an HTML parser would take
 * everything after it as that content. Here such tags become text, or are closed at once, before the parser sees them.
 */
import { type Token, Tokenizer, TokenizerMode } from 'parse5'

/** A piece of text to put at an offset, instead of the next `removed` characters. */
type Edit = { at: number; removed: number; text: string }

/** Elements whose content the parser reads as text, up to their end tag, and the tokenizer's mode for it. */
const modes: Record<string, Tokenizer['state']> = {
  ...{ title: TokenizerMode.RCDATA, textarea: TokenizerMode.RCDATA },
  ...{ style: TokenizerMode.RAWTEXT, xmp: TokenizerMode.RAWTEXT, iframe: TokenizerMode.RAWTEXT },
  ...{ noembed: TokenizerMode.RAWTEXT, noframes: TokenizerMode.RAWTEXT, script: TokenizerMode.SCRIPT_DATA },
}
/** Elements with elements in them, whose content sanitising removes. */
const containers = new Set(['audio', 'datalist', 'math', 'select', 'svg', 'template', 'video'])
/** What the reader sees of these is not between their tags. */
const closedAtOnce = new Set(['audio', 'iframe', 'video'])
/** In Markdown these are text even if they are closed: of GFM's disallowed tags, those that no post has a use for. */
const alwaysText = new Set(['noembed', 'noframes', 'plaintext', 'textarea', 'title', 'xmp'])

const mayBeUnclosed =
  /<\/?(?:audio|datalist|iframe|math|noembed|noframes|plaintext|script|select|style|svg|template|textarea|title|video|xmp)/i

/** The HTML with the tags that are never closed as text, and with frames and players closed. */
export function withoutUnclosed(html: string): string {
  return applied(editsOf(html, new Set(['plaintext'])), html)
}

/** As `withoutUnclosed`, for the pieces of HTML in a Markdown text, in order, which share their parent. */
export function withoutUnclosedTags(pieces: readonly string[]): string[] {
  const edits = editsOf(pieces.join('\n'), alwaysText)
  let start = 0
  let next = 0
  return pieces.map((piece) => {
    const inside: Edit[] = []
    for (let edit = edits[next]; edit !== undefined && edit.at <= start + piece.length; edit = edits[++next])
      inside.push({ ...edit, at: edit.at - start })
    start += piece.length + 1
    return applied(inside, piece)
  })
}

function applied(edits: readonly Edit[], source: string): string {
  let result = ''
  let from = 0
  for (const { at, removed, text } of edits) {
    result += source.slice(from, at) + text
    from = at + removed
  }
  return result + source.slice(from)
}

/** In order. `asText`: tags that are text wherever they stand. Linear time. */
function editsOf(html: string, asText: ReadonlySet<string>): Edit[] {
  if (!mayBeUnclosed.test(html)) return []
  const edits: Edit[] = []
  const open = new Map([...containers].map((name): [string, Token.TagToken[]] => [name, []]))
  const ends = endTags(html)
  const mend = (token: Token.TagToken) => edits.push(mended(token))
  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: true },
    {
      onStartTag(token) {
        const { tagName: name } = token
        const mode = Object.hasOwn(modes, name) ? modes[name] : undefined
        if (asText.has(name)) mend(token)
        else if (mode !== undefined) {
          if (token.selfClosing || !ends.closes(token)) mend(token)
          else tokenizer.state = mode
        } else if (containers.has(name)) {
          if (token.selfClosing && closedAtOnce.has(name)) mend(token)
          else if (!token.selfClosing || name === 'select' || name === 'template') open.get(name)?.push(token)
        }
      },
      onEndTag(token) {
        if (asText.has(token.tagName)) mend(token)
        open.get(token.tagName)?.pop()
      },
      onComment() {},
      onDoctype() {},
      onEof() {},
      onCharacter() {},
      onNullCharacter() {},
      onWhitespaceCharacter() {},
    },
  )
  tokenizer.write(html, true)
  for (const tokens of open.values()) tokens.forEach(mend)
  return edits.sort((a, b) => a.at - b.at)
}

function mended({ tagName, location, selfClosing }: Token.TagToken): Edit {
  const { startOffset = 0, endOffset = 0 } = location ?? {}
  const isClosed = closedAtOnce.has(tagName) || (selfClosing && (tagName === 'script' || tagName === 'style'))
  return isClosed ? { at: endOffset, removed: 0, text: `</${tagName}>` } : { at: startOffset, removed: 1, text: '&lt;' }
}

/** Says of start tags, asked in order, whether an end tag closes them: the next tag of that name; for code, any later one. */
function endTags(html: string): { closes(token: Token.TagToken): boolean } {
  const next = new Map<string, { at: number; isEnd: boolean }>()
  const last = new Map<string, number>()
  return {
    closes({ tagName, location }) {
      const from = location?.endOffset ?? 0
      if (tagName === 'script' || tagName === 'style') {
        const known = last.get(tagName) ?? lastIndexOf(html, new RegExp(`</${tagName}(?=[\\s/>])`, 'gi'))
        last.set(tagName, known)
        return known >= from
      }
      let found = next.get(tagName)
      if (found === undefined || found.at < from) {
        const pattern = new RegExp(`<(/?)${tagName}(?=[\\s/>])`, 'gi')
        pattern.lastIndex = from
        const match = pattern.exec(html)
        found = { at: match?.index ?? Number.POSITIVE_INFINITY, isEnd: match?.[1] === '/' }
        next.set(tagName, found)
      }
      return found.isEnd
    },
  }
}

function lastIndexOf(text: string, pattern: RegExp): number {
  let last = -1
  for (const { index } of text.matchAll(pattern)) last = index
  return last
}
