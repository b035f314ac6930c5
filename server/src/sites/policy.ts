import type { Platform } from './tables.ts'

/** What may change on a site. `status` is the user's pause; `error` is accepted when the site is in error already. */
export type SiteChange = {
  name?: string | undefined
  url?: string | undefined
  webhookUrl?: string | undefined
  platform?: Platform | undefined
  niche?: string | undefined
  status?: 'active' | 'inactive' | 'error' | undefined
}

/**
 * Whether a change chooses the platform, which detection then leaves alone for good. Naming one is a choice, also of the
 * one that is shown, but for the whole resource coming back as it was read: that repeats what was detected.
 */
export function choosesPlatform(change: SiteChange, shown: Platform): boolean {
  const { name, url, webhookUrl, platform, niche, status } = change
  if (platform === undefined) return false
  const whole = [name, url, webhookUrl, niche, status].every((value) => value !== undefined)
  return platform !== shown || !whole
}
