/** The public addresses of pictures: what browsers of a site's visitors ask for, and what sites copy. Nobody has to log in. */
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { BlobError, type Blobs, type OpenBlob } from '../platform/blobs/blobs.ts'
import type { Context } from '../platform/context.ts'
import { fail, unavailable } from '../platform/errors.ts'
import type { Reply } from '../platform/http/endpoint.ts'
import { isKnown } from '../platform/http/etag.ts'
import type { SystemRoute } from '../platform/http/pipeline.ts'
import { ProcessEnded } from '../platform/own-process.ts'
import { makeScratch } from '../platform/scratch.ts'
import { blobsOf } from './operations.ts'
import { convertPicture } from './pictures/process.ts'
import { findByHash } from './queries.ts'
import type { MediumRow } from './tables.ts'
import { askedVariant, keyOf, type Variant } from './variants.ts'

/**
 * The bytes at an address never change. Whatever a picture may also be to another reader, a browser runs nothing of it: not by a guess
 * at its type, not in a page of its own.
 */
const HEADERS = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
}

/** `GET /media/{hash}/{name}`: any name will do. */
export function pictureRoute(ctx: Context): SystemRoute {
  return {
    path: '/media/{hash}/{name}',
    answer: ({ url, header }, _progress, { hash = '' }) => answer(ctx, { url, header, hash }),
  }
}

type Asked = { url: string; hash: string; header(name: string): string | undefined }

async function answer(ctx: Context, { url, header, hash }: Asked): Promise<Reply> {
  const medium = /^[0-9a-f]{32}$/.test(hash) ? await findByHash(ctx.db.root, hash) : undefined
  if (medium === undefined) throw notFound()
  const variant = askedVariant(new URLSearchParams(url.split('?', 2)[1] ?? ''), medium)
  const { type } = variant ?? medium
  const tag = `"${medium.sha256.slice(0, 32)}${variant === undefined ? '' : `-${variant.width}-${type.slice(6)}`}"`
  const headers = { ...HEADERS, ETag: tag }
  if (isKnown(tag, header('if-none-match'))) return { status: 304, headers }
  const { bytes, pieces } = await openFile(ctx, medium, variant).catch((error: unknown) => {
    if (!(error instanceof BlobError || error instanceof ProcessEnded)) throw error
    throw unavailable('The picture cannot be served just now. Try again shortly.', error)
  })
  return { status: 200, stream: pieces, headers: { ...headers, 'Content-Type': type, 'Content-Length': String(bytes) } }
}

function notFound(): Error {
  return fail('not_found', 'There is no such picture, or it was removed.')
}

async function openFile(ctx: Context, medium: MediumRow, variant: Variant | undefined): Promise<OpenBlob> {
  const blobs = blobsOf(ctx)
  const opened = await blobs.open(keyOf(medium, variant))
  if (opened !== undefined) return opened
  const made = variant === undefined ? undefined : await openMade(ctx, blobs, medium, variant)
  if (made !== undefined) return made
  ctx.log.error('media.file_missing', { media_id: medium.id, key: keyOf(medium, variant), place: blobs.place })
  throw notFound()
}

/** Makes a variant, keeps it and opens it; undefined if the picture itself is missing. */
async function openMade(
  ctx: Context,
  blobs: Blobs,
  medium: MediumRow,
  variant: Variant,
): Promise<OpenBlob | undefined> {
  const original = await blobs.open(keyOf(medium))
  if (original === undefined) return undefined
  const key = keyOf(medium, variant)
  const base = join(ctx.scratch, ctx.ids.next())
  const [path, targetPath] = [`${base}.original`, `${base}.made`]
  try {
    await makeScratch(ctx)
    await pipeline(original.pieces, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    const conversion = { path, targetPath, ...variant }
    const isMade = await convertPicture(medium.account_id, () => blobs.has(key), conversion)
    if (isMade) await blobs.put(key, targetPath)
    return await blobs.open(key)
  } finally {
    await rm(path, { force: true })
    await rm(targetPath, { force: true })
  }
}
