import type { Site } from '@postrider/sdk'
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

type Health = { standing: Standing; tone: 'arrived' | 'failed' | 'plain'; word: string }

function healthOf({ status, delivery_stats: { last_delivery: last } }: Site): Health {
  if (status === 'inactive') return { standing: 'paused', tone: 'plain', word: 'Paused' }
  if (status === 'error') return { standing: 'failed', tone: 'failed', word: 'In error' }
  if (last === null) return { standing: 'absent', tone: 'plain', word: 'Nothing arrived yet' }
  return { standing: 'arrived', tone: 'arrived', word: 'Receiving' }
}

/** A site's health, in a word. */
export function HealthBadge({ site }: { site: Site }) {
  const { standing, tone, word } = healthOf(site)
  return (
    <Badge tone={tone} icon={<StopMark standing={standing} />}>
      {word}
    </Badge>
  )
}
