/** Our own format: a file per post, with everything that makes the same post again. */
import type { WholePost } from '../../posts/index.ts'
import { OWN_FORMAT, OWN_MANIFEST, type OwnPost } from '../own-format.ts'
import { fileNames } from './names.ts'
import type { ZipEntry } from './zip.ts'

/** The files of an export in our own format. */
export async function* jsonFiles(posts: AsyncIterable<WholePost>): AsyncGenerator<ZipEntry> {
  const manifest = `${JSON.stringify({ format: OWN_FORMAT, version: 1 }, undefined, 2)}\n`
  yield { name: OWN_MANIFEST, changedAt: new Date(0), content: manifest }
  for await (const { post, name } of fileNames(posts)) {
    const content = `${JSON.stringify(ownPost(post), undefined, 2)}\n`
    yield { name: `posts/${name}.json`, changedAt: post.updated_at, content }
  }
}

function ownPost(post: WholePost): OwnPost {
  return {
    id: post.id,
    version: post.version,
    title: post.title,
    slug: post.slug,
    former_slugs: post.formerSlugs.map(({ slug, retiredAt }) => ({ slug, retired_at: retiredAt.toISOString() })),
    excerpt: post.excerpt,
    tags: post.tags,
    meta: post.meta,
    status: post.status as OwnPost['status'],
    site_ids: post.site_ids,
    primary_site_id: post.primary_site_id,
    scheduled_at: iso(post.scheduled_at),
    schedule_zone: post.schedule_zone,
    unpublish_at: iso(post.unpublish_at),
    published_at: iso(post.published_at),
    created_at: post.created_at.toISOString(),
    updated_at: post.updated_at.toISOString(),
    body: { html: post.body_html, markdown: post.body_markdown, json: post.body_json },
  }
}

const iso = (date: Date | null) => date?.toISOString() ?? null
