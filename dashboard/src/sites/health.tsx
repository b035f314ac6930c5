import type { Site } from '@postrider/sdk'
import type { SiteState } from '../addresses.ts'
import type { Standing } from '../delivery/standing.ts'
import { StopMark } from '../delivery/stops.tsx'
import { Badge } from '../ui/badge.tsx'

/** The platforms' names for people. */
export const PLATFORM_NAMES: Record<Site['platform'], string> = {
  nextjs: 'Next.js',
  wordpress: 'WordPress',
  gatsby: 'Gatsby',
  sveltekit: 'SvelteKit',
  custom: 'Other',
}

/** How a site is. */
export function stateOf({ status, delivery_stats: { last_delivery: last } }: Site): SiteState {
  if (status === 'inactive') return 'paused'
  if (status === 'error') return 'error'
  return last === null ? 'new' : 'receiving'
}

/** How the states look, and are named for people. */
export const STATES: Record<SiteState, { standing: Standing; tone: 'arrived' | 'failed' | 'plain'; word: string }> = {
  receiving: { standing: 'arrived', tone: 'arrived', word: 'Receiving' },
  error: { standing: 'failed', tone: 'failed', word: 'Failing' },
  paused: { standing: 'paused', tone: 'plain', word: 'Paused' },
  new: { standing: 'absent', tone: 'plain', word: 'Nothing arrived yet' },
}

/** A site's health, in a word. */
export function HealthBadge({ site }: { site: Site }) {
  const { standing, tone, word } = STATES[stateOf(site)]
  return (
    <Badge tone={tone} icon={<StopMark standing={standing} />}>
      {word}
    </Badge>
  )
}
