/**
 * Reads the export files of WordPress (WXR: RSS with elements of its own). A file is read twice: the pictures that texts and posts name by
 * number may come after them.
 */
import type { Readable } from 'node:stream'
import { decodedPart } from '../../../platform/http/url.ts'
import { type Found, type ImportLoss, oneLoss, type SourcePost } from '../source-post.ts'
import { instantOf, plainText } from './plain.ts'
import type { Attachment } from './shortcodes.ts'
import { wordPressHtml } from './wordpress-text.ts'
import { type WxrItem, wxrParts } from './wxr-items.ts'

type Blog = { authors: Map<string, string>; attachments: Map<string, Attachment> }

/** The most pictures whose addresses are remembered. */
const MOST_ATTACHMENTS = 200_000

/** The posts of an export file. Throws FileRefused if it is none, or not well-formed. */
export async function* readWordPress(open: () => Promise<Readable>): AsyncGenerator<Found> {
  const blog: Blog = { authors: new Map(), attachments: new Map() }
  for await (const part of wxrParts(await open())) {
    if (part.kind === 'author') blog.authors.set(part.login, plainText(part.name))
    if (part.kind === 'item' && blog.attachments.size < MOST_ATTACHMENTS) noteAttachment(blog, part.item)
  }
  for await (const part of wxrParts(await open())) {
    const found = part.kind === 'item' ? foundIn(part.item, blog) : undefined
    if (found !== undefined) yield found
  }
}

const textOf = ({ texts }: WxrItem, name: string) => texts.get(name) ?? ''
const metaOf = ({ meta }: WxrItem, key: string) => meta.find((one) => one.key === key)?.value ?? ''

function noteAttachment({ attachments }: Blog, item: WxrItem): void {
  const url = textOf(item, 'wp:attachment_url') || textOf(item, 'guid')
  if (textOf(item, 'wp:post_type') !== 'attachment' || !/^https?:\/\//.test(url)) return
  const alt = plainText(metaOf(item, '_wp_attachment_image_alt'))
  attachments.set(textOf(item, 'wp:post_id'), { url, alt, caption: plainText(textOf(item, 'excerpt:encoded')) })
}

/** What is no content of a blog is passed over without a word. */
const MACHINERY =
  /^(?:attachment|revision|nav_menu_item|custom_css|customize_changeset|oembed_cache|user_request|wp_\w+)$/

function foundIn(item: WxrItem, blog: Blog): Found | undefined {
  const type = textOf(item, 'wp:post_type')
  const status = textOf(item, 'wp:status')
  if (MACHINERY.test(type) || status === 'auto-draft') return undefined
  const sourceId = `wordpress:${textOf(item, 'guid') || textOf(item, 'wp:post_id')}`
  const title = plainText(textOf(item, 'title'))
  const refused = (reason: string) => ({ sourceId, title, reason })
  if (type === 'page') return refused('It is a page, and only posts are imported.')
  if (type !== 'post') return refused(`It is of the type “${type.slice(0, 40)}”, and only posts are imported.`)
  if (status === 'trash') return refused('It is in the trash.')
  return postOf(item, blog, { sourceId, title })
}

function postOf(item: WxrItem, blog: Blog, { sourceId, title }: Pick<SourcePost, 'sourceId' | 'title'>): SourcePost {
  const { html, losses } = wordPressHtml(textOf(item, 'content:encoded'), blog.attachments)
  const time = (name: string) =>
    instantOf(zoned(textOf(item, `wp:${name}_gmt`))) ?? instantOf(zoned(textOf(item, `wp:${name}`)))
  const { status, lost } = statusOf(item)
  const date = time('post_date')
  const slug = decodedPart(textOf(item, 'wp:post_name'))
  const former = item.meta
    .filter(({ key }) => key === '_wp_old_slug')
    .map(({ value }) => ({ slug: decodedPart(value) }))
  return {
    sourceId,
    title,
    slug,
    body: { html },
    excerpt: plainText(textOf(item, 'excerpt:encoded')),
    tags: tagsOf(item),
    meta: metaFields(item, blog),
    status,
    ...(date === undefined
      ? {}
      : { createdAt: date, ...(status === 'scheduled' ? { scheduledAt: date } : { publishedAt: date }) }),
    ...optional('updatedAt', time('post_modified')),
    formerSlugs: former.filter((one) => one.slug !== slug),
    ...optional('author', authorOf(item, blog)),
    losses: [...losses, ...lost, ...restrictions(item)],
  }
}

const optional = <Key extends string>(key: Key, value: string | undefined) =>
  (value === undefined || value === '' ? {} : { [key]: value }) as { [Name in Key]?: string }

/** Drafts have a date of zeros. */
const zoned = (text: string) => (text.startsWith('0000') ? undefined : text)

function authorOf(item: WxrItem, { authors }: Blog): string {
  const login = textOf(item, 'dc:creator')
  return authors.get(login) ?? login
}

function statusOf(item: WxrItem): { status: SourcePost['status']; lost: ImportLoss[] } {
  const status = textOf(item, 'wp:status')
  const hidden = (message: string) => ({ status: 'draft' as const, lost: [oneLoss('not_public', message)] })
  if (status === 'private') return hidden('Only people who were logged in could see it. It arrives as a draft.')
  if (textOf(item, 'wp:post_password') !== '') return hidden('It was behind a password. It arrives as a draft.')
  if (status === 'publish') return { status: 'published', lost: [] }
  return { status: status === 'future' ? 'scheduled' : 'draft', lost: [] }
}

function restrictions(item: WxrItem): ImportLoss[] {
  return textOf(item, 'wp:is_sticky') === '1'
    ? [oneLoss('sticky', 'It was pinned to the top of the blog. Here it is a post like any other.')]
    : []
}

function tagsOf({ terms }: WxrItem): string[] {
  const named = terms.filter(({ domain }) => domain === 'category' || domain === 'post_tag')
  return [...new Set(named.map(({ name }) => plainText(name)))].filter(
    (name) => name !== '' && name !== 'Uncategorized',
  )
}

/** What plugins for search engines keep. Their placeholders (`%%title%%`) mean nothing here. */
function metaFields(item: WxrItem, { attachments }: Blog): SourcePost['meta'] {
  const first = (...keys: string[]) =>
    keys.map((key) => metaOf(item, key)).find((value) => value !== '' && !/%%?\w+%/.test(value))
  return {
    ...optional('title', first('_yoast_wpseo_title', 'rank_math_title', '_aioseo_title', '_genesis_title')),
    ...optional('description', first('_yoast_wpseo_metadesc', 'rank_math_description', '_aioseo_description')),
    ...optional('canonical_url', first('_yoast_wpseo_canonical', 'rank_math_canonical_url')),
    ...optional('og_image', attachments.get(metaOf(item, '_thumbnail_id'))?.url),
  }
}
