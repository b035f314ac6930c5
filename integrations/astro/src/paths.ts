/** The static paths of posts: one for each, and one for each address that it had before, whose page redirects. */
import type { PostData } from './load.ts'

/** An entry of the collection, as `getCollection` gives it. */
type PostEntry = { id: string; data: PostData }

/** A path of `[slug].astro`, and what its page is given. */
export type PostPath<Entry> = { params: { slug: string }; props: { post: Entry } }

/**
 * What `getStaticPaths` of `[slug].astro` returns. Where `post.id` is not the slug of the path, the post has moved: the page answers
 * with `Astro.redirect`.
 */
export function postPaths<Entry extends PostEntry>(posts: readonly Entry[]): Array<PostPath<Entry>> {
  const taken = new Set(posts.map(({ id }) => id))
  const paths = posts.map((post) => ({ params: { slug: post.id }, props: { post } }))
  for (const post of byNewest(posts)) {
    for (const slug of post.data.previous_slugs ?? []) {
      if (taken.has(slug)) continue
      taken.add(slug)
      paths.push({ params: { slug }, props: { post } })
    }
  }
  return paths
}

/** Posts, newest first. */
export function byNewest<Entry extends PostEntry>(posts: readonly Entry[]): Entry[] {
  return [...posts].sort(
    (a, b) => b.data.published_at.localeCompare(a.data.published_at) || b.data.id.localeCompare(a.data.id),
  )
}
