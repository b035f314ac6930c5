/** Whether a site has what it should have: a digest of it, and the differences. */
import { hash } from 'node:crypto'
import type { Context } from '../platform/context.ts'
import { enqueueSending, type Reader, visibleVersions } from '../posts/index.ts'

/** A post that a site has, or should have. */
type Held = { id: string; version: number }

/** What differs between what a site has and what it should have. */
export type Differences = {
  missing: Array<Held & { slug: string }>
  outdated: Array<Held & { slug: string }>
  extra: string[]
}

/** How many posts the site should have, and the SHA-256 of the lines `id:version` in the order of the ids, in hex. */
export async function pullDigest(ctx: Context, site: Reader): Promise<{ posts: number; digest: string }> {
  const posts = await visibleVersions(ctx.db.root, site)
  const lines = posts.map(({ id, version }) => `${id}:${version}`).sort()
  return { posts: posts.length, digest: hash('sha256', lines.join('\n'), 'hex') }
}

/** Compares what the site has with what it should have. With `send`, missing and outdated posts are sent to it, in the background. */
export async function compareHeld(
  ctx: Context,
  site: Reader,
  have: readonly Held[],
  send: boolean,
): Promise<Differences> {
  const should = await visibleVersions(ctx.db.root, site)
  const has = new Map(have.map(({ id, version }) => [id.toLowerCase(), version]))
  const missing = should.filter(({ id }) => !has.has(id))
  const outdated = should.filter(({ id, version }) => (has.get(id) ?? version) < version)
  const ids = new Set(should.map(({ id }) => id))
  const wanted = [...missing, ...outdated].map(({ id }) => id)
  if (send && wanted.length > 0) await ctx.db.tx((tx) => enqueueSending(ctx, tx, site, wanted))
  return { missing, outdated, extra: [...has.keys()].filter((id) => !ids.has(id)) }
}
