/**
 * Previews in the site's own design: to the service, the slug `preview-TOKEN` means the post of that preview link, as it would be if it were published
 * now. So every site shows previews where it shows posts.
 */
import type { PullClient } from '../pull.ts'
import type { Posts } from './store.ts'

/** Whether a slug stands for a preview. */
export function isPreview(slug: string): boolean {
  return /^preview-(?=.*[A-Z_])[\w-]{43}$/.test(slug) // no slug of a post has capitals or _
}

/** The same posts, and previews, which are asked for each time. */
export function withPreviews(posts: Posts, client: () => PullClient): Posts {
  return {
    find: async (slug) => (isPreview(slug) ? (await client().lookUp(slug)).post : posts.find(slug)),
    list: (query) => posts.list(query),
  }
}
