/** Reads the export files of Ghost: its tables as JSON. A file is read twice: the tags and authors of posts come after them. */
import type { Readable } from 'node:stream'
import { FileRefused, type Found, oneLoss, type SourcePost } from '../source-post.ts'
import { ghostDocument } from './ghost-documents.ts'
import { jsonRows } from './json-rows.ts'
import { instantOf, plainText } from './plain.ts'

type Row = { readonly [column: string]: unknown }

/** What posts refer to, by their ids. */
type Tables = {
  tags: Map<string, Row>
  users: Map<string, Row>
  meta: Map<string, Row>
  tagsOf: Map<string, string[]>
  authorsOf: Map<string, string>
}

/** The most rows of the small tables that are remembered. */
const MOST_ROWS = 1_000_000

/** `isWrapped`: the file begins with `db`, as Ghost's own do. Throws FileRefused if it is no export of Ghost. */
export async function* readGhost(open: () => Promise<Readable>, isWrapped: boolean): AsyncGenerator<Found> {
  const root = isWrapped ? '$.db.*.data' : '$.data'
  const rows = async (tables: string[]) =>
    jsonRows(
      await open(),
      tables.map((table) => `${root}.${table}.*`),
      isWrapped ? 7 : 4,
    )
  const tables: Tables = { tags: new Map(), users: new Map(), meta: new Map(), tagsOf: new Map(), authorsOf: new Map() }
  let count = 0
  for await (const { list, value } of await rows(['tags', 'users', 'posts_meta', 'posts_tags', 'posts_authors'])) {
    count += 1
    if (count > MOST_ROWS) throw new FileRefused('The file has more tags and authors than a blog can have.')
    if (isRow(value)) note(tables, list, value)
  }
  let isEmpty = true
  for await (const { value } of await rows(['posts'])) {
    isEmpty = false
    const found = isRow(value) ? foundIn(value, tables) : undefined
    if (found !== undefined) yield found
  }
  if (isEmpty)
    throw new FileRefused('There are no posts in the file. Ghost exports them under Settings, Import/Export.')
}

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null
const text = (value: unknown) => (typeof value === 'string' ? value : '')
const key = (value: unknown) => String(value ?? '')

function note(tables: Tables, list: string, row: Row): void {
  const id = key(row.id)
  const postId = key(row.post_id)
  if (list === 'tags') tables.tags.set(id, row)
  if (list === 'users') tables.users.set(id, row)
  if (list === 'posts_meta') tables.meta.set(postId, row)
  if (list === 'posts_authors' && !tables.authorsOf.has(postId)) tables.authorsOf.set(postId, key(row.author_id))
  if (list === 'posts_tags') tables.tagsOf.set(postId, [...(tables.tagsOf.get(postId) ?? []), key(row.tag_id)])
}

function foundIn(row: Row, tables: Tables): Found | undefined {
  const sourceId = `ghost:${text(row.uuid) || key(row.id)}`
  const title = text(row.title).trim()
  if (row.type === 'page' || row.page === true || row.page === 1)
    return { sourceId, title, reason: 'It is a page, and only posts are imported.' }
  return postOf(row, tables, { sourceId, title })
}

function postOf(row: Row, tables: Tables, named: Pick<SourcePost, 'sourceId' | 'title'>): SourcePost {
  const id = key(row.id)
  const meta: Row = { ...row, ...tables.meta.get(id) }
  const status = statusOf(row)
  const published = instantOf(row.published_at)
  const { body, losses } = bodyOf(row)
  const author = text(tables.users.get(tables.authorsOf.get(id) ?? key(row.author_id))?.name)
  return {
    ...named,
    slug: text(row.slug),
    body,
    excerpt: text(row.custom_excerpt),
    tags: tagsOf(id, tables),
    meta: {
      ...given('title', meta.meta_title),
      ...given('description', meta.meta_description),
      ...given('canonical_url', row.canonical_url),
      ...given('og_image', withoutPlaceholder(text(row.feature_image) || text(row.image)) || text(meta.og_image)),
    },
    status,
    ...given('createdAt', instantOf(row.created_at)),
    ...given('updatedAt', instantOf(row.updated_at)),
    ...(status === 'scheduled' ? given('scheduledAt', published) : given('publishedAt', published)),
    formerSlugs: [],
    ...given('author', plainText(author)),
    losses: [...losses, ...restrictions(row)],
  }
}

const given = <Key extends string>(name: Key, value: unknown) =>
  (text(value) === '' ? {} : { [name]: text(value) }) as { [Name in Key]?: string }

/** What was not for everybody must not become so by being imported. */
const isRestricted = ({ visibility }: Row) => ['members', 'paid', 'tiers'].includes(text(visibility))

function statusOf(row: Row): SourcePost['status'] {
  if (isRestricted(row)) return 'draft'
  if (row.status === 'published' || row.status === 'sent') return 'published'
  return row.status === 'scheduled' ? 'scheduled' : 'draft'
}

/** Tags that begin with # are for the theme alone. */
function tagsOf(postId: string, { tags, tagsOf: all }: Tables): string[] {
  const names = (all.get(postId) ?? []).map((tagId) => text(tags.get(tagId)?.name).trim())
  return [...new Set(names)].filter((name) => name !== '' && !name.startsWith('#'))
}

/** Ghost puts this for its own address, which its exports do not say. */
const PLACEHOLDER = '__GHOST_URL__'
const withoutPlaceholder = (html: string) => html.replaceAll(PLACEHOLDER, '')

function bodyOf(row: Row): Pick<SourcePost, 'body' | 'losses'> {
  const html = text(row.html)
  if (html !== '') return { body: { html: withoutPlaceholder(html) }, losses: [] }
  const { body, losses } = ghostDocument(row.lexical) ??
    ghostDocument(row.mobiledoc) ?? { body: { html: '' }, losses: [] }
  const forms = Object.entries(body).map(([form, value]) => [form, withoutPlaceholder(String(value))])
  return { body: Object.fromEntries(forms) as SourcePost['body'], losses }
}

function restrictions(row: Row) {
  const { featured, status } = row
  return [
    ...(isRestricted(row) ? [oneLoss('not_public', 'Only members could read it. It arrives as a draft.')] : []),
    ...(featured === true || featured === 1
      ? [oneLoss('sticky', 'It was featured. Here it is a post like any other.')]
      : []),
    ...(status === 'sent' ? [oneLoss('newsletter', 'It was sent by mail only. It arrives as published.')] : []),
  ]
}
