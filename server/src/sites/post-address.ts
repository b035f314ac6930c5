/**
 * Where a site shows a published post, if the site's pattern says so (`post-url.ts`). Year and month are those of the publication in UTC,
 * `published_at` is a time in ISO 8601.
 */
export function postAddress(
  { post_url: pattern }: { post_url: string | null },
  { id, slug, published_at: at }: { id: string; slug: string; published_at: string | null },
): string | undefined {
  if (pattern === null || at === null) return undefined
  const parts: Record<string, string> = { id, slug, yyyy: at.slice(0, 4), mm: at.slice(5, 7) }
  return pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => parts[name] ?? '')
}
