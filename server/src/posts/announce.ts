/** The events of a post, and who they go to. Every function works on a post row that the transaction has locked. */
import { type EventKind, enqueueEvents, type NewEvent, replaceUntried } from '../engine/index.ts'
import type { Context } from '../platform/context.ts'
import { type AddressedRow, addedCanonical } from './canonical.ts'
import { type PublishedPost, publicPost } from './public.ts'
import type { SyncState } from './queries.ts'
import type { PostsTx } from './revision.ts'
import type { PostRow } from './tables.ts'
import { writeTold } from './writes.ts'

/** `previousVersion` of an update: the version announced before, unless given. `slug` of a removal: the one that the sites know. */
export type Announcement = {
  kind: EventKind
  siteIds: readonly string[]
  previousVersion?: number | null
  slug?: string
}

/**
 * Records the events, numbered in the post's order. Returns the resulting columns of the post's row, or undefined when no site
 * is concerned.
 */
export async function announce(
  ctx: Context,
  tx: PostsTx,
  post: PostRow,
  sync: SyncState,
  now: Date,
  announcements: readonly Announcement[],
  dueAt: Date | null = null,
): Promise<Pick<PostRow, 'event_sequence' | 'sent_version'> | undefined> {
  if (announcements.every(({ siteIds }) => siteIds.length === 0)) return undefined
  const events = eventsOf(post, sync, announcements).map((event) => ({ ...event, dueAt }))
  await enqueueEvents(ctx, tx, events, now)
  return { event_sequence: post.event_sequence + events.length, sent_version: post.version }
}

/** The events that announce a post to sites, numbered in the post's order: one for all sites that are sent the same. */
function eventsOf(post: PostRow, sync: SyncState, announcements: readonly Announcement[]): NewEvent[] {
  const canonicalOf = canonicalsOf(post, sync)
  const payloads = new Map<string | undefined, PublishedPost>()
  const payloadWith = (canonicalUrl: string | undefined) => {
    const payload = payloads.get(canonicalUrl) ?? publicPost(post, sync.formerSlugs, canonicalUrl)
    payloads.set(canonicalUrl, payload)
    return payload
  }
  const alike = announcements.flatMap<Pick<NewEvent, 'kind' | 'payload' | 'previousVersion' | 'siteIds'>>(
    ({ kind, siteIds, previousVersion = null, slug = post.slug }) =>
      kind === 'post.deleted'
        ? [{ kind, siteIds, previousVersion, payload: { id: post.id, slug } }]
        : [...Map.groupBy(siteIds, canonicalOf)].map(([canonicalUrl, sites]) => {
            return { kind, siteIds: sites, previousVersion, payload: payloadWith(canonicalUrl) }
          }),
  )
  return alike
    .filter(({ siteIds }) => siteIds.length > 0)
    .map(({ previousVersion, ...one }, index) => ({
      ...one,
      accountId: post.account_id,
      postId: post.id,
      sequence: post.event_sequence + index + 1,
      version: post.version,
      previousVersion: one.kind === 'post.updated' ? (previousVersion ?? post.sent_version ?? post.version) : null,
    }))
}

/** The address that each site is sent as that of the original; undefined where it is sent none, or its author's. */
export function canonicalsOf(post: AddressedRow, { original }: SyncState): (siteId: string) => string | undefined {
  return (siteId) => addedCanonical(post, original, siteId)
}

/** Whether a site was sent another address of the original than it would be sent now. */
export function isToldOtherwise(post: AddressedRow, sync: SyncState): (siteId: string) => boolean {
  const canonicalOf = canonicalsOf(post, sync)
  return (siteId) => canonicalOf(siteId) !== sync.told?.[siteId]
}

/** Keeps which address of the original these sites are sent now. */
export async function noteTold(tx: PostsTx, post: PostRow, sync: SyncState, siteIds: readonly string[]): Promise<void> {
  const canonicalOf = canonicalsOf(post, sync)
  const changed = siteIds.filter(isToldOtherwise(post, sync))
  if (changed.length > 0) await writeTold(tx, post, changed, changed.map(canonicalOf))
}

/** The announcements of a publication: sites that already have the post get an update (decision P6). */
export function publishing(targets: readonly string[], hasPost: (siteId: string) => boolean): Announcement[] {
  return [
    { kind: 'post.published', siteIds: targets.filter((id) => !hasPost(id)) },
    { kind: 'post.updated', siteIds: targets.filter(hasPost) },
  ]
}

/**
 * The announcements of an update to sites that have the post, or are still to get it: where it replaces a publication that was never
 * attempted, it is one; where it replaces an update, it leads from the same version as that.
 */
export async function updating(
  ctx: Context,
  tx: PostsTx,
  { account_id: accountId, id: postId }: PostRow,
  siteIds: readonly string[],
  now: Date,
): Promise<Announcement[]> {
  if (siteIds.length === 0) return []
  const replaced = await replaceUntried(ctx, tx, { accountId, postId, siteIds }, now)
  const groups = Map.groupBy(siteIds, (siteId) => {
    const { kind, previousVersion = null } = replaced.get(siteId) ?? {}
    return kind === 'post.published' ? kind : previousVersion
  })
  return [...groups].map(([group, sites]) =>
    group === 'post.published'
      ? { kind: group, siteIds: sites }
      : { kind: 'post.updated', siteIds: sites, previousVersion: group },
  )
}
