/** Searches in an account of twelve thousand posts, beside another account that has the same words. */
import type { PostriderClient } from '@postrider/sdk'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newAccount, startService, type TestService } from './support/service.ts'

const POSTS = 12_000
const MOST_FOUND = 500

let service: TestService
let client: PostriderClient

beforeAll(async () => {
  service = await startService()
  client = await newAccount(service)
  for (const one of [client, await newAccount(service)]) await fill(one)
})
afterAll(() => service.stop())

/** Post 1 is the newest, and there are twenty a day. Which words a post has follows from its number. */
async function fill(one: PostriderClient): Promise<void> {
  const { id } = await one.posts.create({ title: 'Template' })
  await sql`
    insert into posts (id, account_id, version, slug, title, excerpt, body_html, body_markdown, body_json, meta, tags, status,
      search, created_at, updated_at)
    select gen_random_uuid(), account_id, 1, 'post-' || n, 'Post ' || n, '', '', '', '{"type": "doc"}', '{}',
      case when n % 100 = 0 then array['hundredth'] else array[]::text[] end, 'draft',
      setweight(to_tsvector('simple', case when n = 450 then 'every' else '' end), 'A') ||
      setweight(to_tsvector('english', words) || to_tsvector('simple', words), 'B') ||
      array_to_tsvector(array['^' || account_id, '^' || account_id || '/' || floor(extract(epoch from at) / 86400)]), at, at
    from (select account_id, created_at from posts where id = ${id}) as template,
      generate_series(1, ${POSTS}) n,
      lateral (select created_at - n * interval '72 minutes' as at) as time,
      lateral (select concat_ws(' ', 'every post', case when n % 3 = 0 then 'third' end, case when n % 6 = 0 then 'sixth' end,
        case when n % 50 = 0 then 'fiftieth' end, case when n > 5000 then 'bygone' end,
        case when (n <= 1000 and n % 6 = 0) or n > 9000 then 'fading' end) as words) as text
  `.execute(service.ctx.db.root)
}

/** The numbers of all posts that are found, in order. */
async function found(search: string, more: { tag?: string } = {}): Promise<{ numbers: number[]; total: number }> {
  const numbers: number[] = []
  for (let page = 1; ; page += 1) {
    const { data, pagination } = await client.posts.list({ search, page, limit: 100, ...more })
    numbers.push(...data.map(({ slug }) => Number(slug.replace('post-', ''))))
    if (page >= pagination.pages) return { numbers, total: pagination.total }
  }
}

const numbersWhere = (matches: (n: number) => boolean) =>
  Array.from({ length: POSTS }, (_, index) => index + 1)
    .filter(matches)
    .slice(0, MOST_FOUND)

describe('a search in many posts', () => {
  it.each<[words: string, how: string, matches: (n: number) => boolean]>([
    ['every', 'in all posts', () => true],
    ['ev', 'the beginning of such a word', () => true],
    ['third', 'common', (n) => n % 3 === 0],
    ['sixth', 'less common', (n) => n % 6 === 0],
    ['"every post third" sixth', 'a phrase and a word', (n) => n % 6 === 0],
    ['"post third"', 'a common phrase', (n) => n % 3 === 0],
    ['"post fiftieth"', 'a rare phrase', (n) => n % 50 === 0 && n % 3 !== 0],
    ['"every third"', 'common words that never stand so', () => false],
    ['every -"post third"', 'all without a phrase', (n) => n % 3 !== 0],
    ['fiftieth', 'rare', (n) => n % 50 === 0],
    ['fiftieth -third', 'rare, and not another', (n) => n % 50 === 0 && n % 3 !== 0],
    ['bygone', 'common once, but not now', (n) => n > 5000],
    ['fading', 'less common now than once', (n) => (n <= 1000 && n % 6 === 0) || n > 9000],
    ['nowhere', 'in none', () => false],
  ])('finds the newest five hundred, each once: %s (%s)', async (words, _, matches) => {
    const { numbers, total } = await found(words)
    expect([...numbers].sort((a, b) => a - b)).toEqual(numbersWhere(matches))
    expect(total).toBe(numbers.length)
  })

  it('has the best match first, then the newest', async () => {
    expect((await found('every')).numbers.slice(0, 3)).toEqual([450, 1, 2])
  })

  it('can be narrowed by tag', async () => {
    expect((await found('third', { tag: 'hundredth' })).numbers).toEqual(numbersWhere((n) => n % 300 === 0))
  })
})

describe('a list of many posts', () => {
  it('knows how many there are, and pages far back', async () => {
    const last = await client.posts.list({ page: 121, limit: 100 })
    expect(last.pagination).toEqual({ page: 121, limit: 100, total: POSTS + 1, pages: 121 })
    expect(last.data.map(({ slug }) => slug)).toEqual([`post-${POSTS}`])
    const middle = await client.posts.list({ status: 'draft', page: 61, limit: 100 })
    expect(middle.data[0]?.slug).toBe('post-6000')
    expect((await client.posts.list({ status: 'published' })).pagination.total).toBe(0)
    expect((await client.posts.list({ tag: 'hundredth' })).pagination.total).toBe(120)
  })
})
