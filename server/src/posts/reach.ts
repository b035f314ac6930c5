/**
 * What a program's token reaches that is limited to sites: it sees the posts that one of its sites gets, drafts by the sites that they are
 * for, and changes those that no other site gets.
 */
import { sql } from 'kysely'
import { type AccountPrincipal, assertMay, type Reach, sitesOf } from '../accounts/index.ts'
import { fail } from '../platform/errors.ts'
import { ifMatchCheck } from '../platform/http/etag.ts'
import { isId } from '../platform/ids.ts'
import { isForOneOf, isForOthers } from './audience.ts'
import type { PostCheck } from './operations.ts'
import { postNotFound } from './read.ts'
import { BY_PERSON, madeBy, type RevisedBy } from './tables.ts'

/** For requests that show the post in the path. */
export const seesPost: Reach = async ({ db }, { accountId, siteIds }, { id = '' }) => {
  const { rows } = await sql`
    select from posts where id = ${isId(id) ? id : null} and account_id = ${accountId} and ${isForOneOf(siteIds)}
  `.execute(db.root)
  if (rows.length === 0) throw postNotFound()
}

/** For requests that change the post in the path. */
export const holdsPost: Reach = async (ctx, token, params) => {
  await seesPost(ctx, token, params)
  const { rows } = await sql`select from posts where id = ${params.id} and ${isForOthers(token.siteIds)}`.execute(
    ctx.db.root,
  )
  if (rows.length > 0)
    throw fail(
      'forbidden',
      'This token is limited to some sites, and the post is for others too. Use a token for all sites.',
    )
}

/** Throws `forbidden` if a token that is limited to sites names another one; `null` stands for all sites. */
export function assertWithinSites(principal: AccountPrincipal, given: ReadonlyArray<string | null> | null): void {
  const own = sitesOf(principal)
  if (own === undefined) return
  if (given === null || given.some((id) => id !== null && !own.includes(id.toLowerCase())))
    throw fail('forbidden', 'This token is limited to some sites: name only those.')
}

/** Leaves out what concerns sites that the request may not see. */
export function withinSites<One extends { siteId: string }>(principal: AccountPrincipal, all: readonly One[]): One[] {
  const own = sitesOf(principal)
  return own === undefined ? [...all] : all.filter(({ siteId }) => own.includes(siteId))
}

/** Who the versions of posts are by that a request makes. */
export function editorOf({ credential }: AccountPrincipal): RevisedBy {
  return credential.kind === 'api_token' ? madeBy('token', credential.name) : BY_PERSON
}

/** The check of a request that changes a post: what is published or scheduled needs a scope of its own. */
export function changeCheck(principal: AccountPrincipal, ifMatchHeader: string | undefined): PostCheck {
  const ifMatch = ifMatchCheck(ifMatchHeader)
  return (post) => {
    ifMatch(post.version)
    if (post.status === 'published' || post.status === 'scheduled') assertMay(principal, 'posts:publish')
  }
}
