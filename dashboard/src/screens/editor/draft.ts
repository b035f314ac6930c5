/**
 * The editable part of a post, and how two versions of it are merged. Pure: no clock, no storage, no requests.
 *
 * A field has three states: when the editing began (`was`), here (`mine`) and on the service now (`theirs`). A field that only
 * one side changed is taken from that side. A field that both changed differently is a conflict, which a person decides.
 */
import type { CreatePost, Post, UpdatePost } from '@postrider/sdk'

/** What is edited of a post, as the service has it. */
export type Content = Pick<Post, 'title' | 'slug' | 'excerpt' | 'tags' | 'meta' | 'body'>

/** A rich-text document as ProseMirror writes it. */
export type Doc = Post['body']['json']

/** The text in the form in which it was last edited; the service derives the others. */
export type Body = { form: 'json'; value: Doc } | { form: 'markdown' | 'html'; value: string }

const EMPTY_DOC: Doc = { type: 'doc', content: [{ type: 'paragraph' }] }

/** The fields in the order of the screen: what each is called there, where it is in the API's posts, and its value when there is none. */
const FIELDS = {
  title: { label: 'Title', path: 'title', empty: '' },
  body: { label: 'Text', path: 'body', empty: { form: 'json', value: EMPTY_DOC } as Body },
  slug: { label: 'Address', path: 'slug', empty: '' },
  excerpt: { label: 'Excerpt', path: 'excerpt', empty: '' },
  tags: { label: 'Tags', path: 'tags', empty: [] as readonly string[] },
  metaTitle: { label: 'Search title', path: 'meta.title', empty: '' },
  metaDescription: { label: 'Description', path: 'meta.description', empty: '' },
  ogImage: { label: 'Picture for social networks', path: 'meta.og_image', empty: '' },
  canonicalUrl: { label: 'Original address', path: 'meta.canonical_url', empty: '' },
}
export type Field = keyof typeof FIELDS
const NAMES = Object.keys(FIELDS) as Field[]

/** Everything that can be edited. An empty text means no value; an empty slug is made from the title. */
export type Draft = { [Name in Field]: (typeof FIELDS)[Name]['empty'] }

/** What a field is called in the editor. */
export const labelOf = (field: Field): string => FIELDS[field].label

/** The field that an error of the API names: `tags.3` is about the tags. */
export function fieldAt(path = ''): Field | undefined {
  return NAMES.find((name) => FIELDS[name].path === path || path.startsWith(`${FIELDS[name].path}.`))
}

/** A post without any text. */
export const EMPTY_DRAFT = draftWith((name) => FIELDS[name].empty)

/** The editable part of a stored post. */
export function draftOf(post: Content): Draft {
  return draftWith((name) => {
    if (name === 'body') return { form: 'json', value: post.body.json }
    const [first = '', second] = FIELDS[name].path.split('.')
    const value: unknown = Reflect.get(post, first)
    return second === undefined ? value : (Reflect.get(value as object, second) ?? '')
  })
}

function draftWith(valueAt: (name: Field) => unknown): Draft {
  return Object.fromEntries(NAMES.map((name) => [name, valueAt(name)])) as Draft
}

/** Whether the post may have this field from that draft: the service trims texts, and keeps a body in the form it came in. */
export function isFrom(sent: Draft, post: Content, field: Field): boolean {
  if (field === 'body') return isSame(sent.body.value, post.body[sent.body.form])
  const value = sent[field]
  return isSame(typeof value === 'string' ? value.trim() : value, draftOf(post)[field])
}

/** The text as a document: the rich text as it is here, or for other forms the document last stored. */
export function documentOf({ body }: Draft, post: Content | undefined): Doc | undefined {
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
    NAMES.filter((field) => !isSame(was[field], mine[field])),
  )
}

/** Only these fields of a draft. */
export function pick(draft: Draft, fields: readonly Field[]): Partial<Draft> {
  return Object.fromEntries(fields.map((field) => [field, draft[field]]))
}

/** The names of the fields that are present. */
export function fieldsOf(part: Partial<Draft>): Field[] {
  return NAMES.filter((field) => field in part)
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
  const { title, body, slug, ...others } = part
  const plain = Object.entries(others).map(([name, value]) => [FIELDS[name as Field].path, value] as const)
  const meta = plain.flatMap(([path, value]) =>
    path.startsWith('meta.') ? [[path.slice('meta.'.length), String(value).trim()]] : [],
  )
  return {
    ...(title === undefined || title.trim() === '' ? {} : { title }),
    ...(body === undefined ? {} : { body: { [body.form]: body.value } }),
    ...(slug === undefined ? {} : { slug: slug.trim() === '' ? null : slug }),
    ...Object.fromEntries(plain.filter(([path]) => !path.startsWith('meta.'))),
    ...(meta.length === 0 ? {} : { meta: Object.fromEntries(meta) }),
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
