/** Full-text search: what is indexed, and how a person's words become a query (decision P9). */
import { type RawBuilder, sql } from 'kysely'
import { type SearchedValues, searchedTexts } from './fields.ts'
import { folded, indexedWords, separated } from './words.ts'

const DAY_MS = 24 * 3_600_000

/**
 * Marks in a post's search vector: its account, and its account with the day it was created (UTC). No text contains them,
 * because words do not begin with "^". With them the index alone narrows a search to an account and to recent posts, without
 * reading the rows of others.
 */
const accountMark = (accountId: string) => `^${accountId}`
const dayMark = (accountId: string, day: number) => `^${accountId}/${day}`
const dayOf = (at: Date) => Math.floor(at.getTime() / DAY_MS)

/** What is indexed of a post. */
type Indexed = SearchedValues & {
  account_id: string
  created_at: Date
  /** Of the body, as `indexedWords` makes them. */
  words: string
}

/** The search vector: stemmed words for meaning, plain words for phrases and prefixes; the title weighs more. */
export function searchVector({ account_id, created_at, words, ...fields }: Indexed): RawBuilder<string> {
  const marks = [accountMark(account_id), dayMark(account_id, dayOf(created_at))]
  const texts = searchedTexts(fields)
  const heading = indexedWords(texts.heading)
  const indexed = `${indexedWords(texts.text)} ${words}`
  return sql<string>`
    setweight(to_tsvector('english', ${heading}::text), 'A') || setweight(to_tsvector('simple', ${heading}::text), 'A') ||
    setweight(to_tsvector('english', ${indexed}::text), 'B') || setweight(to_tsvector('simple', ${indexed}::text), 'B') ||
    array_to_tsvector(${marks}::text[])`
}

/** A query for all posts of an account, or for those created in a span of time (in whole days). */
export function markQuery(accountId: string, created?: { from: Date; to: Date }): RawBuilder<unknown> {
  const marks = created === undefined ? [accountMark(accountId)] : daysOf(created).map((day) => dayMark(accountId, day))
  return sql`${marks.map((mark) => `'${mark}'`).join('|')}::tsquery`
}

function daysOf({ from, to }: { from: Date; to: Date }): number[] {
  return Array.from({ length: dayOf(to) - dayOf(from) + 1 }, (_, index) => dayOf(from) + index)
}

/** Longer queries are cut: nobody types them, and a query's cost grows with its parts. */
const MOST_CHARACTERS = 300
const MOST_PHRASES = 8

/**
 * A person's search as queries. `matching` requires quoted words in their order; `words` accepts them anywhere, because the
 * index does not know positions.
 */
export type Search = { matching: RawBuilder<unknown>; words: RawBuilder<unknown> }

/**
 * The queries for a person's words: all must match, stemmed; a leading hyphen excludes. "Quoted" words must match exactly, in
 * their order. The last word also matches the beginning of a word, for searching while typing. Accents do not matter. Odd input
 * finds nothing; it is never an error.
 */
export function searchQuery(words: string): Search {
  const phrases: Array<{ phrase: string; excluded: boolean }> = []
  const rest = folded(words.slice(0, MOST_CHARACTERS).replaceAll(/[“”„«»]/g, '"'))
    .replaceAll('\0', ' ')
    .replaceAll(/(-?)"([^"]*)"/g, (_, hyphen: string, phrase: string) => {
      if (phrases.length < MOST_PHRASES) phrases.push({ phrase: separated(phrase), excluded: hyphen !== '' })
      return ' '
    })
  const loose = rest.split(/\s+/).map(partsOf).join(' ')
  const all = (parts: RawBuilder<unknown>[]) => sql`(${sql.join([looseQuery(loose), ...parts], sql` && `)})`
  return {
    matching: all(
      phrases.map(({ phrase, excluded }) => {
        const query = sql`phraseto_tsquery('simple', ${phrase})`
        return excluded ? sql`!!(${query})` : query
      }),
    ),
    words: all(
      phrases.filter(({ excluded }) => !excluded).map(({ phrase }) => sql`plainto_tsquery('simple', ${phrase})`),
    ),
  }
}

/** A typed word as its parts, as a text has them; what a leading hyphen excludes stays together. */
function partsOf(word: string): string {
  const parts = separated(word).trim()
  return word.startsWith('-') && parts !== '' ? `-"${parts}"` : parts
}

function looseQuery(words: string): RawBuilder<unknown> {
  const [last] = /(?<![-\p{L}\p{N}\p{M}])[\p{L}\p{N}\p{M}]+$/u.exec(words) ?? []
  if (last === undefined) return sql`websearch_to_tsquery('english', ${words})`
  const before = words.slice(0, -last.length)
  return sql`(websearch_to_tsquery('english', ${words}) || (websearch_to_tsquery('simple', ${before}) && to_tsquery('simple', ${`${last}:*`})))`
}
