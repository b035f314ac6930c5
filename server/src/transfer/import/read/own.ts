/** Posts as our own export writes them: nothing is lost. */
import { OwnPost } from '../../own-format.ts'
import type { Found } from '../source-post.ts'

/** The post of a file. `path`: where it is in the archive. */
export function postOfOwn(path: string, file: string): Found {
  const read = OwnPost.safeParse(parsed(file))
  if (!read.success) {
    const [issue] = read.error.issues
    const reason = `It is not a post in Postrider’s format: ${issue?.path.join('.') || 'the file'} is not as it should be.`
    return { sourceId: `postrider:${path}`, title: path, reason }
  }
  const post = read.data
  return {
    sourceId: `postrider:${post.id}`,
    title: post.title,
    slug: post.slug,
    body: post.body,
    excerpt: post.excerpt,
    tags: post.tags,
    meta: Object.fromEntries(Object.entries(post.meta).filter(([, value]) => value !== undefined)),
    status: post.status,
    ...(post.scheduled_at === null ? {} : { scheduledAt: post.scheduled_at }),
    ...(post.published_at === null ? {} : { publishedAt: post.published_at }),
    createdAt: post.created_at,
    updatedAt: post.updated_at,
    formerSlugs: post.former_slugs.map(({ slug, retired_at }) => ({ slug, retiredAt: retired_at })),
    losses: [],
    own: {
      id: post.id,
      version: post.version,
      siteIds: post.site_ids,
      primarySiteId: post.primary_site_id,
      scheduleZone: post.schedule_zone,
      unpublishAt: post.unpublish_at,
    },
  }
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(file)
  } catch {
    return undefined
  }
}
