/** Imports, as whoever begins one sees them. */
import type { Readable } from 'node:stream'
import { forgetLoose, noteLoose } from '../../media/index.ts'
import { plusMs } from '../../platform/clock.ts'
import type { Context } from '../../platform/context.ts'
import type { Db } from '../../platform/db/database.ts'
import { fail, invalid } from '../../platform/errors.ts'
import { isId } from '../../platform/ids.ts'
import { cancelJob, enqueueJob } from '../../platform/jobs/queue.ts'
import type { ImportRow, ImportStatus, ItemRow } from '../tables.ts'
import { digestOf } from './decide.ts'
import { IMPORT_JOB, type ImportWork } from './jobs.ts'
import { countPictures } from './picture-store.ts'
import { folderOf, pictureKeeper } from './pictures.ts'
import { type Reading, readFile } from './read/read-file.ts'
import { withReceived } from './receive.ts'
import { FileRefused, type Found, type ImportLoss, isRefused, MOST_POSTS } from './source-post.ts'
import {
  authorsOf,
  type Counts,
  countItems,
  deleteImport,
  findImport,
  type ItemFilter,
  insertImport,
  insertItems,
  listImports,
  listItems,
  lossesOf,
  type NewItem,
  removeOldImports,
  setStatus,
} from './store.ts'

/** An import, with what is known of its entries. */
export type Import = { row: ImportRow; counts: Counts }
/** The same, with what all of them say together. */
export type ImportReport = Import & {
  authors: Array<{ name: string; posts: number }>
  losses: Array<ImportLoss & { posts: number }>
  pictures: number
}

const NOTHING: Counts = {
  ...{ total: 0, looked: 0, done: 0, undone: 0, kept: 0, lossy: 0, media: 0, redirects: 0 },
  ...{ new: 0, same: 0, changed: 0, refused: 0 },
}

function importNotFound(): Error {
  return fail('not_found', 'There is no such import.')
}

/**
 * Reads a file into the database, and has its posts looked at. Throws `invalid` on `file` if it is none that can be imported, and `too_large`.
 * Nothing is left of a file that was refused.
 */
export async function createImport(
  ctx: Context,
  accountId: string,
  upload: { bytes: Readable; type: string; header: string | undefined },
  givenName: string | undefined,
): Promise<ImportReport> {
  const id = ctx.ids.next()
  const one = { id, accountId }
  await withReceived(ctx, { ...upload, mostBytes: ctx.config.importBytes }, async ({ path, name }) => {
    try {
      await readFile(
        path,
        (archive) => pictureKeeper(ctx, one, archive),
        (reading) => readInto(ctx, accountId, id, reading, givenName ?? name ?? ''),
      )
    } catch (error) {
      await deleteImport(ctx.db.root, id)
      if (error instanceof FileRefused) throw invalid('file', error.message, error)
      throw error
    }
  })
  await ctx.db.tx(async (tx) => {
    await setStatus(tx, id, 'reading', ctx.clock.now())
    await forgetLoose(tx, folderOf(one))
    await enqueueJob(ctx, tx, jobOf(accountId, id, { task: 'look' }))
  })
  return getImport(ctx, accountId, id)
}

function jobOf(accountId: string, id: string, payload: ImportWork) {
  return { kind: IMPORT_JOB, key: id, accountId, payload }
}

/** Rows are stored when they have this much text, or are so many. */
const BATCH = { characters: 1024 * 1024, rows: 200 }

async function readInto(ctx: Context, accountId: string, id: string, reading: Reading, name: string): Promise<void> {
  const { root } = ctx.db
  const clean = name.toWellFormed().replaceAll('\0', '').trim().slice(0, 200)
  const row = { id, account_id: accountId, name: clean, format: reading.format, created_at: ctx.clock.now() }
  await insertImport(root, row)
  let batch: NewItem[] = []
  let [characters, place] = [0, 0]
  for await (const found of reading.posts) {
    if (place === MOST_POSTS) throw new FileRefused(`The file has more than ${MOST_POSTS} posts. Split it.`)
    batch.push(itemOf(found, place))
    place += 1
    characters += batch.at(-1)?.source?.length ?? 0
    if (characters < BATCH.characters && batch.length < BATCH.rows) continue
    await insertItems(root, id, batch)
    batch = []
    characters = 0
  }
  await insertItems(root, id, batch)
  if (place === 0) throw new FileRefused('There are no posts in the file.')
}

function itemOf(found: Found, place: number): NewItem {
  const clean = (text: string, most: number) => text.toWellFormed().replaceAll('\0', '').slice(0, most).toWellFormed()
  const item = { place, sourceId: clean(found.sourceId, 2_000), title: clean(found.title, 300) }
  if (isRefused(found)) return { ...item, author: null, source: null, digest: null, reason: clean(found.reason, 500) }
  const author = clean(found.author ?? '', 200).trim()
  const source = JSON.stringify(found)
  return { ...item, author: author === '' ? null : author, source, digest: digestOf(found), reason: null }
}

/** One import with its report. Throws `not_found`. */
export async function getImport(ctx: Context, accountId: string, id: string): Promise<ImportReport> {
  return reportOn(ctx.db.root, await oneImport(ctx.db.root, accountId, id))
}

async function oneImport(db: Db, accountId: string, id: string, locked = false): Promise<ImportRow> {
  const row = isId(id) ? await findImport(db, accountId, id, { locked }) : undefined
  if (row === undefined) throw importNotFound()
  return row
}

async function reportOn(db: Db, row: ImportRow): Promise<ImportReport> {
  const counts = (await countItems(db, [row.id])).get(row.id) ?? NOTHING
  const [authors, losses] = [await authorsOf(db, row.id), await lossesOf(db, row.id)]
  return { row, counts, authors, losses, pictures: await countPictures(db, row.id) }
}

type PageRequest = { page: number; limit: number }

/** A page of the account's imports, newest first. */
export async function listImportsPage(
  ctx: Context,
  accountId: string,
  { page, limit }: PageRequest,
): Promise<{ imports: Import[]; total: number }> {
  const { rows, total } = await listImports(ctx.db.root, accountId, { limit, offset: (page - 1) * limit })
  const counts = await countItems(
    ctx.db.root,
    rows.map(({ id }) => id),
  )
  return { imports: rows.map((row) => ({ row, counts: counts.get(row.id) ?? NOTHING })), total }
}

/** A page of an import's entries. Throws `not_found`. */
export async function listItemsPage(
  ctx: Context,
  accountId: string,
  id: string,
  filter: ItemFilter,
  { page, limit }: PageRequest,
): Promise<{ rows: ItemRow[]; total: number }> {
  const { id: importId } = await oneImport(ctx.db.root, accountId, id)
  return listItems(ctx.db.root, importId, filter, { limit, offset: (page - 1) * limit })
}

/** Begins to import what is ready; `pictures`: those on other hosts are taken over. Throws `not_found`, and `conflict` for any other state. */
export async function runImport(
  ctx: Context,
  accountId: string,
  id: string,
  { pictures }: { pictures: boolean },
): Promise<ImportReport> {
  return ctx.db.tx(async (tx) => {
    const row = await oneImport(tx, accountId, id, true)
    if (row.status !== 'ready')
      throw fail('conflict', `The import is ${row.status}. Only one that is ready can be run.`, { field: 'status' })
    const status: ImportStatus = 'importing'
    await setStatus(tx, row.id, status, ctx.clock.now())
    await enqueueJob(ctx, tx, jobOf(accountId, row.id, { task: 'run', pictures }))
    return reportOn(tx, { ...row, status })
  })
}

/**
 * Undoes an import that did something already, and stops it if it still runs; forgets any other (undefined). Throws `not_found`.
 */
export async function removeImport(ctx: Context, accountId: string, id: string): Promise<ImportReport | undefined> {
  return ctx.db.tx(async (tx) => {
    const row = await oneImport(tx, accountId, id, true)
    const { counts, ...report } = await reportOn(tx, row)
    const isDone = counts.done > counts.undone + counts.kept
    if (row.status === 'undoing') return { counts, ...report }
    if (!isDone) {
      await cancelJob(ctx, tx, { kind: IMPORT_JOB, key: row.id })
      await deleteImport(tx, row.id)
      await noteLoose(tx, folderOf({ id: row.id, accountId }), ctx.clock.now())
      return undefined
    }
    const status: ImportStatus = 'undoing'
    await setStatus(tx, row.id, status, ctx.clock.now())
    await enqueueJob(ctx, tx, jobOf(accountId, row.id, { task: 'undo' }))
    return { counts, ...report, row: { ...row, status } }
  })
}

const DAY_MS = 24 * 3_600_000
const OLD_AT_ONCE = 10

/**
 * Removes some of the imports that nothing has happened to for thirty days, and what is left of uploads that broke off a day ago; posts stay.
 * Returns whether there may be more.
 */
export async function forgetOldImports({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<boolean> {
  const now = clock.now()
  return db.tx(async (tx) => {
    const limits = { before: plusMs(now, -30 * DAY_MS), begunBefore: plusMs(now, -DAY_MS), limit: OLD_AT_ONCE }
    const removed = await removeOldImports(tx, limits)
    for (const one of removed) await noteLoose(tx, folderOf(one), now)
    return removed.length === OLD_AT_ONCE
  })
}
