/** Posts as Markdown files with front matter, as Hugo, Jekyll, Astro, Zola and others keep them, and as our own export writes them. */

import { decodedPart } from '../../../platform/http/url.ts'
import { type Found, type ImportLoss, oneLoss, type SourcePost } from '../source-post.ts'
import { splitFrontMatter } from './front-matter.ts'
import { instantOf, lastPart } from './plain.ts'

type Values = Readonly<Record<string, unknown>>

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''
const isMap = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The first of these that is a text. */
const textAt = (values: Values, ...names: string[]) =>
  names
    .map((name) => values[name])
    .find(isText)
    ?.trim()
const instantAt = (values: Values, ...names: string[]) =>
  names.map((name) => instantOf(values[name])).find((one) => one !== undefined)
const optional = <Key extends string>(key: Key, value: string | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { [Name in Key]?: string }

/** A list of texts, or a text with commas between them. */
function textsAt(values: Values, ...names: string[]): string[] {
  return names.flatMap((name) => {
    const value = values[name]
    const all = Array.isArray(value) ? value : isText(value) ? value.split(',') : []
    return all.filter((one) => typeof one === 'string' || typeof one === 'number').map((one) => String(one).trim())
  })
}

/** What a file's place says: Jekyll's date and slug, and whether it is a draft. */
function placeOf(path: string) {
  const parts = path.split('/')
  const name = (parts.at(-1) ?? '').replace(/\.\w+$/, '')
  const base = /^(?:index|readme)$/i.test(name) && parts.length > 1 ? (parts.at(-2) ?? '') : name
  const [, date, slug = base] = /^(\d{4}-\d{2}-\d{2})[-_](.+)$/.exec(base) ?? []
  return {
    date,
    slug: slug.replace(/\.[a-z]{2}$/, ''),
    isDraft: parts.includes('_drafts'),
    isSection: name === '_index',
  }
}

/** The post of a file. `path`: where it is in the archive. */
export function postOfMarkdown(path: string, file: string): Found {
  const { values, text, problem } = splitFrontMatter(file)
  const place = placeOf(path)
  const refused = (reason: string) => ({ sourceId: `markdown:${path}`, title: path, reason })
  if (problem !== undefined) return refused(problem)
  if (place.isSection) return refused('It is the page of a section, and only posts are imported.')
  const [, heading = '', rest = ''] = /^\s*# +(.{1,1000}?)[ \t]*#*[ \t]*(?:\n([\s\S]*)|$)/.exec(text) ?? []
  const given = textAt(values, 'title')
  if (given === undefined && heading === '' && Object.keys(values).length === 0)
    return refused('It has no front matter and no heading, so it is no post.')
  const title = given ?? (heading === '' ? place.slug.replaceAll(/[-_]+/g, ' ') : heading)
  const own = ownState(values)
  const { status, date, losses } = publicationOf(values, place)
  return {
    sourceId: own === undefined ? `markdown:${path}` : `postrider:${own.id}`,
    title,
    slug: slugOf(values) ?? place.slug,
    body: { markdown: (given === undefined && heading !== '' ? rest : text).replace(/^\n/, '') },
    ...optional('excerpt', textAt(values, 'excerpt', 'summary')),
    tags: tagsOf(values),
    meta: metaOf(values),
    status,
    ...optional(status === 'scheduled' ? 'scheduledAt' : 'publishedAt', status === 'draft' ? undefined : date),
    ...optional('createdAt', instantAt(values, 'created') ?? date),
    ...optional('updatedAt', instantAt(values, 'updated', 'lastmod', 'updatedDate', 'last_modified_at', 'modified')),
    formerSlugs: textsAt(values, 'aliases', 'redirect_from').map((address) => ({ slug: lastPart(address) })),
    ...optional('author', textsAt(values, 'author', 'authors')[0]),
    losses: [...losses, ...templates(text)],
    ...(own === undefined ? {} : { own }),
  }
}

function slugOf(values: Values): string | undefined {
  const address = textAt(values, 'slug', 'permalink', 'url')
  const last = address === undefined || address.includes(':') ? '' : lastPart(address)
  return last === '' ? undefined : decodedPart(last)
}

function tagsOf(values: Values): string[] {
  const taxonomies = isMap(values.taxonomies) ? textsAt(values.taxonomies, 'categories', 'tags') : []
  return [...new Set([...textsAt(values, 'categories', 'category', 'tags', 'tag'), ...taxonomies])].filter(isText)
}

function metaOf(values: Values): SourcePost['meta'] {
  const pictures = [
    'image',
    'og_image',
    'cover',
    'heroImage',
    'featured_image',
    'feature_image',
    'thumbnail',
    'images',
    'header',
  ]
  const addresses = pictures.map((name) => values[name]).flatMap(pictureIn)
  return {
    ...optional('title', textAt(values, 'seo_title', 'meta_title')),
    ...optional('description', textAt(values, 'description', 'meta_description')),
    ...optional('og_image', addresses[0]),
    ...optional('canonical_url', textAt(values, 'canonical_url', 'canonical', 'canonicalURL', 'canonicalUrl')),
  }
}

function pictureIn(value: unknown): string[] {
  if (isText(value)) return [value.trim()]
  if (Array.isArray(value)) return value.filter(isText)
  return isMap(value) ? [value.src, value.path, value.url, value.image].filter(isText) : []
}

type Publication = { status: SourcePost['status']; date: string | undefined; losses: ImportLoss[] }

function publicationOf(values: Values, place: ReturnType<typeof placeOf>): Publication {
  const dated = instantAt(
    values,
    'date',
    'publishDate',
    'pubDate',
    'published_at',
    'publishedAt',
    'published',
    'pubDatetime',
  )
  const date = dated ?? instantOf(place.date)
  const said = textAt(values, 'status')
  const isDraft = values.draft === true || values.published === false || place.isDraft
  if (said === 'scheduled' && date !== undefined) return { status: 'scheduled', date, losses: [] }
  if (isDraft || (said !== undefined && !/^publish/.test(said))) return { status: 'draft', date, losses: [] }
  if (date !== undefined) return { status: 'published', date, losses: [] }
  return { status: 'draft', date, losses: [oneLoss('no_date', 'The file has no date. It arrives as a draft.')] }
}

/** What our own export says of a post; its id may be one of this account. */
function ownState({ id, version, site_ids, schedule_zone, unpublish_at }: Values): SourcePost['own'] {
  if (!isText(id) || typeof version !== 'number' || !Number.isInteger(version) || version < 1) return undefined
  return {
    id,
    version,
    siteIds: Array.isArray(site_ids) ? site_ids.filter(isText) : null,
    scheduleZone: isText(schedule_zone) ? schedule_zone : null,
    unpublishAt: instantOf(unpublish_at) ?? null,
  }
}

/** What only the generator of the old site knows how to show. */
function templates(text: string): ImportLoss[] {
  const found = [
    { name: 'Hugo’s shortcodes', pattern: /\{\{[<%]/g },
    { name: 'Liquid tags', pattern: /\{%-?\s*\w/g },
    { name: 'components', pattern: /^<[A-Z]\w*/gm },
  ]
  return found.flatMap(({ name, pattern }) => {
    const count = [...text.matchAll(pattern)].length
    const message = `There are ${name} in the text, which only the old site can show: they stay as they are written.`
    return count === 0 ? [] : [oneLoss('template', message, count)]
  })
}
