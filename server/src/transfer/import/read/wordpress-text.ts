/** The text of a post as HTML: of WordPress's block editor, which keeps blocks between comments, or of the classic one. */
import { type ImportLoss, oneLoss } from '../source-post.ts'
import { withParagraphs } from './paragraphs.ts'
import { type Attachments, withoutShortcodes } from './shortcodes.ts'

/** A longer text is refused when it is converted. */
const MOST_CHARACTERS = 1024 * 1024

/** The HTML of a text as WordPress stores it, and what of it is lost. */
export function wordPressHtml(content: string, attachments: Attachments): { html: string; losses: ImportLoss[] } {
  if (content.length > MOST_CHARACTERS) return { html: content, losses: [] }
  const { html, losses } = withoutShortcodes(content, attachments)
  const { parts, dynamic, hasBlocks } = partsOf(html)
  const lost = [...dynamic].map(([name, count]) =>
    oneLoss('dynamic_block', `WordPress fills the block “${name}” when it shows the page: it is left out.`, count),
  )
  const whole = hasBlocks
    ? parts.map(({ text, isInBlock }) => (isInBlock ? text : withParagraphs(text))).join('')
    : withParagraphs(parts.map(({ text }) => text).join(''))
  return { html: whole, losses: [...losses, ...lost] }
}

/** What is between comments, which are dropped; and the blocks without content of their own, by name. */
function partsOf(html: string) {
  const parts: Array<{ text: string; isInBlock: boolean }> = []
  const dynamic = new Map<string, number>()
  let [depth, done, hasBlocks] = [0, 0, false]
  for (let at = html.indexOf('<!--'); at !== -1; at = html.indexOf('<!--', done)) {
    const end = html.indexOf('-->', at)
    if (end === -1) break
    parts.push({ text: html.slice(done, at), isInBlock: depth > 0 })
    done = end + 3
    const [, closes, name, empty] = BLOCK.exec(html.slice(at + 4, end)) ?? []
    if (name === undefined) continue
    hasBlocks = true
    if (closes !== undefined) depth = Math.max(0, depth - 1)
    else if (empty === undefined) depth += 1
    else dynamic.set(name, (dynamic.get(name) ?? 0) + 1)
  }
  parts.push({ text: html.slice(done), isInBlock: depth > 0 })
  return { parts, dynamic, hasBlocks }
}

/** The inside of a comment that begins or ends a block, or is one without content. */
const BLOCK = /^\s+(\/)?wp:([a-z][\w/-]*)\s+(?:\{[\s\S]*\}\s+)?(\/)?$/
