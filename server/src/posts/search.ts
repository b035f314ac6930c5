/** Full-text search: what is indexed, and how a person's words become a query (decision P9). */
import { type RawBuilder, sql } from 'kysely'

/**
 * How much of a post's text is indexed (bytes of UTF-8). PostgreSQL refuses a search vector over 1 MiB; twice this
 * much text in the most awkward words stays well below.
 */
const INDEXED_BYTES = 200_000

/** The search vector: stemmed words for meaning, plain words for phrases and prefixes; the title weighs more. */
export function searchVector(title: string, text: string): RawBuilder<string> {
  const indexed = Buffer.from(text)
    .subarray(0, INDEXED_BYTES)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')
  return sql<string>`
    setweight(to_tsvector('english', ${title}::text), 'A') || setweight(to_tsvector('simple', ${title}::text), 'A') ||
    setweight(to_tsvector('english', ${indexed}::text), 'B') || setweight(to_tsvector('simple', ${indexed}::text), 'B')`
}

/** What lies beyond is not looked for: nobody types it, and a query's cost grows with its parts. */
const MOST_CHARACTERS = 300
const MOST_PHRASES = 8

/**
 * The query for a person's words: all of them, stemmed; a leading hyphen excludes. "Quoted" words are taken exactly, in
 * their order. The last word also matches as the beginning of a word, for searching while typing. Odd input finds
 * nothing; it is never an error.
 */
export function searchQuery(words: string): RawBuilder<unknown> {
  const phrases: RawBuilder<unknown>[] = []
  const rest = words
    .slice(0, MOST_CHARACTERS)
    .replaceAll('\0', ' ')
    .replaceAll(/(-?)"([^"]*)"/g, (_, hyphen: string, phrase: string) => {
      if (phrases.length === MOST_PHRASES) return ' '
      const query = sql`phraseto_tsquery('simple', ${phrase})`
      phrases.push(hyphen === '' ? query : sql`!!(${query})`)
      return ' '
    })
  return sql`(${sql.join([looseQuery(rest), ...phrases], sql` && `)})`
}

function looseQuery(words: string): RawBuilder<unknown> {
  const [last] = /(?<![-\p{L}\p{N}])[\p{L}\p{N}]+$/u.exec(words) ?? []
  if (last === undefined) return sql`websearch_to_tsquery('english', ${words})`
  const before = words.slice(0, -last.length)
  return sql`(websearch_to_tsquery('english', ${words}) || (websearch_to_tsquery('simple', ${before}) && to_tsquery('simple', ${`${last}:*`})))`
}
