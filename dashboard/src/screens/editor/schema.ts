/** The editor's document types: Tiptap's extensions, adapted to the server's schema (`schema.test.ts` compares them). */

import { attributeRules } from '@postrider/server/posts/body/schema'
import { type AnyExtension, mergeAttributes, Node } from '@tiptap/core'
import { Blockquote } from '@tiptap/extension-blockquote'
import { Bold } from '@tiptap/extension-bold'
import { Code } from '@tiptap/extension-code'
import { CodeBlock } from '@tiptap/extension-code-block'
import { Document } from '@tiptap/extension-document'
import { HardBreak } from '@tiptap/extension-hard-break'
import { Heading } from '@tiptap/extension-heading'
import { Highlight } from '@tiptap/extension-highlight'
import { HorizontalRule } from '@tiptap/extension-horizontal-rule'
import { Image } from '@tiptap/extension-image'
import { Italic } from '@tiptap/extension-italic'
import { Link } from '@tiptap/extension-link'
import { BulletList, ListItem, ListKeymap, OrderedList, TaskItem, TaskList } from '@tiptap/extension-list'
import { Paragraph } from '@tiptap/extension-paragraph'
import { Strike } from '@tiptap/extension-strike'
import { Subscript } from '@tiptap/extension-subscript'
import { Superscript } from '@tiptap/extension-superscript'
import { Table, TableCell, TableHeader, TableRow } from '@tiptap/extension-table'
import { Text } from '@tiptap/extension-text'
import { Underline } from '@tiptap/extension-underline'

/** The address in the form allowed in a link, or undefined, by the server's own rule. */
export function linkAddress(href: string): string | undefined {
  return text(attributeRules('mark', 'link').href?.read(href, {}))
}

/** The address in the form allowed in an image, or undefined. */
export function imageAddress(src: string): string | undefined {
  return text(attributeRules('node', 'image').src?.read(src, {}))
}

/** The video at an address, or undefined if it is not from a provider that posts may embed. */
export function embedOf(address: string): { provider: string; src: string } | undefined {
  for (const provider of ['youtube', 'vimeo']) {
    const src = text(attributeRules('node', 'embed').src?.read(address, { provider }))
    if (src !== undefined) return { provider, src }
  }
  return undefined
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Only attributes in the schema; the content security policy allows no style attributes, so no widths either. */
const cellAttributes = {
  colspan: { default: 1 },
  rowspan: { default: 1 },
  align: {
    default: null,
    parseHTML: ({ style, attributes }: HTMLElement) => {
      const align = style.textAlign || attributes.getNamedItem('align')?.value
      return align === 'left' || align === 'center' || align === 'right' ? align : null
    },
  },
}

const Figure = Node.create({
  name: 'figure',
  group: 'block',
  content: 'block+ figcaption?',
  isolating: true,
  parseHTML: () => [{ tag: 'figure' }],
  renderHTML: () => ['figure', 0],
})

const Figcaption = Node.create({
  name: 'figcaption',
  content: 'inline*',
  parseHTML: () => [{ tag: 'figcaption' }],
  renderHTML: () => ['figcaption', 0],
})

const Embed = Node.create({
  name: 'embed',
  group: 'block',
  atom: true,
  addAttributes: () => ({ provider: { isRequired: true }, src: { isRequired: true } }),
  parseHTML: () => [{ tag: 'iframe[src]', getAttrs: (frame) => embedOf(frame.getAttribute('src') ?? '') ?? false }],
  renderHTML: ({ node, HTMLAttributes }) => {
    const { src } = HTMLAttributes
    // YouTube plays nothing for a page that does not say where it is; the dashboard's own policy would say so to nobody.
    const referrerpolicy = 'strict-origin-when-cross-origin'
    const title = `${node.attrs.provider} video`
    return ['iframe', { src, title, loading: 'lazy', allowfullscreen: 'true', referrerpolicy }]
  },
})

/** All node and mark types, each as the server's schema has it. */
export const documentTypes: AnyExtension[] = [
  Document,
  Paragraph,
  Text,
  Heading,
  BulletList,
  OrderedList.extend({ addAttributes: () => ({ start: { default: 1, parseHTML: startOf } }) }),
  ListItem,
  ListKeymap,
  TaskList,
  TaskItem.configure({
    nested: true,
    a11y: { checkboxLabel: (node) => node.textContent || 'Task' },
  }),
  Blockquote,
  CodeBlock,
  HorizontalRule,
  // Tiptap's own view sets column widths, which the schema does not have.
  Table.extend({ renderHTML: () => ['table', ['tbody', 0]], addNodeView: () => null }),
  TableRow,
  TableHeader.extend({ addAttributes: () => cellAttributes }),
  TableCell.extend({ addAttributes: () => cellAttributes }),
  Figure,
  Figcaption,
  Embed,
  Image.configure({ inline: true }).extend({
    addAttributes: () => ({ src: { isRequired: true }, alt: { default: '' }, title: { default: null } }),
    parseHTML: () => [
      { tag: 'img[src]', getAttrs: (image) => imageAddress(image.getAttribute('src') ?? '') !== undefined && null },
    ],
  }),
  HardBreak.extend({ selectable: false }),
  Link.configure({
    openOnClick: false,
    markdownLinks: true,
    defaultProtocol: 'https',
    isAllowedUri: (href) => linkAddress(href) !== undefined,
  }).extend({
    inclusive: false,
    addAttributes: () => ({ href: { isRequired: true }, title: { default: null } }),
    renderHTML: ({ HTMLAttributes: { href, title } }) => ['a', mergeAttributes({ href, title }), 0],
  }),
  Bold,
  Italic,
  Strike,
  Underline,
  Highlight,
  Subscript,
  Superscript,
  // Code may be in a link or bold, as in HTML and Markdown.
  Code.extend({ excludes: '' }),
]

function startOf(list: HTMLElement): number {
  const start = Number(list.getAttribute('start') ?? 1)
  return Number.isInteger(start) && start >= 0 && start <= 99_999_999 ? start : 1
}
