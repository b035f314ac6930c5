/** What a write changes about a post. */
import { isDeepStrictEqual } from 'node:util'
import type { BodyInput, ConvertedBody } from './body/convert.ts'
import { docToText } from './body/text.ts'
import { bodyColumns } from './new-post.ts'
import { searchVector } from './search.ts'
import type { PostMeta, PostRow, PostStatus } from './tables.ts'
import { indexedWords } from './words.ts'

/** What a write may set. In `meta`, null removes a value. */
export type PostInput = {
  title?: string | undefined
  /** null: made from the title. */
  slug?: string | null | undefined
  excerpt?: string | undefined
  body?: BodyInput | undefined
  meta?: { [Key in keyof PostMeta]?: string | null | undefined } | undefined
  tags?: string[] | undefined
  status?: PostStatus | undefined
  scheduledAt?: Date | null | undefined
  scheduleZone?: string | null | undefined
}

/** The columns that differ from the current row. */
export function changedContent(
  current: PostRow,
  { slug, ...input }: PostInput & { slug: string | undefined },
  body: ConvertedBody | undefined,
) {
  const meta = mergedMeta(current.meta, input.meta)
  const { title = current.title, excerpt = current.excerpt, tags = current.tags } = input
  const isSearched =
    title !== current.title ||
    excerpt !== current.excerpt ||
    !isDeepStrictEqual(tags, current.tags) ||
    body !== undefined
  return {
    ...(title === current.title ? {} : { title }),
    ...(slug === undefined || slug === current.slug ? {} : { slug }),
    ...(excerpt === current.excerpt ? {} : { excerpt }),
    ...(isDeepStrictEqual(meta, current.meta) ? {} : { meta: JSON.stringify(meta) }),
    ...(isDeepStrictEqual(tags, current.tags) ? {} : { tags }),
    ...(body === undefined ? {} : bodyColumns(body)),
    ...(!isSearched
      ? {}
      : {
          search: searchVector({
            accountId: current.account_id,
            createdAt: current.created_at,
            title,
            excerpt,
            tags,
            words: body?.words ?? indexedWords(docToText(current.body_json)),
          }),
        }),
  }
}

/**
 * The given forms of a body that are not the stored ones, undefined without any: a fetched post can be edited in any one of its
 * forms and sent back whole.
 */
export function changedForms(current: PostRow, given: BodyInput | undefined): BodyInput | undefined {
  if (given === undefined) return undefined
  const changed: BodyInput = {
    ...(given.html === undefined || given.html === current.body_html ? {} : { html: given.html }),
    ...(given.markdown === undefined || given.markdown === current.body_markdown ? {} : { markdown: given.markdown }),
    ...(given.json === undefined || isDeepStrictEqual(given.json, current.body_json) ? {} : { json: given.json }),
  }
  return Object.keys(changed).length === 0 ? undefined : changed
}

/** The body, or undefined if it is the stored one. */
export function differing(body: ConvertedBody | undefined, current: PostRow): ConvertedBody | undefined {
  const same =
    body?.html === current.body_html &&
    body.markdown === current.body_markdown &&
    isDeepStrictEqual(body.json, current.body_json)
  return same ? undefined : body
}

/** The metadata after a change, without what is empty. */
export function mergedMeta(current: PostMeta, change: PostInput['meta']): PostMeta {
  const merged = {
    ...current,
    ...Object.fromEntries(Object.entries(change ?? {}).filter(([, value]) => value !== undefined)),
  }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null && value !== ''))
}
