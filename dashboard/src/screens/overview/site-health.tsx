import type { Site } from '@postrider/sdk'
import { Link } from '@tanstack/react-router'
import { Route } from '../../delivery/route.tsx'
import { percent } from '../../format.ts'
import { STATES, stateOf } from '../../sites/health.tsx'
import { Ago } from '../../ui/time.tsx'

/** The sites as the stops of the route: how each is, and when it last received something. */
export function SiteHealth({ sites }: { sites: readonly Site[] }) {
  if (sites.length === 0) return <p className="text-quiet">No site is connected yet.</p>
  const stops = sites.map((site) => ({
    key: site.id,
    site: (
      <Link to="/sites/$siteId" params={{ siteId: site.id }} title={site.name} className="rounded-sm hover:underline">
        {site.name}
      </Link>
    ),
    standing: STATES[stateOf(site)].standing,
    note: noteOf(site),
  }))
  return <Route stops={stops} />
}

function noteOf(site: Site) {
  const { last_delivery: last, success_rate: rate } = site.delivery_stats
  const state = stateOf(site)
  if (state === 'receiving' && last !== null) return <Ago at={last} />
  const { word } = STATES[state]
  return state === 'error' && rate !== null ? `${word}, ${percent(rate)} arrived` : word
}
