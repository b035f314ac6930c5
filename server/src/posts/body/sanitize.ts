import type { Root } from 'hast'
import { defaultSchema, type Schema, sanitize } from 'hast-util-sanitize'
import { parseHtml, printHtml } from './html.ts'
import { addHeadingIds } from './ids.ts'
import { assertFormSize, BodyError } from './limits.ts'
import { type Tidying, tidied } from './tidy.ts'
import { withoutUnclosed } from './unclosed.ts'

// Names that scripts of the surrounding page look up, and properties of forms and the keyboard. An `id` is there only where a
// link within the post leads to it, and is not prefixed: a prefix breaks links.
const droppedProperties = new Set(['accessKey', 'action', 'htmlFor', 'itemProp', 'method', 'name', 'tabIndex'])
const droppedTags = new Set(['picture', 'source'])

const rules: Schema = {
  ...defaultSchema,
  tagNames: [
    ...(defaultSchema.tagNames ?? []).filter((name) => !droppedTags.has(name)),
    ...['audio', 'caption', 'figcaption', 'figure', 'iframe', 'mark', 'u', 'video'],
  ],
  attributes: {
    ...defaultSchema.attributes,
    // The default list without some entries, because it has `start`, `checked` and `colSpan`.
    '*': (defaultSchema.attributes?.['*'] ?? []).filter((name) => !droppedProperties.has(String(name))),
    a: [...(defaultSchema.attributes?.a ?? []), ['rel', 'nofollow', 'sponsored', 'ugc']],
    audio: ['src', 'controls', ['preload', 'metadata']],
    img: ['src'],
    // Which hosts is decided before: `embedOf`.
    iframe: [['src', /^https:\/\//], 'allowFullScreen', ['loading', 'lazy']],
    ol: [...(defaultSchema.attributes?.ol ?? []), ['type', /^[1aAiI]$/], 'reversed'],
    video: ['src', 'poster', 'controls', ['preload', 'metadata']],
  },
  ancestors: { ...defaultSchema.ancestors, caption: ['table'] },
  clobberPrefix: '',
  protocols: { ...defaultSchema.protocols, href: ['http', 'https', 'mailto', 'tel'], poster: ['http', 'https'] },
  strip: 'embed head math noembed noframes script select style svg template textarea title'.split(' '),
}

/** A new tree with only allowed elements, attributes and addresses, and with ids on its headings. */
export function sanitizeTree(tree: Root, tidying: Tidying): Root {
  const safe = sanitize({ type: 'root', children: tidied(tree, tidying) }, rules)
  const root: Root = safe.type === 'root' ? safe : { type: 'root', children: [safe] }
  addHeadingIds(root)
  return root
}

/**
 * Sanitises untrusted HTML for storage, and returns its tree too. After elements are removed, the rest may parse differently
 * than it was printed (a paragraph inside a paragraph), and attacks hide in such differences. So it is sanitised until it
 * parses as printed: once or twice, three times in one of 400,000 random texts. Throws BodyError.
 */
export function sanitizeHtml(source: string, path: string, tidying: Tidying): { html: string; tree: Root } {
  let written = withoutUnclosed(source)
  for (let round = 0; round < 8; round++) {
    const tree = sanitizeTree(parseHtml(written, path), tidying)
    const html = printHtml(tree)
    assertFormSize(html, 'html', path)
    if (html === written) return { html, tree }
    written = html
  }
  throw new BodyError(path, 'is nested in a way that cannot be sanitised; simplify it')
}
