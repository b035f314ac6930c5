import type { Platform } from './tables.ts'

/** What a change of a site may set. `status` pauses or resumes; `error` is accepted if the site is in error already. */
export type SiteChange = {
  name?: string | undefined
  url?: string | undefined
  webhookUrl?: string | undefined
  platform?: Platform | undefined
  niche?: string | undefined
  status?: 'active' | 'inactive' | 'error' | undefined
}

/**
 * Whether a change chooses the platform; detection then never changes it again. Naming a platform is a choice, even the one
 * shown, unless the whole resource comes back as it was read: that only repeats what was detected.
 */
export function choosesPlatform(change: SiteChange, shown: Platform): boolean {
  const { name, url, webhookUrl, platform, niche, status } = change
  if (platform === undefined) return false
  const whole = [name, url, webhookUrl, niche, status].every((value) => value !== undefined)
  return platform !== shown || !whole
}
