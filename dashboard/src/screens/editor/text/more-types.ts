/**
 * Node and mark types that Tiptap has no extension for, or none that fits. The editor shows them and keeps them as they are; most
 * come into a post by its HTML or Markdown.
 */
import { type AnyExtension, type Attribute, Extension, Mark, mergeAttributes, Node } from '@tiptap/core'
import { embedOf } from './addresses.ts'

/** An attribute that the element carries under its own name. */
const plain = (fallback: unknown = null): Attribute => ({ default: fallback })

/** A number in an attribute of the element; the schema has no other values. */
const pixels = (name: string): Attribute => ({
  default: null,
  parseHTML: (element) =>
    /^\d{1,5}$/.test(element.getAttribute(name) ?? '') ? Number(element.getAttribute(name)) : null,
})

/** Attributes of nodes whose types are Tiptap's. Images have theirs where they are configured. */
const AddedAttributes = Extension.create({
  name: 'addedAttributes',
  addGlobalAttributes: () => [
    {
      types: ['paragraph', 'heading', 'bulletList', 'orderedList', 'taskList', 'blockquote', 'table'],
      attributes: { dir: { default: null, parseHTML: directionOf } },
    },
    { types: ['heading'], attributes: { id: { default: null, parseHTML: ({ id }) => id || null } } },
    { types: ['listItem'], attributes: { value: pixels('value') } },
    { types: ['image', 'embed', 'video'], attributes: { width: pixels('width'), height: pixels('height') } },
  ],
})

function directionOf(element: HTMLElement): string | null {
  const dir = element.getAttribute('dir')
  return dir === 'rtl' || dir === 'ltr' ? dir : null
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

/** Providers that the page's content security policy lets the editor show; other frames are shown as their address. */
const SHOWN = new Set(['youtube', 'vimeo'])

const Embed = Node.create({
  name: 'embed',
  group: 'block',
  atom: true,
  addAttributes: () => ({ provider: { isRequired: true }, src: { isRequired: true } }),
  parseHTML: () => [{ tag: 'iframe[src]', getAttrs: (frame) => embedOf(frame.getAttribute('src') ?? '') ?? false }],
  renderHTML: ({ node, HTMLAttributes }) => {
    const { src } = HTMLAttributes
    if (!SHOWN.has(node.attrs.provider)) return ['div', { class: 'embed' }, `${node.attrs.provider}: ${node.attrs.src}`]
    // YouTube plays nothing for a page that does not say where it is; the dashboard's own policy would say so to nobody.
    const referrerpolicy = 'strict-origin-when-cross-origin'
    const title = `${node.attrs.provider} video`
    return ['iframe', { src, title, loading: 'lazy', allowfullscreen: 'true', referrerpolicy }]
  },
})

const Video = Node.create({
  name: 'video',
  group: 'block',
  atom: true,
  addAttributes: () => ({ src: { isRequired: true }, poster: plain() }),
  parseHTML: () => [{ tag: 'video[src^="https:"]' }],
  renderHTML: ({ HTMLAttributes }) => [
    'video',
    mergeAttributes(HTMLAttributes, { controls: 'true', preload: 'metadata' }),
  ],
})

const Audio = Node.create({
  name: 'audio',
  group: 'block',
  atom: true,
  addAttributes: () => ({ src: { isRequired: true } }),
  parseHTML: () => [{ tag: 'audio[src^="https:"]' }],
  renderHTML: ({ HTMLAttributes }) => [
    'audio',
    mergeAttributes(HTMLAttributes, { controls: 'true', preload: 'metadata' }),
  ],
})

/** Always shown open, so that its content can be edited; `open` says how sites show it at first. */
const Details = Node.create({
  name: 'details',
  group: 'block',
  content: 'detailsSummary detailsContent',
  defining: true,
  isolating: true,
  addAttributes: () => ({ open: { default: null, parseHTML: (element) => element.hasAttribute('open') || null } }),
  parseHTML: () => [{ tag: 'details' }],
  renderHTML: () => ['details', { open: 'true' }, 0],
})

const DetailsSummary = Node.create({
  name: 'detailsSummary',
  content: 'inline*',
  defining: true,
  isolating: true,
  parseHTML: () => [{ tag: 'summary' }],
  renderHTML: () => ['summary', 0],
})

const DetailsContent = Node.create({
  name: 'detailsContent',
  content: 'block+',
  defining: true,
  parseHTML: () => [{ tag: 'div[data-details]' }],
  renderHTML: () => ['div', { 'data-details': '' }, 0],
})

const DefinitionList = Node.create({
  name: 'definitionList',
  group: 'block',
  content: '(definitionTerm | definitionDescription)+',
  parseHTML: () => [{ tag: 'dl' }],
  renderHTML: () => ['dl', 0],
})

const DefinitionTerm = Node.create({
  name: 'definitionTerm',
  content: 'inline*',
  defining: true,
  parseHTML: () => [{ tag: 'dt' }],
  renderHTML: () => ['dt', 0],
})

const DefinitionDescription = Node.create({
  name: 'definitionDescription',
  content: 'block+',
  defining: true,
  parseHTML: () => [{ tag: 'dd' }],
  renderHTML: () => ['dd', 0],
})

const Footnotes = Node.create({
  name: 'footnotes',
  content: 'footnote+',
  isolating: true,
  parseHTML: () => [{ tag: 'ol[data-footnotes]', priority: 60 }],
  renderHTML: () => ['ol', { 'data-footnotes': '' }, 0],
})

const Footnote = Node.create({
  name: 'footnote',
  content: 'block+',
  defining: true,
  addAttributes: () => ({
    label: { default: '', renderHTML: ({ label }) => ({ 'data-label': label }), parseHTML: labelOf },
  }),
  parseHTML: () => [{ tag: 'li[data-label]', priority: 60 }],
  renderHTML: ({ HTMLAttributes }) => ['li', HTMLAttributes, 0],
})

const FootnoteReference = Node.create({
  name: 'footnoteReference',
  group: 'inline',
  inline: true,
  atom: true,
  addAttributes: () => ({
    label: {
      isRequired: true,
      renderHTML: ({ label }) => ({ 'data-footnote': label }),
      parseHTML: (element) => element.dataset.footnote,
    },
  }),
  parseHTML: () => [{ tag: 'sup[data-footnote]', priority: 60 }],
  renderHTML: ({ node, HTMLAttributes }) => ['sup', HTMLAttributes, String(node.attrs.label)],
})

function labelOf(element: HTMLElement): string {
  return element.dataset.label ?? ''
}

const Anchor = Node.create({
  name: 'anchor',
  group: 'inline',
  inline: true,
  atom: true,
  addAttributes: () => ({ id: { isRequired: true } }),
  parseHTML: () => [{ tag: 'a[id]:not([href])' }],
  renderHTML: ({ HTMLAttributes }) => ['a', HTMLAttributes],
})

const Kbd = Mark.create({
  name: 'kbd',
  parseHTML: () => [{ tag: 'kbd' }],
  renderHTML: () => ['kbd', 0],
})

/** The types, in no particular order. */
export const moreTypes: AnyExtension[] = [
  AddedAttributes,
  Figure,
  Figcaption,
  Embed,
  Video,
  Audio,
  Details,
  DetailsSummary,
  DetailsContent,
  DefinitionList,
  DefinitionTerm,
  DefinitionDescription,
  Footnotes,
  Footnote,
  FootnoteReference,
  Anchor,
  Kbd,
]
