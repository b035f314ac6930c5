/** What a post was: listing its revisions, reading and comparing them, and going back to one. */
import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../platform/context.ts'
import { fail } from '../../platform/errors.ts'
import { differing, wholeChange } from '../changed.ts'
import { CONTENT_FIELDS, type ContentValues } from '../fields.ts'
import { withLockedPost } from '../locked.ts'
import { storedBody } from '../new-post.ts'
import { applyChange, type PostCheck } from '../operations.ts'
import { foundPost, type PostWithDeliveries, withDeliveries } from '../read.ts'
import type { PostsTx } from '../revision.ts'
import type { PostRow, RevisedBy } from '../tables.ts'
import { type BlockChange, diffDocuments } from './diff.ts'
import { findRevision, listRevisions, presentRevision, type Revision, type RevisionSummary } from './store.ts'

/** A page of a post's versions, newest first, the present one included. `cursor`: where the next page begins; null on the last. */
export async function revisionsOf(
  ctx: Context,
  accountId: string,
  id: string,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<{ revisions: RevisionSummary[]; cursor: string | null }> {
  const post = await foundPost(ctx, accountId, id)
  const present = before === undefined ? [presentRevision(post)] : []
  const former = await listRevisions(ctx.db.root, post.id, { before: before ?? post.version, limit: limit + 1 })
  const all = [...present, ...former]
  const page = all.slice(0, limit)
  return { revisions: page, cursor: all.length > limit ? String(page.at(-1)?.version) : null }
}

/** One version of a post. Throws `not_found` for one that never was or is not kept any more. */
export async function getRevision(ctx: Context, accountId: string, id: string, version: number): Promise<Revision> {
  return revisionOf(ctx, await foundPost(ctx, accountId, id), version)
}

/** The version that is kept before one; this one if there is none. */
async function versionBefore(ctx: Context, post: PostRow, version: number): Promise<number> {
  const [before] = await listRevisions(ctx.db.root, post.id, { before: version, limit: 1 })
  return before?.version ?? version
}

async function revisionOf(ctx: Context, post: PostRow, version: number): Promise<Revision> {
  const found = version === post.version ? presentRevision(post) : await findRevision(ctx.db.root, post.id, version)
  if (found === undefined) throw revisionNotFound()
  return found
}

function revisionNotFound(): Error {
  return fail('not_found', 'The post has no such version, or it is not kept any more.')
}

/** A field that differs between two versions. */
export type FieldChange = {
  [Name in keyof ContentValues]: { field: Name; from: ContentValues[Name]; to: ContentValues[Name] }
}[keyof ContentValues]

/**
 * What differs between two versions of a post: its fields, and the blocks of its text. By default the present one is compared with
 * the one before. Throws `not_found`.
 */
export async function compareRevisions(
  ctx: Context,
  accountId: string,
  id: string,
  asked: { from?: number | undefined; to?: number | undefined },
): Promise<{ from: number; to: number; fields: FieldChange[]; blocks: BlockChange[] }> {
  const post = await foundPost(ctx, accountId, id)
  const newer = await revisionOf(ctx, post, asked.to ?? post.version)
  const older = await revisionOf(ctx, post, asked.from ?? (await versionBefore(ctx, post, newer.version)))
  const fields = CONTENT_FIELDS.filter((name) => !isDeepStrictEqual(older.fields[name], newer.fields[name]))
  return {
    from: older.version,
    to: newer.version,
    fields: fields.map((field) => ({ field, from: older.fields[field], to: newer.fields[field] }) as FieldChange),
    blocks: diffDocuments(older.body_json, newer.body_json),
  }
}

/**
 * Gives a post the content of a former version, as a new one; what is published is sent to its sites like any other change. The address stays:
 * links lead to it. Going back to the present one changes nothing. Throws `not_found`.
 */
export async function restoreRevision(
  ctx: Context,
  accountId: string,
  id: string,
  version: number,
  check: PostCheck,
  by: RevisedBy,
): Promise<PostWithDeliveries> {
  const now = ctx.clock.now()
  return withLockedPost(ctx, accountId, id, async (tx, post) => {
    check(post)
    return withDeliveries(tx, await restoreLocked(ctx, tx, post, version, now, by))
  })
}

/** The same of a post that the transaction has locked. */
export async function restoreLocked(
  ctx: Context,
  tx: PostsTx,
  post: PostRow,
  version: number,
  now: Date,
  by: RevisedBy,
): Promise<PostRow> {
  if (version === post.version) return post
  const revision = await findRevision(tx, post.id, version)
  if (revision === undefined) throw revisionNotFound()
  const { slug: _, ...fields } = revision.fields
  return applyChange(ctx, tx, post, wholeChange(fields, post), differing(storedBody(revision), post), now, by)
}
