/** The standing of a delivery, in the words that all screens use for it. */

/** The known facts about a delivery, from the API. */
export type DeliveryFacts = {
  status: 'pending' | 'delivered' | 'delivered_retry' | 'failed'
  attempts?: number
  last_error?: string | null
  live?: { state: string }
}

/**
 * `not-live` has arrived, but its site does not show the post; `waiting` has not been tried yet and `trying` has failed before; `overtaken` ended because a newer version has arrived;
 * `paused` waits for its site to be active again; `absent` was never sent.
 */
export type Standing =
  | 'arrived'
  | 'arrived-late'
  | 'not-live'
  | 'waiting'
  | 'trying'
  | 'failed'
  | 'overtaken'
  | 'paused'
  | 'absent'

/** The standings of what its site has accepted. */
export const HAS_ARRIVED: readonly Standing[] = ['arrived', 'arrived-late', 'not-live']

/** Each standing in a word or two. */
export const STANDING_NAMES: Record<Standing, string> = {
  arrived: 'Delivered',
  'arrived-late': 'Delivered after retry',
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
  'not-live': 'failed',
  waiting: 'waiting',
  trying: 'trying',
  failed: 'failed',
  overtaken: 'plain',
  paused: 'plain',
  absent: 'plain',
} as const satisfies Record<Standing, string>

/** The standing of a delivery. `paused`: its site is paused. */
export function standingOf(
  { status, attempts = 0, last_error: lastError, live }: DeliveryFacts,
  paused = false,
): Standing {
  const hasArrived = status === 'delivered' || status === 'delivered_retry'
  if (hasArrived && (live?.state === 'wrong' || live?.state === 'gone')) return 'not-live'
  if (status === 'delivered') return 'arrived'
  if (status === 'delivered_retry') return 'arrived-late'
  if (status === 'failed') return lastError === 'superseded' ? 'overtaken' : 'failed'
  if (paused) return 'paused'
  return attempts > 0 ? 'trying' : 'waiting'
}
