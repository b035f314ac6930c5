/** What pushing a file means for the account: nothing, a new post, or changes of one. */
import { isDeepStrictEqual } from 'node:util'
import type { CreatePost, PostWithDeliveries, UpdatePost } from '@postrider/sdk'
import { slugify } from '../../posts/index.ts'
import type { SourcePost } from '../../transfer/index.ts'

/** What the author asks for besides the files. Without `publish` and `at`, nothing goes out that is not out. */
export type Asked = { publish: boolean; draft: boolean; at: string | undefined; siteIds: string[] | undefined }

/** A post as lists of the API have it. */
export type Known = Omit<PostWithDeliveries, 'deliveries'>

export type Plan =
  | { kind: 'nothing' }
  | { kind: 'create'; input: CreatePost }
  | { kind: 'change'; input: UpdatePost; fields: string[] }

/** The post that a file is: by the id in its front matter, or else by its slug. */
export function postOf(source: SourcePost, posts: readonly Known[]): Known | undefined {
  const slug = slugOf(source)
  return posts.find(({ id }) => id === source.own?.id) ?? posts.find((post) => post.slug === slug)
}

const slugOf = ({ slug, title }: SourcePost) => slugify(slug) || slugify(title)

/** What is to be done. `now`: a date after it is a schedule. */
export function planOf(source: SourcePost, known: Known | undefined, asked: Asked, now: Date): Plan {
  const { title, excerpt = '', tags, meta, body } = source
  const content = {
    title,
    slug: slugOf(source),
    excerpt,
    tags: [...new Set(tags)],
    meta: { title: '', description: '', og_image: '', canonical_url: '', ...meta },
    body: { markdown: body.markdown ?? '' },
  }
  const state = stateOf(source, known, asked, now)
  const audience = asked.siteIds === undefined ? {} : { site_ids: asked.siteIds }
  if (known === undefined) return { kind: 'create', input: { ...content, meta, ...audience, ...state } }
  const differs = {
    title: known.title !== content.title,
    slug: known.slug !== content.slug,
    excerpt: known.excerpt !== content.excerpt,
    tags: !isDeepStrictEqual(known.tags, content.tags),
    meta: Object.entries(content.meta).some(([name, value]) => (known.meta[name as keyof typeof meta] ?? '') !== value),
    body: known.body.markdown !== content.body.markdown,
  }
  const fields = Object.keys(differs).filter((name) => differs[name as keyof typeof differs])
  const changed = Object.fromEntries(Object.entries(content).filter(([name]) => fields.includes(name)))
  const moves = asked.siteIds !== undefined && !isDeepStrictEqual(known.site_ids?.toSorted(), asked.siteIds.toSorted())
  const input = { ...changed, ...(moves ? audience : {}), ...state }
  const said = [...fields, ...(moves ? ['sites'] : []), ...(state.status === undefined ? [] : [state.status])]
  return said.length === 0 ? { kind: 'nothing' } : { kind: 'change', input, fields: said }
}

type State = { status?: 'draft' | 'published' | 'scheduled'; scheduled_at?: string }

/** The status that the post is to have, if it is another one. With `publish`, a file that says `draft: true` is taken off the sites. */
function stateOf(source: SourcePost, known: Known | undefined, asked: Asked, now: Date): State {
  const { status: present = 'draft', scheduled_at: planned } = known ?? {}
  const to = (wanted: State): State =>
    wanted.status === present && (wanted.status !== 'scheduled' || sameTime(wanted.scheduled_at, planned)) ? {} : wanted
  if (asked.at !== undefined) return to({ status: 'scheduled', scheduled_at: asked.at })
  const isDraft = source.status === 'draft' && !source.losses.some(({ code }) => code === 'no_date')
  if (asked.draft || (asked.publish && isDraft)) return to({ status: 'draft' })
  if (!asked.publish || present === 'published') return {}
  const date = source.scheduledAt ?? source.publishedAt
  const isLater = date !== undefined && new Date(date) > now
  return to(isLater ? { status: 'scheduled', scheduled_at: date } : { status: 'published' })
}

const sameTime = (a: string | undefined, b: string | null | undefined) =>
  a !== undefined && b != null && new Date(a).getTime() === new Date(b).getTime()
