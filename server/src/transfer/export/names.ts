import type { WholePost } from '../../posts/index.ts'

/** Posts with a name of a file for each: the slug, with a number where that is taken by a post that has changed its slug meanwhile. */
export async function* fileNames(posts: AsyncIterable<WholePost>): AsyncGenerator<{ post: WholePost; name: string }> {
  const taken = new Set<string>()
  for await (const post of posts) {
    let name = post.slug
    for (let number = 2; taken.has(name); number += 1) name = `${post.slug}-${number}`
    taken.add(name)
    yield { post, name }
  }
}
