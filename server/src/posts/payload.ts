import type { PostRow } from './tables.ts'

/** The post as webhooks and the Pull API show it (specification, section 6). */
export function publicPost(post: PostRow, previousSlugs: readonly string[]): object {
  return {
    id: post.id,
    version: post.version,
    slug: post.slug,
    ...(previousSlugs.length > 0 ? { previous_slugs: previousSlugs } : {}),
    title: post.title,
    excerpt: post.excerpt,
    body: { html: post.body_html, markdown: post.body_markdown, json: post.body_json },
    meta: post.meta,
    tags: post.tags,
    status: 'published',
    published_at: post.published_at,
  }
}

/** The post as the Pull API shows it (decision L1). */
export function presentPulled(post: PostRow, previousSlugs: readonly string[]): object {
  return { ...publicPost(post, previousSlugs), updated_at: post.updated_at }
}
