/** One file in the format that Ghost imports: its tables, with a post's text as HTML. */
import { createHash } from 'node:crypto'
import type { WholePost } from '../../posts/index.ts'
import type { ZipEntry } from './zip.ts'

/** The first version of Ghost that imports the text of posts as HTML. */
const GHOST_VERSION = '5.0.0'

/** The file of an export for Ghost. */
export async function* ghostFiles(posts: AsyncIterable<WholePost>, now: Date): AsyncGenerator<ZipEntry> {
  yield { name: 'ghost.json', changedAt: now, content: ghostJson(posts, now) }
}

/** Posts are written as they come. What Ghost keeps in other tables is kept until then: it is small. */
async function* ghostJson(posts: AsyncIterable<WholePost>, now: Date): AsyncGenerator<string> {
  const tags = new Map<string, string>()
  const tables = { posts_meta: [] as string[], posts_tags: [] as string[] }
  const meta = { exported_on: now.getTime(), version: GHOST_VERSION }
  yield `{"db":[{"meta":${JSON.stringify(meta)},"data":{"posts":[`
  let separator = '\n'
  for await (const post of posts) {
    yield separator + JSON.stringify(ghostPost(post))
    separator = ',\n'
    tables.posts_meta.push(JSON.stringify(ghostMeta(post)))
    for (const [index, name] of post.tags.entries()) {
      const tagId = tags.get(name) ?? ghostId(`tag ${name}`)
      tags.set(name, tagId)
      tables.posts_tags.push(JSON.stringify({ post_id: ghostId(post.id), tag_id: tagId, sort_order: index }))
    }
  }
  const named = [...tags].map(([name, id]) => JSON.stringify({ id, name }))
  for (const [table, rows] of Object.entries({ ...tables, tags: named })) yield `\n],"${table}":[\n${rows.join(',\n')}`
  yield '\n]}}]}\n'
}

/** Ghost knows rows by 24 hexadecimal digits. */
function ghostId(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24)
}

function ghostPost(post: WholePost) {
  return {
    id: ghostId(post.id),
    uuid: post.id,
    title: post.title,
    slug: post.slug,
    html: post.body_html,
    feature_image: post.meta.og_image ?? null,
    type: 'post',
    status: post.status,
    visibility: 'public',
    custom_excerpt: post.excerpt === '' ? null : post.excerpt,
    canonical_url: post.meta.canonical_url ?? null,
    created_at: post.created_at.toISOString(),
    updated_at: post.updated_at.toISOString(),
    published_at: (post.published_at ?? post.scheduled_at)?.toISOString() ?? null,
  }
}

function ghostMeta(post: WholePost) {
  const { title, description } = post.meta
  return { post_id: ghostId(post.id), meta_title: title ?? null, meta_description: description ?? null }
}
