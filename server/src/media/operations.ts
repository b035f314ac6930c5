/**
 * Pictures: adding, finding, changing and removing them. What is kept of a picture is what is served of it: nothing that says where it was
 * taken. The row is written when the file is in its place, so that no address ever leads to half of one. Before a file is put there, and with
 * the row that is removed, its folder is noted as loose: whatever happens between, `removeLooseFiles` removes what no row names.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { BlobError, type Blobs } from '../platform/blobs/blobs.ts'
import { plusMs } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Db, Tx } from '../platform/db/database.ts'
import { fail, invalid, unavailable } from '../platform/errors.ts'
import { isId } from '../platform/ids.ts'
import { errorField } from '../platform/log.ts'
import { makeScratch } from '../platform/scratch.ts'
import { fileName } from './names.ts'
import { inspectPicture } from './pictures/process.ts'
import {
  addressHash,
  deleteMedium,
  findByBytes,
  findMedium,
  forgetLoose,
  insertMedium,
  lockMedium,
  looseFolders,
  noteLoose,
  updateMedium,
} from './queries.ts'
import type { Received } from './receive.ts'
import type { MediumRow } from './tables.ts'
import { folderOf, keyOf } from './variants.ts'

/** A post that a picture is in. */
export type Use = { id: string; title: string; status: string }
/** The posts that pictures are in, by their SHA-256: of each the newest twenty. */
export type UsesOf = (
  db: Db,
  accountId: string,
  pictures: ReadonlyArray<Pick<MediumRow, 'sha256' | 'hash'>>,
) => Promise<Map<string, Use[]>>

/** Where pictures are kept. Throws `unavailable` if the operator has set no place. */
export function blobsOf({ blobs }: Pick<Context, 'blobs'>): Blobs {
  if (blobs === undefined)
    throw fail(
      'unavailable',
      'This service keeps no pictures yet: its operator must set DATA_DIR to a directory that all its processes share and that lasts, or MEDIA_STORE=s3 with a bucket.',
    )
  return blobs
}

/** Adds a picture, which `receive` writes to the path that it gets. The same bytes again are the same picture. */
export async function addMedium(
  ctx: Context,
  accountId: string,
  receive: (path: string) => Promise<Received>,
): Promise<MediumRow> {
  const blobs = blobsOf(ctx)
  const base = join(ctx.scratch, ctx.ids.next())
  const [path, plainPath] = [`${base}.upload`, `${base}.plain`]
  try {
    await makeScratch(ctx)
    return await placingFiles(async () => keep(ctx, blobs, accountId, await receive(path), plainPath))
  } finally {
    await rm(path, { force: true })
    await rm(plainPath, { force: true })
  }
}

/** Runs work that puts files in their place. Throws `unavailable` where that cannot be done just now. */
export async function placingFiles<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC')
      throw unavailable('There is no space left for pictures. The operator must make some.', error)
    if (error instanceof BlobError)
      throw unavailable('Pictures cannot be kept just now. The operator finds the reason in the log.', error)
    throw error
  }
}

async function keep(
  ctx: Context,
  blobs: Blobs,
  accountId: string,
  { path, sha256: source, name, alt }: Received,
  plainPath: string,
): Promise<MediumRow> {
  const known = await findByBytes(ctx.db.root, accountId, source)
  if (known !== undefined) return known
  const found = await inspectPicture(accountId, path, plainPath)
  if ('refused' in found) throw invalid('file', found.refused)
  const { isPlain, ...shape } = found
  const kept = isPlain ? path : plainPath
  const { size: bytes } = await stat(kept)
  const sha256 = isPlain ? source : await hashOf(kept)
  const medium = {
    id: ctx.ids.next(),
    account_id: accountId,
    sha256,
    source_sha256: source,
    hash: addressHash(accountId, sha256),
    name: fileName(name, shape.type),
    alt: alt ?? '',
    ...shape,
    bytes,
    created_at: ctx.clock.now(),
  }
  await noteLoose(ctx.db.root, folderOf(medium), medium.created_at)
  await blobs.put(keyOf(medium), kept)
  const inserted = await ctx.db
    .tx(async (tx) => {
      const row = await insertMedium(tx, medium)
      if (row === undefined) return undefined
      await forgetLoose(tx, folderOf(medium))
      noteMedium(ctx, tx, row)
      return row
    })
    .catch(async (error: unknown) => {
      await removeFiles(ctx, blobs, medium)
      throw error
    })
  if (inserted !== undefined) return inserted
  await removeFiles(ctx, blobs, medium)
  return (await findByBytes(ctx.db.root, accountId, sha256)) ?? keepAgain()
}

/** Somebody uploaded the same bytes at the same time, and removed them at once. */
function keepAgain(): never {
  throw unavailable('The picture was removed while it was uploaded. Upload it again.')
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

function noteMedium(ctx: Pick<Context, 'changes'>, tx: Tx, { account_id: owner, id }: MediumRow): void {
  ctx.changes.note(tx, [{ owner, kind: 'medium', id }])
}

/** Throws `not_found`. */
export async function getMedium(ctx: Pick<Context, 'db'>, accountId: string, id: string): Promise<MediumRow> {
  const medium = isId(id) ? await findMedium(ctx.db.root, accountId, id) : undefined
  if (medium === undefined) throw notFound()
  return medium
}

function notFound(): Error {
  return fail('not_found', 'There is no such picture.')
}

/** Changes what a picture is called and what it shows. Its address goes by its bytes: the one with the old name leads to it too. */
export async function changeMedium(
  ctx: Context,
  accountId: string,
  id: string,
  { name, alt }: { name?: string | undefined; alt?: string | undefined },
): Promise<MediumRow> {
  const { type } = await getMedium(ctx, accountId, id)
  const change = {
    ...(name === undefined ? {} : { name: fileName(name, type) }),
    ...(alt === undefined ? {} : { alt }),
  }
  return ctx.db.tx(async (tx) => {
    const changed = await updateMedium(tx, accountId, id, change)
    if (changed === undefined) throw notFound()
    noteMedium(ctx, tx, changed)
    return changed
  })
}

/** Removes a picture. Throws `conflict` while posts have it, unless `force` says that they may lose it. */
export async function removeMedium(
  ctx: Context,
  accountId: string,
  id: string,
  { force, usesOf }: { force: boolean; usesOf: UsesOf },
): Promise<void> {
  const blobs = blobsOf(ctx)
  if (!isId(id)) throw notFound()
  const medium = await ctx.db.tx(async (tx) => {
    const locked = await lockMedium(tx, accountId, id)
    if (locked === undefined) throw notFound()
    const [use] = (await usesOf(tx, accountId, [locked])).get(locked.sha256) ?? []
    if (use !== undefined && !force)
      throw fail(
        'conflict',
        `The picture is in the post “${use.title}”, and used_in names all that have it. Take it out there first, or delete it with force=true: it is missing there then.`,
        { field: 'force' },
      )
    await deleteMedium(tx, id)
    await noteLoose(tx, folderOf(locked), ctx.clock.now())
    noteMedium(ctx, tx, locked)
    return locked
  })
  await removeFiles(ctx, blobs, medium)
}

/** Removes the files of a picture at once. What cannot be removed now is loose, and removed later. */
async function removeFiles(ctx: Pick<Context, 'log'>, blobs: Blobs, medium: MediumRow): Promise<void> {
  const folder = folderOf(medium)
  await blobs.removeFolder(folder).catch((error: unknown) => {
    ctx.log.warn('media.files_left', { folder, error: errorField(error) })
  })
}

/** Longer than anything takes that puts a file in its place, the making of a variant among it. */
const LOOSE_MS = 3_600_000
const LOOSE_AT_ONCE = 20

/** Removes files that have been loose for an hour. Returns whether there may be more. */
export async function removeLooseFiles({ blobs, clock, db, log }: Context): Promise<boolean> {
  if (blobs === undefined) return false
  const folders = await looseFolders(db.root, plusMs(clock.now(), -LOOSE_MS), LOOSE_AT_ONCE)
  for (const folder of folders)
    try {
      await blobs.removeFolder(folder)
      await forgetLoose(db.root, folder)
    } catch (error) {
      log.warn('media.files_left', { folder, error: errorField(error) })
      return false
    }
  return folders.length === LOOSE_AT_ONCE
}
