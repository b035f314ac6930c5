/** Makes of a post of another system one that can be stored here, and says what is lost by that. */
import type { Context } from '../../platform/context.ts'
import { characters } from '../../platform/http/text.ts'
import { convertForms, type DocNode, FIELDS, type ImportedContent, MOST_TAGS, MOST_TITLE } from '../../posts/index.ts'
import { type ImportLoss, oneLoss, type SourcePost } from './source-post.ts'

/**
 * What there is of a post, what is lost of it, and the addresses of its pictures and other files on other hosts; `shown`: those of the pictures that
 * it shows.
 */
export type Fitted = { content: ImportedContent; losses: ImportLoss[]; media: string[]; shown: string[] }

const MOST_EXCERPT = 1_000
const MOST_TAG = 64
const MOST_META = { title: 200, description: 500 } as const
const MOST_MEDIA = 200

/** Throws `invalid` if its text can be no body, and `unavailable` if too many texts wait to be converted. */
export async function fitted(ctx: Context, accountId: string, source: SourcePost): Promise<Fitted> {
  const losses: ImportLoss[] = [...source.losses]
  const cut = (label: string, text: string, most: number) => {
    const clean = cleaned(text)
    if (characters(clean, most) <= most) return clean
    losses.push(oneLoss('shortened', `${label} has more than ${most} characters: the rest is cut off.`))
    return [...clean].slice(0, most).join('').trimEnd()
  }
  const title = cut('The title', source.title, MOST_TITLE)
  if (title === '') losses.push(oneLoss('no_title', 'It has no title. It is called “Untitled”.'))
  const body = await convertForms(ctx, accountId, source.body)
  losses.push(...body.losses.map(({ code, message, count }) => ({ code, message, count })))
  const addresses = addressesIn(body.json)
  losses.push(...relativeLoss(addresses))
  const tags = [...new Set(source.tags.map((tag) => cut('A tag', tag, MOST_TAG)).filter((tag) => tag !== ''))]
  if (tags.length > MOST_TAGS)
    losses.push(
      oneLoss('shortened', `It has more than ${MOST_TAGS} tags: the others are left out.`, tags.length - MOST_TAGS),
    )
  const content = {
    title: title || 'Untitled',
    slug: source.slug,
    excerpt: cut('The excerpt', source.excerpt ?? '', MOST_EXCERPT),
    tags: tags.slice(0, MOST_TAGS),
    meta: metaOf(source.meta, cut, losses),
    body,
  }
  const ours = `${ctx.config.publicUrl}/media/`
  const elsewhere = (list: string[]) => [...new Set(list)].filter((one) => isAbsolute(one) && !one.startsWith(ours))
  const shown = elsewhere([...addresses.shown, content.meta.og_image ?? ''])
  return { content, losses, media: elsewhere(addresses.pictures).slice(0, MOST_MEDIA), shown }
}

/** Without what a database cannot hold. */
function cleaned(text: string): string {
  return text.toWellFormed().replaceAll('\0', '').trim()
}

function metaOf(
  { title, description, og_image, canonical_url }: SourcePost['meta'],
  cut: (label: string, text: string, most: number) => string,
  losses: ImportLoss[],
): ImportedContent['meta'] {
  const url = (name: 'og_image' | 'canonical_url', label: string, value: string | undefined) => {
    const text = cleaned(value ?? '')
    if (text === '') return undefined
    if (FIELDS.meta.given.safeParse({ [name]: text }).success) return text
    losses.push(
      oneLoss(
        'no_address',
        `${label} is no address that begins with http:// or https://: it is left out (${text.slice(0, 100)}).`,
      ),
    )
    return undefined
  }
  const all = {
    title: cut('The title for search engines', title ?? '', MOST_META.title),
    description: cut('The description', description ?? '', MOST_META.description),
    og_image: url('og_image', 'The picture for social networks', og_image),
    canonical_url: url('canonical_url', 'The canonical address', canonical_url),
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined && value !== ''))
}

type Addresses = { pictures: string[]; shown: string[]; links: string[] }

function addressesIn(doc: DocNode): Addresses {
  const found: Addresses = { pictures: [], shown: [], links: [] }
  const visit = ({ type, attrs, marks = [], content = [] }: DocNode) => {
    if (typeof attrs?.src === 'string') found.pictures.push(attrs.src)
    if (type === 'image' && typeof attrs?.src === 'string') found.shown.push(attrs.src)
    for (const mark of marks) if (typeof mark.attrs?.href === 'string') found.links.push(mark.attrs.href)
    for (const node of content) visit(node)
  }
  visit(doc)
  return found
}

const isAbsolute = (address: string) => /^https?:\/\//i.test(address)
const isRelative = (address: string) => !/^(?:[a-z][a-z0-9+.-]*:|\/\/|#|$)/i.test(address)

/** Addresses without a host led somewhere on the old site. */
function relativeLoss({ pictures, links }: Addresses): ImportLoss[] {
  const count = (list: string[]) => new Set(list.filter(isRelative)).size
  const sentence = (what: string) =>
    `${what} have addresses without a host, such as /picture.png. They stay as they are, and lead nowhere unless each of your sites has such a path.`
  return [
    ...(count(pictures) === 0 ? [] : [oneLoss('relative_address', sentence('Pictures or files'), count(pictures))]),
    ...(count(links) === 0 ? [] : [oneLoss('relative_address', sentence('Links'), count(links))]),
  ]
}
