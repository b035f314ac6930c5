/** What a write changes about a post. */
import { isDeepStrictEqual } from 'node:util'
import type { BodyInput, ConvertedBody } from './body/convert.ts'
import { docToText } from './body/text.ts'
import {
  type ContentValues,
  FIELD_NAMES,
  type FieldInput,
  type PostMeta,
  presentFields,
  SEARCHED_FIELDS,
  type SomeFields,
} from './fields.ts'
import { bodyColumns } from './new-post.ts'
import type { WantedPublicationState } from './policy.ts'
import { searchVector } from './search.ts'
import type { PostRow } from './tables.ts'
import { indexedWords } from './words.ts'

/** What a write may set. A slug that is null is made from the title; in `meta`, null removes a value. */
export type PostInput = Omit<FieldInput, 'slug'> &
  WantedPublicationState & {
    slug?: string | null | undefined
    body?: BodyInput | undefined
    /** The audience: connected sites; null: all. */
    site_ids?: readonly string[] | null | undefined
  }

/** The columns that differ from the current row. */
export function changedContent(
  current: PostRow,
  { slug, ...input }: PostInput & { slug: string | undefined },
  body: ConvertedBody | undefined,
) {
  const given: SomeFields = { ...input, slug, meta: mergedMeta(current.meta, input.meta) }
  const unchanged = FIELD_NAMES.filter((name) => isDeepStrictEqual(given[name], current[name]))
  const fields = presentFields({ ...given, ...Object.fromEntries(unchanged.map((name) => [name, undefined])) })
  const isSearched = body !== undefined || SEARCHED_FIELDS.some((name) => name in fields)
  return {
    ...fields,
    ...(body === undefined ? {} : bodyColumns(body)),
    ...(isSearched
      ? {
          search: searchVector({
            ...current,
            ...fields,
            words: body?.words ?? indexedWords(docToText(current.body_json)),
          }),
        }
      : {}),
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

/** A change of a post after which it has these fields, and of `meta` nothing else. */
export function wholeChange<Fields extends Pick<ContentValues, 'meta'>>(fields: Fields, { meta }: PostRow) {
  const gone = Object.keys(meta).filter((key) => !(key in fields.meta))
  return { ...fields, meta: { ...fields.meta, ...Object.fromEntries(gone.map((key) => [key, null])) } }
}
