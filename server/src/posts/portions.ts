/**
 * Work on many posts goes in portions: a post may have megabytes of text, and takes several times that in memory while it is read, changed
 * or sent. The size is known without reading the text.
 */
import { sql } from 'kysely'

/** A post and the size of its text. */
export type Sized = { id: string; bytes: number }

/** HTML and Markdown, in bytes. The third form has about the same size. */
export const TEXT_BYTES = sql<number>`octet_length(body_html) + octet_length(body_markdown)`

/** How much text is worked on at once. */
const MOST_BYTES = 2 * 1024 * 1024

/** The beginning of a list that can be worked on at once; one post of it at least. */
export function firstPortion<Post extends Sized>(posts: readonly Post[], mostBytes = MOST_BYTES): Post[] {
  let sum = 0
  const end = posts.findIndex(({ bytes }, index) => {
    sum += bytes
    return index > 0 && sum > mostBytes
  })
  return posts.slice(0, end === -1 ? posts.length : end)
}

/** The whole list, in portions. */
export function inPortions<Post extends Sized>(posts: readonly Post[]): Post[][] {
  const portions: Post[][] = []
  for (let done = 0; done < posts.length; done += portions.at(-1)?.length ?? 0)
    portions.push(firstPortion(posts.slice(done)))
  return portions
}
