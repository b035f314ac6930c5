import type { Site } from '@postrider/sdk'
import type { SiteState } from '../addresses.ts'
import type { Standing } from '../delivery/standing.ts'
import { StopMark } from '../delivery/stops.tsx'
import { counted } from '../format.ts'
import { Badge } from '../ui/badge.tsx'
import { missingWords } from './send-missing.tsx'

/** How a site is. */
export function stateOf(site: Site): SiteState {
  if (site.status === 'inactive') return 'paused'
  if (site.status === 'error') return 'error'
  if (site.delivery_stats.missing > 0) return 'missing'
  if (site.delivery_stats.not_live > 0) return 'not-live'
  if (failedTestOf(site) !== undefined) return 'broken'
  return site.delivery_stats.last_delivery === null ? 'new' : 'receiving'
}

/** The site's last test, if it failed and nothing has arrived since. */
export function failedTestOf({ last_test: test, delivery_stats: { last_delivery: last } }: Site) {
  return test === null || test.ok || (last !== null && last >= test.at) ? undefined : test
}

/** Whether the site keeps nothing: its pages read posts from here when they need them. */
export function readsHere({ last_test: test }: Site): boolean {
  return test?.store === 'pull'
}

/** How the states look, and are named for people. */
export const STATES: Record<SiteState, { standing: Standing; tone: 'arrived' | 'failed' | 'plain'; word: string }> = {
  receiving: { standing: 'arrived', tone: 'arrived', word: 'Receiving' },
  error: { standing: 'failed', tone: 'failed', word: 'Failing' },
  missing: { standing: 'failed', tone: 'failed', word: 'Posts missing' },
  'not-live': { standing: 'not-live', tone: 'failed', word: 'Posts not live' },
  broken: { standing: 'failed', tone: 'failed', word: 'Test failed' },
  paused: { standing: 'paused', tone: 'plain', word: 'Paused' },
  new: { standing: 'absent', tone: 'plain', word: 'Nothing arrived yet' },
}

/** How many posts a site has accepted and does not show, in words. */
function notLiveWords({ delivery_stats: { not_live } }: Site): string {
  return `${counted(not_live, 'post')} not live`
}

/** A site's health, in a word. */
export function HealthBadge({ site }: { site: Site }) {
  const state = stateOf(site)
  const { standing, tone, word } = STATES[state]
  return (
    <Badge tone={tone} icon={<StopMark standing={standing} />}>
      {state === 'missing' ? missingWords(site) : state === 'not-live' ? notLiveWords(site) : word}
    </Badge>
  )
}
