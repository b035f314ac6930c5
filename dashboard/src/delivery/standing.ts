/** The standing of a delivery, in the words that all screens use for it. */
import type { Site } from '@postrider/sdk'

/** The known facts about a delivery, from the API: of a post's list with `delivered_at`, of the log with `finished_at`. */
export type DeliveryFacts = {
  status: 'pending' | 'delivered' | 'delivered_retry' | 'failed'
  attempts?: number
  last_error?: string | null
  live?: { state: string; checked_at: string | null }
  delivered_at?: string | null
  finished_at?: string | null
}

/** What of a site a standing depends on. */
type OfSite = Pick<Site, 'status' | 'kind' | 'verify'>

/** How long a build may take before it is said that its pages are not live: the last look before that is half an hour after it began. */
const BUILD_MS = 31 * 60_000

/**
 * `building` has been accepted by a host that builds the site, and its page is being looked for; `not-live` has arrived, but its site does not
 * show the post, or after a removal still does; `waiting` has not been tried yet and `trying` has failed before; `overtaken` ended because a newer version has arrived;
 * `paused` waits for its site to be active again; `absent` was never sent.
 */
export type Standing =
  | 'arrived'
  | 'arrived-late'
  | 'building'
  | 'not-live'
  | 'waiting'
  | 'trying'
  | 'failed'
  | 'overtaken'
  | 'paused'
  | 'absent'

/** Whether the site has accepted it. */
export function isAccepted(standing: Standing): boolean {
  return ['arrived', 'arrived-late', 'building', 'not-live'].includes(standing)
}

/** Whether the site may show something at the post's address that is worth a look. */
export function isWorthALook(standing: Standing, event: string): boolean {
  return (
    standing === 'not-live' || (event !== 'post.deleted' && (standing === 'arrived' || standing === 'arrived-late'))
  )
}

/** Each standing in a word or two. */
export const STANDING_NAMES: Record<Standing, string> = {
  arrived: 'Delivered',
  'arrived-late': 'Delivered after retry',
  building: 'Being built',
  'not-live': 'Not live',
  waiting: 'On its way',
  trying: 'Retrying',
  failed: 'Failed',
  overtaken: 'Replaced by a newer version',
  paused: 'Waiting: the site is paused',
  absent: 'Not sent',
}

/** The same of a removal: it does not leave a post at the site. */
const REMOVAL_NAMES: Partial<Record<Standing, string>> = {
  arrived: 'Removed',
  'arrived-late': 'Removed after retry',
  'not-live': 'Still there',
  waiting: 'Being removed',
  trying: 'Removal being retried',
  failed: 'Not removed',
  paused: 'Removal waits: the site is paused',
}

/** The standing of a delivery of this event, in a word or two. */
export function standingName(standing: Standing, event: string): string {
  return (event === 'post.deleted' ? REMOVAL_NAMES[standing] : undefined) ?? STANDING_NAMES[standing]
}

/** The tone of each standing, for badges and notices. */
export const STANDING_TONES = {
  arrived: 'arrived',
  'arrived-late': 'arrived',
  building: 'waiting',
  'not-live': 'failed',
  waiting: 'waiting',
  trying: 'trying',
  failed: 'failed',
  overtaken: 'plain',
  paused: 'plain',
  absent: 'plain',
} as const satisfies Record<Standing, string>

/** The standing of a delivery to this site; undefined if that is gone or not known yet. */
export function standingOf(delivery: DeliveryFacts, site: OfSite | undefined): Standing {
  const { status, attempts = 0, last_error: lastError, live } = delivery
  if (status === 'delivered' || status === 'delivered_retry') {
    if (live?.state === 'wrong' || live?.state === 'gone') return 'not-live'
    if (isBeingBuilt(delivery, site)) return 'building'
    return status === 'delivered' ? 'arrived' : 'arrived-late'
  }
  if (status === 'failed') return lastError === 'superseded' ? 'overtaken' : 'failed'
  if (site?.status === 'inactive') return 'paused'
  return attempts > 0 ? 'trying' : 'waiting'
}

/** Without looks nobody knows when a build has ended. */
function isBeingBuilt(
  { live, delivered_at: deliveredAt, finished_at: at = deliveredAt }: DeliveryFacts,
  site: OfSite | undefined,
): boolean {
  if (site?.kind !== 'build_hook' || !site.verify || live?.checked_at != null || at == null) return false
  return Date.now() - Date.parse(at) < BUILD_MS
}
