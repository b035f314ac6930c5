import type { Site } from '@postrider/sdk'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Route } from '../delivery/route.tsx'
import { number, percent } from '../format.ts'
import { accountQuery, overviewQuery, sitesQuery } from '../queries.ts'
import { Figures } from '../ui/figures.tsx'
import { Page, Sheet } from '../ui/page.tsx'
import { Problem, Skeleton } from '../ui/placeholder.tsx'
import { Ago } from '../ui/time.tsx'

/** How everything stands. */
export function Overview() {
  const { user } = useSuspenseQuery(accountQuery).data
  const sites = useQuery(sitesQuery)
  const overview = useQuery(overviewQuery)
  const totals = overview.data?.totals
  return (
    <Page title="Overview" heading={`Hello, ${user.name.split(' ')[0]}`}>
      <Sheet title="Sites">
        {sites.isError ? (
          <Problem error={sites.error} retry={() => void sites.refetch()} />
        ) : sites.data === undefined ? (
          <Skeleton className="h-16" />
        ) : sites.data.total === 0 ? (
          <p className="text-quiet">No site is connected yet.</p>
        ) : (
          <Route stops={sites.data.sites.map((site) => ({ key: site.id, site: site.name, ...healthOf(site) }))} />
        )}
      </Sheet>
      <Sheet title="The last 30 days">
        {overview.isError ? (
          <Problem error={overview.error} retry={() => void overview.refetch()} />
        ) : (
          <Figures
            figures={[
              { name: 'Posts published', value: totals && number(totals.posts_published) },
              { name: 'Deliveries', value: totals && number(totals.deliveries) },
              { name: 'Arrived', value: totals && percent(totals.success_rate) },
              { name: 'Failed', value: totals && number(totals.failed) },
            ]}
          />
        )}
      </Sheet>
    </Page>
  )
}

/** A site as a stop of the route: how it is, and when it last received something. */
function healthOf({ status, delivery_stats: { last_delivery: last } }: Site) {
  const standing =
    status === 'inactive' ? 'paused' : status === 'error' ? 'failed' : last === null ? 'absent' : 'arrived'
  const note =
    status === 'inactive' ? (
      'Paused'
    ) : status === 'error' ? (
      'In error'
    ) : last === null ? (
      'Nothing sent yet'
    ) : (
      <Ago at={last} />
    )
  return { standing, note } as const
}
