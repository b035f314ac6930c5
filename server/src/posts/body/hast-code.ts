import type { Element, Nodes } from 'hast'
import { isLanguage } from './plain.ts'
import type { DocNode } from './schema.ts'

/** The code block of a `pre`. `note` is told of links and pictures in it. */
export function codeBlockOf(pre: Element, note: (message: string) => void): DocNode {
  if (hasLink(pre))
    note('Links and pictures in preformatted text were left out of the rich text and the Markdown; the text is there.')
  const classes = [pre, ...pre.children].flatMap((node) =>
    node.type === 'element' && Array.isArray(node.properties.className) ? node.properties.className : [],
  )
  const language = classes.map((name) => /^language-(.*)/.exec(String(name))?.[1]).find((name) => name !== undefined)
  const text = linesOf(pre).replace(/\n$/, '')
  return {
    type: 'codeBlock',
    ...(language !== undefined && isLanguage(language) && { attrs: { language } }),
    content: text === '' ? [] : [{ type: 'text', text }],
  }
}

function hasLink(node: Nodes): boolean {
  if (node.type !== 'element') return false
  return (
    node.tagName === 'img' ||
    (node.tagName === 'a' && node.properties.href !== undefined) ||
    node.children.some(hasLink)
  )
}

/** Elements that begin and end a line within a `pre`, as highlighters and editors put around each. */
const lineBlocks = new Set('blockquote dd div dl dt figure h1 h2 h3 h4 h5 h6 li ol p section table tr ul'.split(' '))

/** The text of a `pre`, with its lines as a browser shows them. */
function linesOf(pre: Element): string {
  let text = ''
  const endLine = () => {
    if (text !== '' && !text.endsWith('\n')) text += '\n'
  }
  const visit = (node: Nodes): void => {
    if (node.type === 'text') text += node.value
    if (node.type !== 'element') return
    if (node.tagName === 'br') text += '\n'
    const isBlock = lineBlocks.has(node.tagName)
    if (isBlock) endLine()
    node.children.forEach(visit)
    if (isBlock) endLine()
  }
  pre.children.forEach(visit)
  return text
}
