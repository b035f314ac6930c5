import { invalid } from '../platform/errors.ts'
import type { Platform, Recovery, SiteCanonical, SiteKind, SiteRow } from './tables.ts'

/** What a change of a site may set. `status` pauses or resumes; `error` is accepted if the site is in error already. */
export type SiteChange = {
  name?: string | undefined
  url?: string | undefined
  webhookUrl?: string | undefined
  platform?: Platform | undefined
  framework?: string | null | undefined
  niche?: string | undefined
  kind?: SiteKind | undefined
  /** Null: the default of the kind. */
  debounceSeconds?: number | null | undefined
  postUrl?: string | null | undefined
  canonical?: SiteCanonical | undefined
  recovery?: Recovery | undefined
  /** Whether the pages of posts that the site accepted are looked at. */
  verify?: boolean | undefined
  status?: 'active' | 'inactive' | 'error' | undefined
}

const DEFAULT_DEBOUNCE_SECONDS = 60

/**
 * The least time between two requests to a build hook, in seconds; null for webhooks, which are sent one by one. `given`: what was asked for,
 * `before` what there was. Throws `invalid` when it is given for webhooks.
 */
export function debounceOf(kind: SiteKind, given: number | null | undefined, before: number | null): number | null {
  if (kind === 'build_hook') return (given === undefined ? before : given) ?? DEFAULT_DEBOUNCE_SECONDS
  if (typeof given === 'number')
    throw invalid('debounce_seconds', 'Only a build hook is debounced; webhooks are sent one by one.')
  return null
}

/** A site's platform, and whether the user chose it. */
export type KnownPlatform = Pick<SiteRow, 'platform' | 'platform_given'>

/**
 * The platform that a change leaves the site with; undefined if it changes nothing about that. `shown` is the platform that the user saw.
 * One that the user chooses is never detected again. Of a site that moves nothing is known any more: what was detected said something
 * about the old address.
 */
export function platformAfter(
  change: SiteChange,
  shown: Platform,
  before: Pick<SiteRow, 'url' | 'platform_given'>,
): KnownPlatform | undefined {
  const { url, platform } = change
  if (platform !== undefined && choosesPlatform(change, shown)) return { platform, platform_given: true }
  if (url === undefined || url === before.url || before.platform_given) return undefined
  return { platform: 'custom', platform_given: false }
}

/** Naming a platform is a choice, even the one shown, unless the whole resource comes back as it was read: that only repeats it. */
function choosesPlatform(change: SiteChange, shown: Platform): boolean {
  const { name, url, webhookUrl, platform, niche, status } = change
  const whole = [name, url, webhookUrl, niche, status].every((value) => value !== undefined)
  return platform !== shown || !whole
}
