import type { Site } from '@postrider/sdk'
import { Link } from '@tanstack/react-router'
import { Route } from '../../delivery/route.tsx'
import { percent } from '../../format.ts'
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
    ...healthOf(site),
  }))
  return <Route stops={stops} />
}

function healthOf({ status, delivery_stats: { last_delivery: last, success_rate: rate } }: Site) {
  if (status === 'inactive') return { standing: 'paused', note: 'Paused' } as const
  if (status === 'error')
    return { standing: 'failed', note: rate === null ? 'In error' : `In error, ${percent(rate)} arrived` } as const
  if (last === null) return { standing: 'absent', note: 'Nothing arrived yet' } as const
  return { standing: 'arrived', note: <Ago at={last} /> } as const
}
