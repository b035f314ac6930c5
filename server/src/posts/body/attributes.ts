/** The attributes of nodes and marks: which there are, and in which form each value is stored. */
import { embedOf } from './embeds.ts'
import { isHarmlessId } from './ids.ts'
import { pixels } from './media-elements.ts'
import { isLanguage, plainLine } from './plain.ts'
import { relTokens, safeHref, safeImageSrc, safeMediaSrc } from './urls.ts'

export type AttrValue = string | number | boolean

/** Reads the canonical value of an attribute; null: it has none; undefined: refused. `siblings` are the other attributes. */
type Read = (
  value: unknown,
  siblings: Record<string, unknown>,
  embedHosts?: readonly string[],
) => AttrValue | null | undefined
/** `fallback` undefined: the attribute is required. */
type AttributeRule = { read: Read; fallback: AttrValue | null | undefined }
export type Rules = Record<string, AttributeRule>

const integer = (min: number, max: number, fallback: number): AttributeRule => ({
  read: (value) =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max ? Number(value) : undefined,
  fallback,
})

/** One line of text: white space is collapsed, so that no form of the body can lose it. */
const line = (fallback: '' | null): AttributeRule => ({
  read: (value) => (typeof value === 'string' ? plainLine(value) || fallback : value === null ? fallback : undefined),
  fallback,
})

const string = (accept: (text: string) => string | undefined): AttributeRule => ({
  read: (value) => (typeof value === 'string' ? accept(value) : undefined),
  fallback: undefined,
})

const language: AttributeRule = {
  read: (value) =>
    value === null || value === '' ? null : typeof value === 'string' && isLanguage(value) ? value : undefined,
  fallback: null,
}

const align: AttributeRule = {
  read: (value) => (value === null || value === 'left' || value === 'center' || value === 'right' ? value : undefined),
  fallback: null,
}

/** One of a few texts, or none: anything else that editors write there means nothing here. */
const choice = (...values: string[]): AttributeRule => ({
  read: (value) => values.find((one) => one === value) ?? null,
  fallback: null,
})

/** Pixels, or none. */
const length: AttributeRule = { read: (value) => pixels(value) ?? null, fallback: null }
/** True, or none. */
const flag: AttributeRule = {
  read: (value) => (typeof value === 'boolean' || value === null ? value || null : undefined),
  fallback: null,
}
/** The reading direction, where it is not that of the text around. */
const dir = choice('ltr', 'rtl', 'auto')

/** An id where a link within the post may lead. Editors also write ids of their own, which mean nothing here. */
const harmlessId = (fallback: null | undefined): AttributeRule => ({
  read: (value) => (typeof value === 'string' && isHarmlessId(value) ? value : fallback),
  fallback,
})

const label = string((text) => (/^[^\s[\]]{1,100}$/.test(text) ? text : undefined))

/** What a link tells search engines. Tiptap writes the same three words for every link: there they say nothing. */
const rel: AttributeRule = {
  read: (value) => {
    if (value === null || value === 'noopener noreferrer nofollow') return null
    return typeof value === 'string' ? relTokens(value) || null : undefined
  },
  fallback: null,
}

const cell: Rules = { colspan: integer(1, 1000, 1), rowspan: integer(1, 1000, 1), align }

/** The number of an item that does not follow the one before. */
const itemValue: AttributeRule = {
  read: (value) => (value === null ? null : integer(-99_999_999, 99_999_999, 0).read(value, {})),
  fallback: null,
}

const nodeRules: Record<string, Rules> = {
  paragraph: { dir },
  heading: { level: integer(1, 6, 1), id: harmlessId(null), dir },
  bulletList: { dir },
  orderedList: { start: integer(0, 99_999_999, 1), type: choice('a', 'A', 'i', 'I'), reversed: flag, dir },
  listItem: { value: itemValue },
  taskList: { dir },
  taskItem: {
    checked: { read: (value) => (typeof value === 'boolean' ? value : undefined), fallback: false },
  },
  blockquote: { dir },
  codeBlock: { language },
  image: { src: string(safeImageSrc), alt: line(''), title: line(null), width: length, height: length },
  table: { dir },
  tableHeader: cell,
  tableCell: cell,
  embed: {
    provider: string((provider) => provider),
    src: {
      read: (value, { provider }, embedHosts) => {
        const embed = typeof value === 'string' ? embedOf(value, embedHosts) : undefined
        return embed?.provider === provider ? embed?.src : undefined
      },
      fallback: undefined,
    },
    width: lengthBut(560),
    height: lengthBut(315),
  },
  video: {
    src: string(safeMediaSrc),
    poster: {
      read: (value) => (typeof value === 'string' ? safeImageSrc(value) : value === null ? null : undefined),
      fallback: null,
    },
    width: length,
    height: length,
  },
  audio: { src: string(safeMediaSrc) },
  details: { open: flag },
  footnoteReference: { label },
  // Without a label nothing refers to it, as to one that an editor makes to fill a gap.
  footnote: { label: { ...label, fallback: '' } },
  anchor: { id: harmlessId(undefined) },
}

const markRules: Record<string, Rules> = { link: { href: string(safeHref), title: line(null), rel } }

/** Pixels, or none if they are the usual ones. */
function lengthBut(usual: number): AttributeRule {
  return { ...length, read: (value) => (pixels(value) === usual ? null : (pixels(value) ?? null)) }
}

/** Attributes that Tiptap's own extensions write and that have no place in the stored forms: accepted, not kept. */
export const droppedAttributes: ReadonlySet<string> = new Set(
  'class color colwidth dir height id indent rel style target textAlign type width'.split(' '),
)

/** The attributes of a node or mark type by name. */
export function attributeRules(kind: 'node' | 'mark', type: string): Rules {
  return (kind === 'node' ? nodeRules[type] : markRules[type]) ?? {}
}
