/** A Markdown file per post, with front matter that Hugo, Jekyll, Astro and Zola understand, and that imports read again. */
import { stringify } from 'yaml'
import type { WholePost } from '../../posts/index.ts'
import { fileNames } from './names.ts'
import { withinArchive } from './pictures.ts'
import type { ZipEntry } from './zip.ts'

/** The files of an export as Markdown. `publicUrl`: of pictures that are in the archive, too; undefined if there are none. */
export async function* markdownFiles(
  posts: AsyncIterable<WholePost>,
  publicUrl: string | undefined,
): AsyncGenerator<ZipEntry> {
  for await (const { post, name } of fileNames(posts)) {
    const text = `---\n${stringify(frontMatter(post), { lineWidth: 0 })}---\n\n${post.body_markdown}`
    const content = publicUrl === undefined ? text : withinArchive(text, post, publicUrl)
    yield { name: `posts/${name}.md`, changedAt: post.updated_at, content }
  }
}

/** What is empty is left out. */
function frontMatter(post: WholePost): Record<string, unknown> {
  const { title: seoTitle, description, og_image: image, canonical_url: canonicalUrl } = post.meta
  const all = {
    title: post.title,
    slug: post.slug,
    date: (post.published_at ?? post.scheduled_at ?? post.created_at).toISOString(),
    created: post.created_at.toISOString(),
    updated: post.updated_at.toISOString(),
    draft: post.status !== 'published',
    status: post.status,
    schedule_zone: post.schedule_zone,
    unpublish_at: post.unpublish_at?.toISOString(),
    excerpt: post.excerpt,
    seo_title: seoTitle,
    description,
    image,
    canonical_url: canonicalUrl,
    tags: post.tags,
    aliases: post.formerSlugs.map(({ slug }) => slug),
    site_ids: post.site_ids ?? undefined,
    id: post.id,
    version: post.version,
  }
  const isEmpty = (name: string, value: unknown) =>
    value == null || value === '' || (Array.isArray(value) && value.length === 0 && name !== 'site_ids')
  return Object.fromEntries(Object.entries(all).filter(([name, value]) => !isEmpty(name, value)))
}
