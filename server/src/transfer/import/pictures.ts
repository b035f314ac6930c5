/**
 * Pictures that come along. Those of an archive are kept beside the pictures of the library, in a folder of the import, until it is run:
 * the file is gone by then, and another process may run it. Only then are they opened and checked, as an upload is, and become pictures of the
 * library, the same bytes once. The import's row names the folder; without one it is loose.
 */
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import {
  addMedium,
  fetchPicture,
  findByBytes,
  findByHash,
  noteLoose,
  placingFiles,
  publicAddress,
  type Received,
  removeMedium,
} from '../../media/index.ts'
import type { Context } from '../../platform/context.ts'
import type { Db } from '../../platform/db/database.ts'
import { Failure } from '../../platform/errors.ts'
import { saveFile } from '../../platform/http/received-file.ts'
import { decodedPart } from '../../platform/http/url.ts'
import { makeScratch } from '../../platform/scratch.ts'
import { postsWithPictures } from '../../posts/index.ts'
import { ownParts } from './addresses.ts'
import { addedPictures, knownPicture, notePicture } from './picture-store.ts'
import type { Archive } from './read/archive.ts'
import type { KeepPicture } from './read/pictures.ts'
import { FileRefused, type ImportLoss, oneLoss, type SourcePost } from './source-post.ts'

/** An import, as far as its pictures are concerned. */
export type PictureImport = { id: string; accountId: string }

/** Where the pictures of an import lie until it is run. */
export function folderOf({ id, accountId }: PictureImport): string {
  return `${accountId}/${id}`
}

const nameOf = (path: string) => decodedPart(path.split('/').at(-1) ?? '')
const notTaken = (name: string, why: string) => oneLoss('picture', `The picture ${name} is not taken: ${why}`)

/** Keeps pictures of an archive for when the import is run, each once. */
export function pictureKeeper(ctx: Context, one: PictureImport, archive: Archive): KeepPicture {
  const kept = new Map<string, string | ImportLoss>()
  const { blobs, config } = ctx
  return async (file) => {
    const before = kept.get(file.path)
    if (before !== undefined) return before
    const name = nameOf(file.path)
    const { mostBytes } = config.media
    const most = `${Math.floor(mostBytes / 2 ** 20)} MiB`
    const found =
      blobs === undefined
        ? oneLoss('picture', 'This service keeps no pictures: its operator must set a place for them.')
        : file.bytes > mostBytes
          ? notTaken(name, `it is larger than ${most}.`)
          : ((await placingFiles(() => keep(ctx, one, () => archive.open(file)))) ??
            notTaken(name, 'its bytes in the archive are damaged.'))
    kept.set(file.path, found)
    return found
  }
}

/** Keeps a picture, and tells its SHA-256; undefined if its bytes cannot be unpacked, or are more than the archive says. */
async function keep(
  ctx: Context,
  one: PictureImport,
  open: () => ReturnType<Archive['open']>,
): Promise<string | undefined> {
  const path = join(ctx.scratch, `${ctx.ids.next()}.picture`)
  try {
    await makeScratch(ctx)
    const hash = createHash('sha256')
    const limit = { mostBytes: ctx.config.media.mostBytes, tooLarge: () => new FileRefused('A picture is too large.') }
    try {
      await saveFile(await open(), path, limit, (piece) => hash.update(piece))
    } catch (error) {
      if (error instanceof Error && 'syscall' in error) throw error
      return undefined
    }
    const sha256 = hash.digest('hex')
    if ((await knownPicture(ctx.db.root, one.id, sha256)) === undefined) {
      await noteLoose(ctx.db.root, folderOf(one), ctx.clock.now())
      await ctx.blobs?.put(`${folderOf(one)}/${sha256}`, path)
      await notePicture(ctx.db.root, one.id, sha256, { sha256 })
    }
    return sha256
  } finally {
    await rm(path, { force: true })
  }
}

/** The address of a picture that is in the library already: under its own address, or with the same bytes. */
async function addressHere(
  { config }: Pick<Context, 'config'>,
  db: Db,
  accountId: string,
  address: string,
  sha256: string,
): Promise<string | undefined> {
  const own = ownParts(address)
  if (own !== undefined && (await findByHash(db, own.hash))?.account_id === accountId)
    return /^https?:/.test(address) ? address : `${config.publicUrl}/media/${own.hash}/${own.name}`
  const medium = await findByBytes(db, accountId, sha256)
  return medium && publicAddress(config.publicUrl, medium)
}

/** The addresses that a post's pictures of the file have, or will have, of which what they are is not known before. */
export async function expectedAddresses(
  ctx: Context,
  accountId: string,
  { pictures = {} }: SourcePost,
): Promise<Map<string, string>> {
  const later = `${ctx.config.publicUrl}/media/${'0'.repeat(32)}/picture.jpg`
  const addresses = new Map<string, string>()
  for (const [address, sha256] of Object.entries(pictures))
    addresses.set(address, (await addressHere(ctx, ctx.db.root, accountId, address, sha256)) ?? later)
  return addresses
}

/** What became of a post's pictures: the addresses that they have now, and what is lost. */
export type Taken = { addresses: Map<string, string>; losses: ImportLoss[] }

/** Notes where a picture is now, or that it is lost. */
function note(taken: Taken, address: string, found: string | ImportLoss): void {
  if (typeof found === 'string') taken.addresses.set(address, found)
  else taken.losses.push(found)
}

/** Takes a post's pictures of the file into the library. `assertGoingOn` is called before each. */
export async function takePictures(
  ctx: Context,
  one: PictureImport,
  { pictures = {} }: SourcePost,
  assertGoingOn: () => void,
): Promise<Taken> {
  const taken: Taken = { addresses: new Map(), losses: [] }
  for (const [address, sha256] of Object.entries(pictures)) {
    assertGoingOn()
    const here = await addressHere(ctx, ctx.db.root, one.accountId, address, sha256)
    const found =
      here ?? (await takeOne(ctx, one, { source: sha256, name: nameOf(address) }, fromFolder(ctx, one, sha256)))
    note(taken, address, found)
  }
  return taken
}

type Receive = (path: string) => Promise<Pick<Received, 'path' | 'sha256'>>

function fromFolder({ blobs }: Context, one: PictureImport, sha256: string): Receive {
  return async (path) => {
    const file = await blobs?.open(`${folderOf(one)}/${sha256}`)
    if (file === undefined) throw new Error(`the picture ${sha256} of the import ${one.id} is gone`)
    await pipeline(file.pieces, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    return { path, sha256 }
  }
}

/** Adds a picture to the library, unless it is there, and tells its address. What is refused once is not tried again. */
async function takeOne(
  ctx: Context,
  { id, accountId }: PictureImport,
  { source, name, shown = name }: { source: string; name: string; shown?: string },
  receive: Receive,
): Promise<string | ImportLoss> {
  const { root } = ctx.db
  const before = await knownPicture(root, id, source)
  if (before?.problem != null) return notTaken(shown, before.problem)
  const there = before?.sha256 == null ? undefined : await findByBytes(root, accountId, before.sha256)
  if (there !== undefined) return publicAddress(ctx.config.publicUrl, there)
  try {
    const medium = await addMedium(ctx, accountId, async (path) => {
      const received = await receive(path)
      const isNew = (await findByBytes(root, accountId, received.sha256)) === undefined
      // Before it is there: whoever undoes the import is to find it.
      await notePicture(root, id, source, { sha256: received.sha256, ...(isNew ? { added: true } : {}) })
      return { ...received, name, alt: undefined }
    })
    return publicAddress(ctx.config.publicUrl, medium)
  } catch (error) {
    if (!(error instanceof Failure) || error.status >= 500) throw error
    await notePicture(root, id, source, { problem: error.message })
    return notTaken(shown, error.message)
  }
}

/** How many pictures of a host may fail one after the other, before the others are not tried. */
const MOST_FAILURES = 10
/** The most pictures of one post that are copied. */
const MOST_FETCHED = 200

/** Takes pictures on other hosts over, by their addresses, for all posts of an import: a host that answers nothing is left alone then. */
export function pictureFetcher(ctx: Context, one: PictureImport, assertGoingOn: () => void) {
  const failures = new Map<string, number>()
  return async (addresses: readonly string[]): Promise<Taken> => {
    const taken: Taken = { addresses: new Map(), losses: [] }
    if (addresses.length > MOST_FETCHED)
      taken.losses.push(
        oneLoss('picture', `It shows more than ${MOST_FETCHED} pictures: the others stay where they are.`),
      )
    for (const address of addresses.slice(0, MOST_FETCHED)) {
      assertGoingOn()
      const { host, pathname } = new URL(address)
      const failed = failures.get(host) ?? 0
      const receive = (path: string) => fetchPicture(ctx, address, path)
      const found =
        failed >= MOST_FAILURES
          ? notTaken(address, `${MOST_FAILURES} pictures of its host could not be taken before it.`)
          : await takeOne(ctx, one, { source: address, name: nameOf(pathname), shown: address }, receive)
      failures.set(host, typeof found === 'string' ? 0 : failed + 1)
      note(taken, address, found)
    }
    return taken
  }
}

/** Removes the pictures that the import has added to the library, but for those that a post has. */
export async function removeAdded(ctx: Context, { id, accountId }: PictureImport): Promise<void> {
  for (const sha256 of await addedPictures(ctx.db.root, id)) {
    const medium = await findByBytes(ctx.db.root, accountId, sha256)
    if (medium === undefined) continue
    await removeMedium(ctx, accountId, medium.id, { force: false, usesOf: postsWithPictures }).catch((error) => {
      if (!(error instanceof Failure) || error.status >= 500) throw error
    })
  }
}
