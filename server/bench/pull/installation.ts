/**
 * A large installation, written by set-based statements: one account has half of all posts, ten have a fiftieth each, a hundred a
 * five-hundredth each, and eight hundred the rest. Posts and deliveries span two years and lie in the tables in order of time, as
 * if the service had written them. Most posts are published to all sites of their account, a tenth of the published ones to some.
 */
import { sql } from 'kysely'
import type { Context } from '../../src/platform/context.ts'
import type { Db, Tx } from '../../src/platform/db/database.ts'
import { seedSites } from '../support/seed.ts'
import { makeTexts } from './words.ts'

/** How many posts and deliveries it has. */
export type Size = { posts: number; deliveries: number }

type Group = { accounts: number; sitesEach: number; slotsEach: number }

/** Posts belong to slots, slots to accounts. */
const GROUPS: Group[] = [
  { accounts: 1, sitesEach: 100, slotsEach: 4_000 },
  { accounts: 10, sitesEach: 20, slotsEach: 160 },
  { accounts: 100, sitesEach: 20, slotsEach: 16 },
  { accounts: 800, sitesEach: 20, slotsEach: 1 },
]
const SLOTS = GROUPS.reduce((slots, { accounts, slotsEach }) => slots + accounts * slotsEach, 0)
const POSTS_PER_STATEMENT = 10_000
const AT_ONCE = 2

/** Whether the database holds an installation of this size already. */
export async function isSeeded(db: Db, size: Size): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`select to_regclass('bench_size') is not null as there`.execute(db)
  if (rows[0]?.there !== true) return false
  const { rows: found } = await sql<Size>`select posts, deliveries from bench_size`.execute(db)
  return found[0]?.posts === size.posts && found[0].deliveries === size.deliveries
}

/** Fills an empty database. */
export async function seedInstallation(ctx: Context, size: Size): Promise<void> {
  const db = ctx.db.root
  const step = progress()
  await seedAccounts(ctx)
  await seedTexts(db)
  await plan(db, size)
  step('accounts and sites', true)
  await withoutIndexes(ctx, 'posts', async () => {
    await inParts(ctx, size.posts, step, insertPosts)
    step('posts', true)
  })
  await withoutTriggers(ctx, async (tx) => {
    await sql.raw(NAMED_SITES).execute(tx)
  })
  step('indexes of posts', true)
  await withoutIndexes(ctx, 'deliveries', async () => {
    await inParts(ctx, size.posts, step, insertDeliveries)
    step('deliveries', true)
  })
  step('indexes of deliveries', true)
  await sql.raw(ROLL_UPS).execute(db)
  step('roll-ups', true)
  await sql.raw('drop table bench_paragraphs, bench_titles, bench_slots, bench_sites, bench_posts').execute(db)
  await sql.raw('vacuum analyze').execute(db)
  await sql.raw('checkpoint').execute(db)
  await sql`create table bench_size as select ${size.posts}::int as posts, ${size.deliveries}::int as deliveries`.execute(
    db,
  )
  step('vacuum', true)
}

/** Reports on standard error the current step, and how long an ended step took. */
function progress(): (what: string, ended?: boolean) => void {
  let from = performance.now()
  return (what, ended = false) => {
    process.stderr.write(`\r${what}${ended ? `: ${((performance.now() - from) / 1000).toFixed(0)} s\n` : ' '}`)
    if (ended) from = performance.now()
  }
}

async function seedAccounts(ctx: Context): Promise<void> {
  const slots: string[] = []
  for (const { accounts, sitesEach, slotsEach } of GROUPS) {
    const sites = await seedSites(ctx, { accounts, sitesEach, urlOf: () => 'https://blog.example.com/webhooks' })
    for (const accountId of new Set(sites.map((site) => site.accountId)))
      for (let slot = 0; slot < slotsEach; slot += 1) slots.push(accountId)
  }
  await sql.raw('create unlogged table bench_slots (slot int primary key, account_id uuid)').execute(ctx.db.root)
  await sql`
    insert into bench_slots select n - 1, id from unnest(${slots}::uuid[]) with ordinality as s (id, n)
  `.execute(ctx.db.root)
  await sql.raw(SITES).execute(ctx.db.root)
}

const SITES = `
create unlogged table bench_sites as
  select account_id, row_number() over (partition by account_id order by site_id) - 1 as k,
    count(*) over (partition by account_id) as of_account, site_id
  from endpoints;
create unique index on bench_sites (account_id, k);
analyze bench_sites;
`

/** The vectors are those of `searchVector`, made from parts. */
async function seedTexts(db: Db): Promise<void> {
  const { paragraphs, titles } = makeTexts()
  await sql`
    create unlogged table bench_paragraphs as
    select n - 1 as k, text, '<p>' || text || '</p>' as html,
      json_build_object('type', 'paragraph', 'content', json_build_array(json_build_object('type', 'text', 'text', text)))::text as json,
      setweight(to_tsvector('english', text), 'B') as stemmed, setweight(to_tsvector('simple', text), 'B') as plain
    from unnest(array(select json_array_elements_text(${JSON.stringify(paragraphs)}::json))) with ordinality as t (text, n)
  `.execute(db)
  await sql`
    create unlogged table bench_titles as
    select n - 1 as k, text, setweight(to_tsvector('english', text), 'A') || setweight(to_tsvector('simple', text), 'A') as vector
    from unnest(array(select json_array_elements_text(${JSON.stringify(titles)}::json))) with ordinality as t (text, n)
  `.execute(db)
  await sql.raw('create unique index on bench_paragraphs (k); create unique index on bench_titles (k)').execute(db)
  await sql.raw('analyze bench_paragraphs; analyze bench_titles').execute(db)
}

/** Every post's number, id, time, account and status; and for published posts how many deliveries there were until it. */
async function plan(db: Db, { posts, deliveries }: Size): Promise<void> {
  await sql`
    create unlogged table bench_posts as
    select *, (floor(nth * ${deliveries}::numeric / last_value(nth) over (order by n rows between unbounded preceding and unbounded following))
        - floor((nth - 1) * ${deliveries}::numeric / last_value(nth) over (order by n rows between unbounded preceding and unbounded following)))::int
        as delivered_to
    from (
      select *, count(*) filter (where status = 'published') over (order by n) as nth
      from (
        select n::int as n, uuidv7(at - now()) as id, at,
          case when n % 100 < 90 then 'published' when n % 100 < 97 then 'draft' else 'scheduled' end as status,
          n % 100 < 9 as named, account_id
        from generate_series(1, ${posts}::int) n
        cross join lateral (select now() - interval '2 hours' - interval '2 years' * (${posts} - n) / ${posts} as at) as time
        join bench_slots on slot = abs(hashint8extended(n, 1) % ${SLOTS})
      ) as post
    ) as counted
    order by n
  `.execute(db)
  await sql.raw('create unique index on bench_posts (n); analyze bench_posts').execute(db)
}

async function withoutTriggers(ctx: Context, work: (tx: Tx) => Promise<void>): Promise<void> {
  await ctx.db.tx(async (tx) => {
    await sql.raw('set local session_replication_role = replica; set local synchronous_commit = off').execute(tx)
    await work(tx)
  })
}

/** Runs `insert` for the posts in parts, two parts at a time, without triggers. */
async function inParts(
  ctx: Context,
  posts: number,
  step: (what: string) => void,
  insert: (tx: Tx, from: number, to: number) => Promise<void>,
): Promise<void> {
  let next = 1
  const work = async () => {
    while (next <= posts) {
      const from = next
      next += POSTS_PER_STATEMENT
      await withoutTriggers(ctx, (tx) => insert(tx, from, Math.min(posts, from + POSTS_PER_STATEMENT - 1)))
      step(`of post ${Math.min(from + POSTS_PER_STATEMENT - 1, posts).toLocaleString('en-US')}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

async function insertPosts(tx: Tx, from: number, to: number): Promise<void> {
  await sql`
    insert into posts (id, account_id, version, slug, title, excerpt, body_html, body_markdown, body_json, meta, tags, status,
      scheduled_at, published_at, visible_to_all, search, created_at, updated_at)
    select p.id, p.account_id, 1, 'post-' || p.n, t.text, left(a.text, 150), a.html || b.html || c.html,
      concat_ws(E'\n\n', a.text, b.text, c.text), ('{"type":"doc","content":[' || concat_ws(',', a.json, b.json, c.json) || ']}')::jsonb,
      jsonb_build_object('title', t.text, 'description', left(a.text, 150)), array['topic-' || p.n % 40, 'series-' || p.n % 2000],
      p.status, case when p.status = 'scheduled' then now() + interval '1 year' + interval '1 minute' * p.n end,
      case when p.status = 'published' then p.at end, p.status = 'published' and not p.named,
      t.vector || a.stemmed || b.stemmed || c.stemmed || a.plain || b.plain || c.plain || array_to_tsvector(array[
        '^' || p.account_id, '^' || p.account_id || '/' || floor(extract(epoch from p.at) / 86400)
      ]), p.at, p.at
    from bench_posts p
    join bench_titles t on t.k = abs(hashint8extended(p.n, 2) % (select count(*) from bench_titles))
    join bench_paragraphs a on a.k = abs(hashint8extended(p.n, 3) % (select count(*) from bench_paragraphs))
    join bench_paragraphs b on b.k = abs(hashint8extended(p.n, 4) % (select count(*) from bench_paragraphs))
    join bench_paragraphs c on c.k = abs(hashint8extended(p.n, 5) % (select count(*) from bench_paragraphs))
    where p.n between ${from} and ${to} order by p.n
  `.execute(tx)
}

async function insertDeliveries(tx: Tx, from: number, to: number): Promise<void> {
  await sql`
    insert into deliveries (id, account_id, site_id, post_id, event_id, sequence, status, attempts, attempts_in_round, created_at,
      finished_at, response_code, response_time_ms, last_error)
    select uuidv7(p.at - now()), p.account_id, s.site_id, p.id, uuidv7(p.at - now()), 1, o.status, o.attempts, o.attempts, p.at,
      p.at + o.took, case o.status when 'failed' then 503 else 200 end, 20 + chance % 200, case o.status when 'failed' then 'http_error' end
    from bench_posts p
    cross join lateral generate_series(1, p.delivered_to) as j
    join bench_sites f on f.account_id = p.account_id and f.k = 0
    join bench_sites s on s.account_id = p.account_id and s.k = (p.n * 7::bigint + j) % f.of_account
    cross join lateral (select abs(hashint8extended(p.n * 1000::bigint + j, 6) % 1000) as chance) as c
    cross join lateral (select
      case when chance < 970 then 'delivered' when chance < 990 then 'delivered_retry' else 'failed' end as status,
      case when chance < 970 then 1 when chance < 990 then 2 else 4 end as attempts,
      case when chance < 970 then interval '1 second' when chance < 990 then interval '31 seconds' else interval '36 minutes' end as took
    ) as o
    where p.n between ${from} and ${to} and p.status = 'published' order by p.n
  `.execute(tx)
}

/** Drops the table's indexes and rebuilds them after `work`, which takes a fraction of the time. Those of constraints stay. */
async function withoutIndexes(ctx: Context, table: string, work: () => Promise<void>): Promise<void> {
  const { rows } = await sql<{ indexname: string; indexdef: string }>`
    select indexname, indexdef from pg_indexes i where tablename = ${table} and not exists (
      select from pg_constraint c where c.conindid = format('%I.%I', i.schemaname, i.indexname)::regclass)
  `.execute(ctx.db.root)
  for (const { indexname } of rows) await sql`drop index ${sql.id(indexname)}`.execute(ctx.db.root)
  await work()
  await ctx.db.tx(async (tx) => {
    await sql.raw("set local maintenance_work_mem = '1GB'; set local max_parallel_maintenance_workers = 2").execute(tx)
    for (const { indexdef } of rows) await sql.raw(indexdef).execute(tx)
  })
}

/** The sites that a post not for all was published to. */
const NAMED_SITES = `
insert into post_sites (account_id, post_id, site_id, named, sent, published_at)
  select p.account_id, p.id, s.site_id, true, true, p.at
  from bench_posts p cross join generate_series(0, 4) j
  join bench_sites f on f.account_id = p.account_id and f.k = 0
  join bench_sites s on s.account_id = p.account_id and s.k = (p.n * 7::bigint + j) % f.of_account
  where p.named and p.status = 'published' order by p.n;
`

/** What settling would have counted. */
const ROLL_UPS = `
insert into delivery_hours (account_id, site_id, hour, delivered, failed, retried, delivered_ms)
  select account_id, site_id, date_trunc('hour', finished_at, 'UTC'), count(*) filter (where status <> 'failed'),
    count(*) filter (where status = 'failed'), count(*) filter (where attempts > 1),
    coalesce(sum(response_time_ms) filter (where status <> 'failed'), 0)
  from deliveries group by 1, 2, 3 order by 3, 1, 2;
insert into delivery_days (account_id, site_id, day, delivered, failed, retried, delivered_ms)
  select account_id, site_id, date_trunc('day', hour, 'UTC'), sum(delivered), sum(failed), sum(retried), sum(delivered_ms)
  from delivery_hours group by 1, 2, 3 order by 3, 1, 2;
update lanes l set delivered = s.delivered, failed = s.failed, last_delivered_at = s.last
  from (select site_id, count(*) filter (where status <> 'failed') as delivered, count(*) filter (where status = 'failed') as failed,
    max(finished_at) filter (where status <> 'failed') as last from deliveries group by site_id) s
  where s.site_id = l.site_id;
`
