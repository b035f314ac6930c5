/** The pages as they look until the site has its own: plain elements, which its style sheet gives a face. */
import type { WebhookPost } from '@postrider/sdk/webhooks'
import { createElement as h, type ReactElement } from 'react'
import type { PostPage } from './read.ts'

/** What a list is given: the posts, and the path of the blog. */
export type ListProps = PostPage & { path: string; tag?: string }

/** What a post's page is given. */
export type PostProps = { post: WebhookPost; path: string }

/** A list of posts. */
export function PostList({ posts, page, pages, path, tag }: ListProps): ReactElement {
  const base = tag === undefined ? path : `${path}/tag/${encodeURIComponent(tag)}`
  const link = (to: number, rel: string, text: string) =>
    h('a', { href: to === 1 ? base : `${base}/page/${to}`, rel }, text)
  return h(
    'main',
    null,
    h('h1', null, tag ?? 'Blog'),
    ...posts.map(({ id, slug, title, excerpt, published_at }) =>
      h(
        'article',
        { key: id },
        h('h2', null, h('a', { href: `${path}/${slug}` }, title)),
        h('time', { dateTime: published_at }, published_at.slice(0, 10)),
        excerpt !== '' && h('p', null, excerpt),
      ),
    ),
    h(
      'nav',
      null,
      page > 1 && link(page - 1, 'prev', 'Newer posts'),
      ' ',
      page < pages && link(page + 1, 'next', 'Older posts'),
    ),
  )
}

/** One post. Of it only `body.html` may be inserted as it is. */
export function PostArticle({ post: { title, published_at, tags, body }, path }: PostProps): ReactElement {
  return h(
    'main',
    null,
    h(
      'article',
      null,
      h('h1', null, title),
      h('time', { dateTime: published_at }, published_at.slice(0, 10)),
      // biome-ignore lint/security/noDangerouslySetInnerHtml: Postrider has removed everything that could run
      h('div', { dangerouslySetInnerHTML: { __html: body.html } }),
    ),
    tags.length > 0 &&
      h(
        'ul',
        null,
        ...tags.map((tag) => h('li', { key: tag }, h('a', { href: `${path}/tag/${encodeURIComponent(tag)}` }, tag))),
      ),
  )
}
