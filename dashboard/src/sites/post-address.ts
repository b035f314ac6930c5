import type { Post, Site } from '@postrider/sdk'

/** Where a site shows a published post, if the site's pattern says so. Year and month are those of the publication in UTC. */
export function postAddress(
  { post_url: pattern }: Pick<Site, 'post_url'>,
  { id, slug, published_at: at }: Pick<Post, 'id' | 'slug' | 'published_at'>,
): string | undefined {
  if (pattern === null || at === null) return undefined
  const parts: Record<string, string> = { id, slug, yyyy: at.slice(0, 4), mm: at.slice(5, 7) }
  return pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => parts[name] ?? '')
}
