/** The tables of imports. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { prepared } from '../../platform/db/statements.ts'
import type { ImportRow, ImportStatus, ItemRow, Outcome } from '../tables.ts'
import type { ImportLoss, Redirect } from './source-post.ts'

/** An entry of a file that was read and not looked at yet; one with a reason is refused. */
export type NewItem = {
  place: number
  sourceId: string
  title: string
  author: string | null
  source: string | null
  digest: string | null
  reason: string | null
}

/** Stores a new import. */
export async function insertImport(db: Db, row: Omit<ImportRow, 'problem' | 'updated_at' | 'status'>): Promise<void> {
  await db
    .insertInto('imports')
    .values({ ...row, status: 'receiving', problem: null, updated_at: row.created_at })
    .execute()
}

/** Stores entries of a file. */
export async function insertItems(db: Db, importId: string, items: readonly NewItem[]): Promise<void> {
  if (items.length === 0) return
  const rows = items.map(({ sourceId, reason, ...item }) => ({
    ...item,
    import_id: importId,
    source_id: sourceId,
    reason,
    outcome: reason === null ? null : ('refused' as const),
  }))
  await db.insertInto('import_items').values(rows).execute()
}

/** One import of the account; `locked` until the transaction ends. */
export async function findImport(
  db: Db,
  accountId: string,
  id: string,
  { locked = false } = {},
): Promise<ImportRow | undefined> {
  return db
    .selectFrom('imports')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('status', '<>', 'receiving')
    .$if(locked, (rows) => rows.forUpdate())
    .$narrowType<{ status: ImportStatus }>()
    .executeTakeFirst()
}

/** A page of the account's imports, newest first, and how many there are. */
export async function listImports(
  db: Db,
  accountId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: ImportRow[]; total: number }> {
  const own = db.selectFrom('imports').where('account_id', '=', accountId).where('status', '<>', 'receiving')
  const rows = await own
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .$narrowType<{ status: ImportStatus }>()
    .execute()
  const { total } = await own.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return { rows, total }
}

/** Changes the state of an import. */
export async function setStatus(
  db: Db,
  id: string,
  status: ImportStatus,
  now: Date,
  problem: string | null = null,
): Promise<void> {
  await db.updateTable('imports').set({ status, problem, updated_at: now }).where('id', '=', id).execute()
}

/** Removes an import, with what was read of its file; its posts stay. */
export async function deleteImport(db: Db, id: string): Promise<void> {
  await db.deleteFrom('imports').where('id', '=', id).execute()
}

/** How many entries of an import are in which state. */
export type Counts = {
  total: number
  looked: number
  done: number
  undone: number
  kept: number
  lossy: number
  media: number
  redirects: number
} & Record<Outcome, number>

/** Counts the entries of imports, by their ids. */
export async function countItems(db: Db, ids: readonly string[]): Promise<Map<string, Counts>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<Counts & { id: string }>`
    select import_id as id, count(*) as total, count(outcome) as looked, count(post_id) as done,
      count(*) filter (where undone) as undone, count(*) filter (where not undone) as kept,
      count(*) filter (where outcome = 'new') as new, count(*) filter (where outcome = 'same') as same,
      count(*) filter (where outcome = 'changed') as changed, count(*) filter (where outcome = 'refused') as refused,
      count(*) filter (where losses <> '[]') as lossy,
      coalesce(sum(jsonb_array_length(media)), 0)::int as media, coalesce(sum(jsonb_array_length(redirects)), 0)::int as redirects
    from import_items where import_id in (${sql.join(ids)}) group by import_id
  `.execute(db)
  return new Map(rows.map(({ id, ...counts }) => [id, counts]))
}

/** The authors that a file names, with how many of its posts are theirs; those with the most posts first. */
export async function authorsOf(db: Db, importId: string): Promise<Array<{ name: string; posts: number }>> {
  return db
    .selectFrom('import_items')
    .select((eb) => [eb.ref('author').$notNull().as('name'), eb.fn.countAll<number>().as('posts')])
    .where('import_id', '=', importId)
    .where('author', 'is not', null)
    .groupBy('author')
    .orderBy('posts', 'desc')
    .orderBy('author')
    .limit(100)
    .execute()
}

/** What was lost in all, by kind; the most frequent first. `posts`: in how many. */
export async function lossesOf(db: Db, importId: string): Promise<Array<ImportLoss & { posts: number }>> {
  const { rows } = await sql<ImportLoss & { posts: number }>`
    select loss->>'code' as code, loss->>'message' as message, sum((loss->>'count')::int)::int as count, count(*) as posts
    from import_items, jsonb_array_elements(losses) as loss
    where import_id = ${importId} group by 1, 2 order by posts desc, 2 limit 100
  `.execute(db)
  return rows
}

/** Which entries to list. */
export type ItemFilter = { outcome?: Outcome | undefined; lossy?: boolean | undefined }

/** A page of an import's entries, in the order of the file, and how many there are. */
export async function listItems(
  db: Db,
  importId: string,
  { outcome, lossy }: ItemFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: ItemRow[]; total: number }> {
  const matching = db
    .selectFrom('import_items')
    .where('import_id', '=', importId)
    .where('outcome', 'is not', null)
    .$if(outcome !== undefined, (rows) => rows.where('outcome', '=', outcome ?? null))
    .$if(lossy === true, (rows) => rows.where(sql<boolean>`losses <> '[]'`))
  const rows = await matching.selectAll().orderBy('place').limit(limit).offset(offset).execute()
  const { total } = await matching.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return { rows, total }
}

/** Entries that nobody has looked at, in the order of the file. */
export async function unseenItems(db: Db, importId: string, limit: number): Promise<ItemRow[]> {
  return db
    .selectFrom('import_items')
    .selectAll()
    .where('import_id', '=', importId)
    .where('outcome', 'is', null)
    .orderBy('place')
    .limit(limit)
    .execute()
}

/** The next entry behind a place that is to become a post, or to change one. */
export async function nextToDo(db: Db, importId: string, place: number): Promise<ItemRow | undefined> {
  return db
    .selectFrom('import_items')
    .selectAll()
    .where('import_id', '=', importId)
    .where('outcome', 'in', ['new', 'changed'])
    .where('post_id', 'is', null)
    .where('place', '>', place)
    .orderBy('place')
    .limit(1)
    .executeTakeFirst()
}

/** The next entry behind a place whose effect is to be undone. */
export async function nextToUndo(db: Db, importId: string, place: number): Promise<ItemRow | undefined> {
  return db
    .selectFrom('import_items')
    .selectAll()
    .where('import_id', '=', importId)
    .where('post_id', 'is not', null)
    .where('undone', 'is', null)
    .where('place', '>', place)
    .orderBy('place')
    .limit(1)
    .executeTakeFirst()
}

/** Refuses entries that are in the file twice, but for the first of each. */
export async function refuseRepeated(db: Db, importId: string): Promise<void> {
  await sql`
    update import_items i set outcome = 'refused', source = null, reason = 'The same post is in the file a second time.'
    where import_id = ${importId} and outcome is null and exists (
      select from import_items e where e.import_id = i.import_id and e.source_id = i.source_id and e.place < i.place
    )
  `.execute(db)
}

/** What is found out about an entry, or what became of it. */
export type ItemChange = Partial<
  Pick<
    ItemRow,
    'outcome' | 'reason' | 'slug' | 'source' | 'post_id' | 'version' | 'left_at' | 'former_version' | 'undone'
  >
> & { losses?: ImportLoss[]; media?: string[]; redirects?: Redirect[] }

/** Changes an entry. */
export async function updateItem(
  db: Db,
  { import_id: importId, place }: Pick<ItemRow, 'import_id' | 'place'>,
  { losses, media, redirects, ...change }: ItemChange,
): Promise<void> {
  const lists = Object.entries({ losses, media, redirects }).flatMap(([name, list]) =>
    list === undefined ? [] : [[name, JSON.stringify(list)]],
  )
  await db
    .updateTable('import_items')
    .set({ ...change, ...Object.fromEntries(lists) })
    .where('import_id', '=', importId)
    .where('place', '=', place)
    .execute()
}

/** Where a post of the account once came from. */
export type Origin = { postId: string; digest: string; version: number }

/** The post that came from this source, if it is still there. */
export async function originOf(db: Db, accountId: string, sourceId: string): Promise<Origin | undefined> {
  return db
    .selectFrom('imported_posts')
    .select(['post_id as postId', 'digest', 'version'])
    .where('account_id', '=', accountId)
    .where('source_id', '=', sourceId)
    .executeTakeFirst()
}

/** Keeps where a post came from. */
export async function noteOrigin(tx: Tx, accountId: string, sourceId: string, origin: Origin): Promise<void> {
  await prepared(sql`
    insert into imported_posts (account_id, source_id, post_id, digest, version)
    values (${accountId}, ${sourceId}, ${origin.postId}, ${origin.digest}, ${origin.version})
    on conflict (account_id, source_id) do update
    set post_id = excluded.post_id, digest = excluded.digest, version = excluded.version
  `).execute(tx)
}

/** Removes imports that nothing has happened to since `before`, or since `begunBefore` if their files never came whole: at most `limit`. */
export async function removeOldImports(
  db: Db,
  { before, begunBefore, limit }: { before: Date; begunBefore: Date; limit: number },
): Promise<Array<{ id: string; accountId: string }>> {
  const { rows } = await sql<{ id: string; accountId: string }>`
    delete from imports where id in (
      select id from imports where updated_at < ${before} or (updated_at < ${begunBefore} and status = 'receiving')
      order by updated_at limit ${limit}
    ) returning id, account_id as "accountId"
  `.execute(db)
  return rows
}
