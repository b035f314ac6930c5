/** The pages of the site: a front page with what each post is about, and a page per post. No scripts, one style sheet. */
import { readFileSync } from 'node:fs'
import type { WebhookPost } from '@postrider/sdk/webhooks'

/** A post as the site keeps it. */
export type KeptPost = WebhookPost & { arrivedAt: Date }

/** The style sheet, and where the pages expect it. */
export const STYLE = { path: '/style.css', text: readFileSync(new URL('style.css', import.meta.url), 'utf8') }

/**
 * What pages may load: the style sheet, the images of posts, and the two kinds of embeds that Postrider lets through. Nothing runs
 * here, so what a post contains cannot either, even if it were not sanitised.
 */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  'img-src https: http: data:',
  'frame-src https://www.youtube.com https://www.youtube-nocookie.com https://player.vimeo.com',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The front page of the site called `name`: every post that arrived, newest first. */
export function indexPage(name: string, posts: readonly KeptPost[]): string {
  const entries = posts.map(
    (post) => `<article>
${facts(post)}
<h2 dir="auto"><a href="${pathOf(post)}">${escaped(post.title)}</a></h2>
${post.excerpt === '' ? '' : `<p dir="auto">${escaped(post.excerpt)}</p>`}
</article>`,
  )
  const list =
    entries.length === 0
      ? '<p class="empty">No posts have arrived yet. Publish one, and reload this page.</p>'
      : `<div class="entries">${entries.join('\n')}</div>`
  return page(name, {
    title: name,
    content: `<header class="front"><h1 dir="auto">${escaped(name)}</h1><p>Every post here was delivered by Postrider.</p></header>\n${list}`,
  })
}

/** The page of one post. Postrider sanitised its HTML and the signature was verified, so it is shown as it came. */
export function postPage(name: string, post: KeptPost): string {
  return page(name, {
    title: `${post.meta?.title ?? post.title} · ${name}`,
    description: post.meta?.description ?? post.excerpt,
    canonical: post.meta?.canonical_url,
    post,
    isBelowFront: true,
    content: `<article>
<header class="title">${facts(post)}<h1 dir="auto">${escaped(post.title)}</h1></header>
<div class="prose" dir="auto">${post.body.html}</div>
</article>`,
    end: `Version ${post.version} of this post, which arrived here on ${dateText(post.arrivedAt)} at ${timeText(post.arrivedAt)}.`,
  })
}

/** The page for an unknown path. */
export function missingPage(name: string): string {
  return page(name, {
    title: `Not found · ${name}`,
    isBelowFront: true,
    content: '<h1>There is nothing here</h1><p>Perhaps the post was withdrawn, or has not arrived yet.</p>',
  })
}

/** The path of a post's page. */
export function pathOf({ slug }: Pick<WebhookPost, 'slug'>): string {
  return `/posts/${encodeURIComponent(slug)}`
}

type Page = {
  title: string
  description?: string
  /** The address of the original, if this is a copy. */
  canonical?: string | undefined
  post?: { id: string; version: number }
  content: string
  isBelowFront?: boolean
  end?: string
}

function page(
  name: string,
  { title, description = '', canonical, post, content, isBelowFront = false, end }: Page,
): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
${description === '' ? '' : `<meta name="description" content="${escaped(description)}">`}
${canonical === undefined ? '' : `<link rel="canonical" href="${escaped(canonical)}">`}
${post === undefined ? '' : `<meta name="postrider-post" content="${escaped(post.id)}">\n<meta name="postrider-version" content="${post.version}">`}
<link rel="stylesheet" href="${STYLE.path}">
</head>
<body>
${isBelowFront ? `<nav class="masthead" aria-label="Site"><a href="/" dir="auto">${escaped(name)}</a></nav>` : ''}
<main>
${content}
</main>
<footer class="end">${end ?? 'A sample site: its posts are kept in memory, for as long as it runs.'}</footer>
</body>
</html>
`
}

function facts({ published_at, body, tags }: WebhookPost): string {
  const publishedAt = new Date(published_at)
  const date = `<time datetime="${escaped(published_at)}">${dateText(publishedAt)}</time>`
  const list =
    tags.length === 0 ? '' : `<ul aria-label="Tags">${tags.map((tag) => `<li>${escaped(tag)}</li>`).join('')}</ul>`
  return `<div class="facts">${date}<span>${minutesToRead(body.html)} min read</span>${list}</div>`
}

const WORDS_PER_MINUTE = 220

function minutesToRead(html: string): number {
  const words = html.replaceAll(/<[^>]*>/g, ' ').match(/\S+/g)?.length ?? 0
  return Math.max(1, Math.round(words / WORDS_PER_MINUTE))
}

function dateText(date: Date): string {
  return date.toLocaleDateString('en-GB', { dateStyle: 'long' })
}

function timeText(date: Date): string {
  return date.toLocaleTimeString('en-GB', { timeStyle: 'short' })
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
