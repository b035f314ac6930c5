/** The editor's document types: Tiptap's extensions, adapted to the server's schema (`schema.test.ts` compares them). */

import { type AnyExtension, mergeAttributes } from '@tiptap/core'
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
import { imageAddress, linkAddress } from './addresses.ts'
import { moreTypes } from './more-types.ts'

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

/** All node and mark types, each as the server's schema has it. */
export const documentTypes: AnyExtension[] = [
  Document.extend({ content: 'block+ footnotes?' }),
  Paragraph,
  Text,
  Heading,
  BulletList,
  OrderedList.extend({
    addAttributes: () => ({
      start: { default: 1, parseHTML: startOf },
      type: { default: null, parseHTML: numberingOf },
      reversed: { default: null, parseHTML: (list) => list.hasAttribute('reversed') || null },
    }),
  }),
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
  ...moreTypes,
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
    addAttributes: () => ({
      href: { isRequired: true },
      title: { default: null },
      rel: { default: null, parseHTML: () => null },
    }),
    renderHTML: ({ HTMLAttributes: { href, title, rel } }) => ['a', mergeAttributes({ href, title, rel }), 0],
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

function numberingOf(list: HTMLElement): string | null {
  const type = list.getAttribute('type') ?? ''
  return /^[aAiI]$/.test(type) ? type : null
}
