/**
 * Pages for a site without a framework that would make them: a list of the posts and a page for each, in plain HTML, with what search engines
 * and Postrider look for. They are a beginning; `layout` gives them the site's own look.
 */
import type { WebhookPost } from '../webhooks.ts'
import { escaped, jsonLd } from './documents.ts'
import { isPreview } from './previews.ts'
import type { ListedPost, PostList, Posts } from './store.ts'

/** Where the pages are, and how they look. */
export type PagesOptions = {
  /** The path of the list; posts are below it. Default `/blog`. */
  path?: string
  /** The title of the list. Default `Blog`. */
  title?: string
  /** Makes the document of what is shown. `title` is plain text; `head` (tags of this page) and `main` are HTML. */
  layout?(page: { title: string; head: string; main: string }): string
}

/** What to answer a visitor. */
type Page = { status: 200 | 302 | 308 | 404; headers: Record<string, string>; body: string }

/** The path of the list as addresses have it, without a slash at its end; empty for the first page of the server. */
export function pathOf({ path = '/blog' }: PagesOptions): string {
  const parts = path.split('/').filter((part) => part !== '')
  return parts.length === 0 ? '' : new URL(`/${parts.join('/')}`, HERE).pathname
}

const HERE = 'http://localhost'

/** The page at an address or a path, of these posts. The first page of the server is the list. */
export function createPages(posts: Posts, options: PagesOptions = {}): (url: string) => Promise<Page> {
  const { title = 'Blog', layout = plainLayout } = options
  const path = pathOf(options)
  const list = path || '/'
  const address = (slug: string) => `${path}/${encodeURIComponent(slug)}`

  async function page(url: string): Promise<Page> {
    if (!URL.canParse(url, HERE)) return nothing()
    const { pathname, searchParams } = new URL(url, HERE)
    const slug = slugIn(pathname, path)
    if (slug === undefined) return pathname === '/' ? { ...html(302, ''), headers: { Location: list } } : nothing()
    if (slug === '') {
      const part = await posts.list({ after: searchParams.get('after') ?? undefined })
      return html(200, layout({ title, head: '', main: listOf(part) }))
    }
    const post = await posts.find(slug)
    if (post === undefined) return nothing()
    if (post.slug !== slug) return { ...html(308, ''), headers: { Location: address(post.slug) } }
    return html(200, layout({ title: post.meta.title ?? post.title, head: headOf(post), main: articleOf(post) }))
  }

  function listOf({ posts, after }: PostList): string {
    const older =
      after === undefined ? '' : `<p><a href="${list}?after=${encodeURIComponent(after)}">Older posts</a></p>`
    const entries = posts.length === 0 ? '<p>There are no posts yet.</p>' : posts.map(entryOf).join('')
    return `<h1>${escaped(title)}</h1>${entries}${older}`
  }

  function entryOf({
    slug,
    title,
    excerpt,
    published_at,
  }: Pick<ListedPost, 'slug' | 'title' | 'excerpt' | 'published_at'>) {
    const words = excerpt === '' ? '' : `<p>${escaped(excerpt)}</p>`
    return `<article><h2><a href="${address(slug)}">${escaped(title)}</a></h2>${dateOf(published_at)}${words}</article>`
  }

  function articleOf({ title: name, published_at, body }: WebhookPost): string {
    // Of a post only `body.html` may be inserted as it is.
    return `<article><h1>${escaped(name)}</h1>${dateOf(published_at)}${body.html}</article><p><a href="${list}">${escaped(title)}</a></p>`
  }

  function nothing(): Page {
    const main = `<h1>There is nothing here</h1><p><a href="${list}">${escaped(title)}</a></p>`
    return html(404, layout({ title, head: '', main }))
  }

  return page
}

/** The slug of a post's address; empty for that of the list, undefined for any other. */
function slugIn(pathname: string, path: string): string | undefined {
  const parts = pathname.split('/').filter((part) => part !== '')
  const base = path.split('/').filter((part) => part !== '')
  if (!base.every((part, index) => parts[index] === part) || parts.length > base.length + 1) return undefined
  try {
    return decodeURIComponent(parts[base.length] ?? '')
  } catch {
    return undefined
  }
}

function headOf(post: WebhookPost): string {
  const { id, version, slug, title, excerpt, meta } = post
  const named = (name: string, content: string) => `<meta name="${name}" content="${escaped(content)}">`
  const shared = (name: string, content: string | null | undefined) =>
    content ? `<meta property="og:${name}" content="${escaped(content)}">` : ''
  const description = meta.description || excerpt
  return [
    description === '' ? '' : named('description', description),
    shared('type', 'article'),
    shared('title', meta.title || title),
    shared('description', description),
    shared('image', meta.og_image),
    named('postrider-post', id),
    named('postrider-version', String(version)),
    isPreview(slug) ? named('robots', 'noindex') : '',
    meta.canonical_url ? `<link rel="canonical" href="${escaped(meta.canonical_url)}">` : '',
    `<script type="application/ld+json">${jsonLd(post, undefined)}</script>`,
  ].join('')
}

const dateOf = (at: string) => `<time datetime="${at}">${at.slice(0, 10)}</time>`

function html(status: Page['status'], body: string): Page {
  return { status, headers: { 'Content-Type': 'text/html; charset=utf-8' }, body }
}

const STYLE =
  'body{max-width:42rem;margin:2rem auto;padding:0 1rem;font:1.0625rem/1.6 system-ui,sans-serif}img,video{max-width:100%;height:auto}iframe{max-width:100%}pre{overflow:auto}'

function plainLayout({ title, head, main }: { title: string; head: string; main: string }): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title>${head}<style>${STYLE}</style></head><body><main>${main}</main></body></html>`
}
