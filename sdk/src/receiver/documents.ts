/** What search engines and feed readers are given of posts. All of it is escaped here: titles, excerpts and tags are plain text. */
import type { WebhookPost } from '../webhooks.ts'

type ShownPost = Pick<WebhookPost, 'id' | 'slug' | 'title' | 'excerpt' | 'tags' | 'published_at'>

/** A blog as a feed names it: `address` is that of its list of posts, `addressOf` makes that of a post from its slug. All are absolute. */
export type Feed = {
  title: string
  description?: string
  address: string
  addressOf(slug: string): string
  posts: readonly ShownPost[]
}

/** An RSS 2.0 feed of the posts, in the order given. */
export function rssFeed({ title, description = title, address, addressOf, posts }: Feed): string {
  const items = posts.map((post) =>
    element('item', [
      element('title', escaped(post.title)),
      element('link', escaped(addressOf(post.slug))),
      `<guid isPermaLink="false">${escaped(post.id)}</guid>`,
      element('pubDate', new Date(post.published_at).toUTCString()),
      element('description', escaped(post.excerpt)),
      ...post.tags.map((tag) => element('category', escaped(tag))),
    ]),
  )
  const channel = [
    element('title', escaped(title)),
    element('link', escaped(address)),
    element('description', escaped(description)),
  ]
  return `<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0">${element('channel', [...channel, ...items])}</rss>\n`
}

/** A post as schema.org's `BlogPosting`, in JSON that may stand in a `<script type="application/ld+json">`. */
export function jsonLd(post: Omit<WebhookPost, 'body'>, address: string | undefined): string {
  const { title, excerpt, published_at, tags, meta } = post
  const given = {
    '@context': 'https://schema.org',
    '@type': 'BlogPosting',
    headline: title,
    description: meta.description || excerpt || undefined,
    datePublished: published_at,
    keywords: tags.length === 0 ? undefined : tags,
    image: meta.og_image ?? undefined,
    mainEntityOfPage: meta.canonical_url ?? address,
  }
  return JSON.stringify(given).replaceAll('<', '\\u003c')
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 may not have them, not even escaped
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g

/** Plain text, for HTML and XML. */
export function escaped(text: string): string {
  return text.replaceAll(NOT_XML, '').replaceAll(/[&<>"']/g, (one) => ESCAPES[one] ?? one)
}

function element(name: string, content: string | string[]): string {
  return `<${name}>${typeof content === 'string' ? content : content.join('')}</${name}>`
}
