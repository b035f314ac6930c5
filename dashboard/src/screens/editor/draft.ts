/**
 * What a person edits of a post, and how two versions of it come together. Pure: no clock, no storage, no requests.
 *
 * Three states of a field matter: as it was when the editing began (`was`), as it stands here (`mine`) and as the service has
 * it by now (`theirs`). What only one side has changed is taken from that side; what both have changed in different ways is
 * a conflict, which a person decides.
 */
import type { CreatePost, Post, UpdatePost } from '@postrider/sdk'

/** A rich-text document as ProseMirror writes it. */
export type Doc = Post['body']['json']

/** The text in the form in which it was last edited; the service derives the others. */
export type Body = { form: 'json'; value: Doc } | { form: 'markdown' | 'html'; value: string }
export type Form = Body['form']

/** Everything that can be edited. Empty texts are none; an empty slug is made from the title. */
export type Draft = {
  title: string
  body: Body
  slug: string
  excerpt: string
  tags: readonly string[]
  metaTitle: string
  metaDescription: string
  ogImage: string
  canonicalUrl: string
}
export type Field = keyof Draft

/** By their names in the editor, in the order in which a person meets them. */
export const FIELD_NAMES: Record<Field, string> = {
  title: 'Title',
  body: 'Text',
  slug: 'Address',
  excerpt: 'Excerpt',
  tags: 'Tags',
  metaTitle: 'Search title',
  metaDescription: 'Description',
  ogImage: 'Picture for social networks',
  canonicalUrl: 'Original address',
}

const FIELDS = Object.keys(FIELD_NAMES) as Field[]

const EMPTY_DOC: Doc = { type: 'doc', content: [{ type: 'paragraph' }] }

/** A post that nothing has been written in. */
export const EMPTY_DRAFT: Draft = {
  title: '',
  body: { form: 'json', value: EMPTY_DOC },
  slug: '',
  excerpt: '',
  tags: [],
  metaTitle: '',
  metaDescription: '',
  ogImage: '',
  canonicalUrl: '',
}

/** What there is to edit of a stored post. */
export function draftOf(post: Post): Draft {
  return {
    title: post.title,
    body: { form: 'json', value: post.body.json },
    slug: post.slug,
    excerpt: post.excerpt,
    tags: post.tags,
    metaTitle: post.meta.title ?? '',
    metaDescription: post.meta.description ?? '',
    ogImage: post.meta.og_image ?? '',
    canonicalUrl: post.meta.canonical_url ?? '',
  }
}

/** The text as a document: as it stands here, or, of other forms than the rich text, as it was last stored. */
export function documentOf({ body }: Draft, post: Post | undefined): Doc | undefined {
  return body.form === 'json' ? body.value : post?.body.json
}

/** Whether two values of one field are the same, as JSON sees them. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [left, right] = [Object.entries(a), Object.entries(b)]
  return left.length === right.length && left.every(([name, value]) => name in b && isSame(value, Reflect.get(b, name)))
}

/** The fields of `mine` that differ from `was`. */
export function changesOf(was: Draft, mine: Draft): Partial<Draft> {
  return pick(
    mine,
    FIELDS.filter((field) => !isSame(was[field], mine[field])),
  )
}

/** Only these fields. */
export function pick(draft: Draft, fields: readonly Field[]): Partial<Draft> {
  return Object.fromEntries(fields.map((field) => [field, draft[field]]))
}

/** The names of the fields that are there. */
export function fieldsOf(part: Partial<Draft>): Field[] {
  return FIELDS.filter((field) => field in part)
}

/**
 * Brings changes made here together with what the service has. `was` are the changed fields as they were when the editing
 * began. The result has mine wherever I changed something, also in the fields that are in conflict.
 */
export function merge(was: Partial<Draft>, mine: Partial<Draft>, theirs: Draft): { draft: Draft; conflicts: Field[] } {
  const conflicts = fieldsOf(mine).filter(
    (field) => !isSame(theirs[field], was[field]) && !isSame(theirs[field], mine[field]),
  )
  return { draft: { ...theirs, ...mine }, conflicts }
}

/** The request that stores these fields. A title cannot be empty, so an empty one is left out. */
export function inputOf(part: Partial<Draft>): UpdatePost {
  const { title, body, slug, excerpt, tags, metaTitle, metaDescription, ogImage, canonicalUrl } = part
  const meta = {
    ...(metaTitle === undefined ? {} : { title: metaTitle }),
    ...(metaDescription === undefined ? {} : { description: metaDescription }),
    ...(ogImage === undefined ? {} : { og_image: ogImage.trim() }),
    ...(canonicalUrl === undefined ? {} : { canonical_url: canonicalUrl.trim() }),
  }
  return {
    ...(title === undefined || title.trim() === '' ? {} : { title }),
    ...(body === undefined ? {} : { body: { [body.form]: body.value } }),
    ...(slug === undefined ? {} : { slug: slug.trim() === '' ? null : slug }),
    ...(excerpt === undefined ? {} : { excerpt }),
    ...(tags === undefined ? {} : { tags: [...tags] }),
    ...(Object.keys(meta).length === 0 ? {} : { meta }),
  }
}

/** The request that creates a post of this draft; its slug follows from the title unless it has one. */
export function newPostOf(draft: Draft): CreatePost {
  const { slug, ...rest } = inputOf(changesOf(EMPTY_DRAFT, draft))
  return { ...rest, title: draft.title, ...(slug == null ? {} : { slug }) }
}

/** The fields of the editor that a refusal of the service is about, by the dotted name it has there. */
export const FIELD_OF_API: Record<string, Field> = {
  title: 'title',
  slug: 'slug',
  excerpt: 'excerpt',
  'meta.title': 'metaTitle',
  'meta.description': 'metaDescription',
  'meta.og_image': 'ogImage',
  'meta.canonical_url': 'canonicalUrl',
}

/** Whether a slug is one that the service would make from this title; scripts other than Latin are not judged. */
export function isSlugOfTitle(slug: string, title: string): boolean {
  const words = title.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll(/['’]/g, '')
  const made = words.split(/[^a-z0-9]+/).filter((word) => word !== '')
  const base = made.join('-').slice(0, 120).replace(/-+$/, '') || 'post'
  return slug === base || (slug.startsWith(`${base}-`) && /^\d+$/.test(slug.slice(base.length + 1)))
}

/** A document without attributes that are null, as the service writes it; so an unchanged one compares as equal. */
export function tidyDoc(node: Doc): Doc {
  const { attrs, content, marks, ...rest } = node
  const set = Object.entries((attrs as object | undefined) ?? {}).filter(([, value]) => value !== null)
  return {
    ...rest,
    ...(set.length === 0 ? {} : { attrs: Object.fromEntries(set) }),
    ...(Array.isArray(content) ? { content: content.map(tidyDoc) } : {}),
    ...(Array.isArray(marks) ? { marks: marks.map(tidyDoc) } : {}),
  }
}
