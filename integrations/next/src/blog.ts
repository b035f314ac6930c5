/**
 * A blog below one path of a Next.js site: `PATH` is the list, `PATH/page/2` its second page, `PATH/tag/NAME` a tag, `PATH/SLUG` a post.
 * Pages are rendered from the Pull API and cached by Next.js; the webhook only says which are out of date. So the site stores nothing, a deploy loses
 * nothing, and pages that were rendered stay when the service is away.
 */
import { createReceiver, isPreview, jsonLd, rssFeed } from '@postrider/sdk/receiver'
import type { WebhookPost } from '@postrider/sdk/webhooks'
import { revalidateTag } from 'next/cache'
import { notFound, permanentRedirect } from 'next/navigation'
import { createElement as h, type ReactElement } from 'react'
import { type ListProps, PostArticle, PostList, type PostProps } from './pages.ts'
import { beginAnew, forgetSlug, getPost, getPosts, LIST_TAG, presentSlug, tagOf } from './read.ts'

/** How the blog looks and where it is. */
export type BlogOptions = {
  /** The path of the list. Default `/blog`. */
  path?: string
  /** The site's address, such as `https://example.com`: feed, sitemap and canonical addresses need it. Default: SITE_URL of the environment. */
  url?: string
  /** Default `Blog`. */
  title?: string
  /** Your own pages. */
  List?: (props: ListProps) => ReactElement | Promise<ReactElement>
  Post?: (props: PostProps) => ReactElement | Promise<ReactElement>
}

/** What Next.js gives a page of `[[...path]]`. */
export type PageProps = { params: Promise<{ path?: string[] }> }

/** What `generateMetadata` returns: a part of the `Metadata` of Next.js. */
export type BlogMetadata = {
  title?: string
  description?: string
  alternates?: { canonical?: string }
  openGraph?: {
    type: 'article'
    title: string
    description: string
    publishedTime: string
    url?: string
    images?: string
  }
  robots?: { index: false }
  other?: Record<string, string>
}

/** An entry of a sitemap of Next.js. */
export type SitemapEntry = { url: string; lastModified?: string }

/** What a site exports from its routes. */
export type Blog = {
  Page(props: PageProps): Promise<ReactElement>
  generateMetadata(props: PageProps): Promise<BlogMetadata>
  generateStaticParams(): Promise<Array<{ path: string[] }>>
  /** The route of the webhook; the proxy asks it what an address means. */
  route: { GET(request: Request): Promise<Response>; POST(request: Request): Promise<Response> }
  /** A route of an RSS feed. */
  feed(): Promise<Response>
  sitemap(): Promise<SitemapEntry[]>
}

/** How many posts are rendered ahead by a build, and stand in the feed. */
const NEWEST = 50

/** Makes a blog. */
export function createBlog(options: BlogOptions = {}): Blog {
  const { path = '/blog', title = 'Blog', List = PostList, Post = PostArticle } = options
  const origin = () => options.url ?? process.env.SITE_URL
  const addressOf = (slug: string) => (origin() === undefined ? undefined : new URL(`${path}/${slug}`, origin()).href)

  const receiver = createReceiver({
    addressOf: ({ slug }) => addressOf(slug) ?? `${path}/${slug}`,
    onChange({ slug, post }) {
      revalidateTag(LIST_TAG, { expire: 0 })
      for (const one of [slug, ...(post?.previous_slugs ?? [])]) {
        revalidateTag(tagOf(one), { expire: 0 })
        forgetSlug(one)
      }
    },
  })

  return {
    async Page({ params }) {
      const asked = meaningOf((await params).path)
      if (asked === undefined) notFound()
      if ('page' in asked) {
        const list = await getPosts(asked)
        if (list.posts.length === 0 && asked.page > 1) notFound()
        return h(List, { ...list, path, ...(asked.tag === undefined ? {} : { tag: asked.tag }) })
      }
      const post = await getPost(asked.slug)
      if (post === undefined) notFound()
      if (post.slug !== asked.slug) permanentRedirect(`${path}/${post.slug}`)
      const data = {
        type: 'application/ld+json',
        dangerouslySetInnerHTML: { __html: jsonLd(post, addressOf(post.slug)) },
      }
      return h('div', null, h('script', data), h(Post, { post, path }))
    },
    async generateMetadata({ params }) {
      const asked = meaningOf((await params).path)
      if (asked === undefined) return {}
      if ('page' in asked) return { title: asked.tag ?? title }
      const post = await getPost(asked.slug)
      return post === undefined ? {} : metadataOf(post, addressOf(post.slug))
    },
    async generateStaticParams() {
      // A build without the service, or before the site is connected, still succeeds: pages are rendered when they are asked for.
      const posts = await getPosts({ limit: NEWEST }).then(
        (list) => list.posts,
        () => [],
      )
      return [{ path: [NOWHERE, NOWHERE] }, ...posts.map(({ slug }) => ({ path: [slug] }))]
    },
    route: {
      async GET(request) {
        await beginAnew()
        const pathname = new URL(request.url).searchParams.get('path') ?? ''
        return Response.json(await placeOf(meaningOf(below(path, pathname))))
      },
      async POST(request) {
        await beginAnew()
        return receiver.handle(request)
      },
    },
    async feed() {
      const site = needed(origin())
      const { posts } = await getPosts({ limit: NEWEST })
      const address = new URL(path, site).href
      const text = rssFeed({ title, address, addressOf: (slug) => `${address}/${slug}`, posts })
      return new Response(text, { headers: { 'Content-Type': 'application/rss+xml; charset=utf-8' } })
    },
    async sitemap() {
      const address = new URL(path, needed(origin())).href
      const entries: SitemapEntry[] = [{ url: address }]
      for (let page = 1, pages = 1; page <= pages; page += 1) {
        const list = await getPosts({ page, limit: 100 })
        pages = list.pages
        for (const { slug } of list.posts) entries.push({ url: `${address}/${slug}` })
      }
      return entries
    },
  }
}

/** A path that no post has: Next.js wants at least one to render ahead. */
const NOWHERE = '-'

type Asked = { page: number; tag?: string } | { slug: string }

/** What the part of the path after the blog's own means; undefined: nothing. */
function meaningOf(path: string[] = []): Asked | undefined {
  const [first = '', second, ...rest] = path.map(decoded)
  if (path.length === 0) return { page: 1 }
  if (second === undefined) return { slug: first }
  const tag = first === 'tag' ? second : undefined
  const place = tag === undefined ? [first, second, ...rest] : rest
  if (tag !== undefined && place.length === 0) return { page: 1, tag }
  const page = Number(place[1])
  if (place[0] !== 'page' || place.length !== 2 || !Number.isInteger(page) || page < 1) return undefined
  return tag === undefined ? { page } : { page, tag }
}

/** Whether what an address means is there, and if it is a post that has moved, under which slug. */
export type Place = { here: boolean; slug?: string }

async function placeOf(asked: Asked | undefined): Promise<Place> {
  if (asked === undefined) return { here: false }
  if ('page' in asked) return { here: true }
  const present = await presentSlug(asked.slug)
  if (present === undefined) return { here: false }
  return present === asked.slug ? { here: true } : { here: false, slug: present }
}

/** The parts of an address after the path of the blog, which others may precede: a language, say. */
function below(path: string, pathname: string): string[] {
  const parts = pathname.split('/').filter(Boolean)
  const base = path.split('/').filter(Boolean)
  const at = parts.findIndex((_, index) => base.every((part, offset) => decoded(parts[index + offset] ?? '') === part))
  return parts.slice(Math.max(0, at) + base.length)
}

/** Next.js hands parts of a path over as the address has them. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function metadataOf(post: WebhookPost, address: string | undefined): BlogMetadata {
  const { id, version, title, excerpt, published_at, meta } = post
  const [name, description] = [meta.title ?? title, meta.description ?? excerpt]
  const canonical = meta.canonical_url ?? address
  const images = meta.og_image ?? undefined
  return {
    title: name,
    description,
    ...(canonical === undefined ? {} : { alternates: { canonical } }),
    openGraph: {
      type: 'article',
      title: name,
      description,
      publishedTime: published_at,
      ...(canonical === undefined ? {} : { url: canonical }),
      ...(images === undefined ? {} : { images }),
    },
    ...(isPreview(post.slug) ? { robots: { index: false as const } } : {}),
    other: { 'postrider-post': id, 'postrider-version': String(version) },
  }
}

function needed(origin: string | undefined): string {
  if (origin === undefined)
    throw new Error('Feed and sitemap need the address of the site. Set SITE_URL, or url in createBlog.')
  return origin
}
