/**
 * The editable part of a post, and how two versions of it are merged. Pure: no clock, no storage, no requests.
 *
 * A field has three states: when the editing began (`was`), here (`mine`) and on the service now (`theirs`). A field that only
 * one side changed is taken from that side. A field that both changed differently is a conflict, which a person decides.
 */
import type { CreatePost, Post, UpdatePost } from '@postrider/sdk'

/** A rich-text document as ProseMirror writes it. */
export type Doc = Post['body']['json']

/** The text in the form in which it was last edited; the service derives the others. */
export type Body = { form: 'json'; value: Doc } | { form: 'markdown' | 'html'; value: string }
export type Form = Body['form']

/** Everything that can be edited. An empty text means no value; an empty slug is made from the title. */
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

/** The fields' names in the editor, in the order of the screen. */
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

/** A post without any text. */
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

/** The editable part of a stored post. */
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

/** Whether the post may have this field from that draft: the service trims texts, and keeps a body in the form it came in. */
export function isFrom(sent: Draft, post: Post, field: Field): boolean {
  if (field === 'body') return isSame(sent.body.value, post.body[sent.body.form])
  const value = sent[field]
  return isSame(typeof value === 'string' ? value.trim() : value, draftOf(post)[field])
}

/** The text as a document: the rich text as it is here, or for other forms the document last stored. */
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

/** Only these fields of a draft. */
export function pick(draft: Draft, fields: readonly Field[]): Partial<Draft> {
  return Object.fromEntries(fields.map((field) => [field, draft[field]]))
}

/** The names of the fields that are present. */
export function fieldsOf(part: Partial<Draft>): Field[] {
  return FIELDS.filter((field) => field in part)
}

/**
 * Merges changes made here with what the service has. `was` are the changed fields as they were when the editing began. The
 * result has `mine` wherever it differs from `was`, even in fields that conflict.
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

/** The title of a draft with the version of a post that was not chosen: its end, in characters as the service counts them. */
export function otherTitle(title: string): string {
  return [...`${title} (other version)`].slice(-300).join('')
}

/** Whether the service would make this slug from this title; titles in other scripts than Latin are not judged. */
export function isSlugOfTitle(slug: string, title: string): boolean {
  const words = title.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll(/['’]/g, '')
  const made = words.split(/[^a-z0-9]+/).filter((word) => word !== '')
  const base = made.join('-').slice(0, 120).replace(/-+$/, '') || 'post'
  return slug === base || (slug.startsWith(`${base}-`) && /^\d+$/.test(slug.slice(base.length + 1)))
}

/** A document without null attributes, as the service writes it, so that an unchanged one compares as equal. */
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
