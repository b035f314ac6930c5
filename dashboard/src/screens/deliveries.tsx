/** The log of deliveries: what was sent to which site, and how it went. */
import type { ListDeliveries, LoggedDelivery } from '@postrider/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { CircleCheck, FileSearch, RotateCw, Send } from 'lucide-react'
import { useState } from 'react'
import { type DeliveriesSearch, PERIODS } from '../addresses.ts'
import { deliveryLogQuery, sitesQuery } from '../queries.ts'
import { useAction } from '../shell/actions.ts'
import { useRows } from '../shell/rows.ts'
import { Button, buttonLook } from '../ui/button.tsx'
import { Page, Sheet } from '../ui/page.tsx'
import { Empty, Problem } from '../ui/placeholder.tsx'
import { RetryAll, RetryBar } from './deliveries/bulk.tsx'
import { DeliveryFilters } from './deliveries/filters.tsx'
import { DeliveryTable } from './deliveries/table.tsx'

const PER_PAGE = 50
const NONE: LoggedDelivery[] = []
const canRetry = (delivery: LoggedDelivery) => delivery.can_retry

/** The query for the service. Days are the reader's, and each includes its end. */
function askedOf({ status, site, post, from, to, before }: DeliveriesSearch): ListDeliveries {
  const asked = {
    limit: PER_PAGE,
    ...(status === 'action' ? { can_retry: 'true' } : status === 'not_live' ? { not_live: 'true' } : { status }),
    site_id: site,
    post_id: post,
    from: from && new Date(`${from}T00:00:00`).toISOString(),
    to: to && new Date(`${to}T23:59:59.999`).toISOString(),
    cursor: before,
  }
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined))
}

export function Deliveries() {
  const search = useSearch({ from: '/inside/deliveries' })
  const navigate = useNavigate({ from: '/deliveries' })
  const { period, before, ...narrowing } = search
  const hours = period === undefined || period === 'dates' ? undefined : PERIODS[period]
  const log = useQuery({ ...deliveryLogQuery(askedOf(search), hours), placeholderData: keepPreviousData })
  const sites = useQuery(sitesQuery).data?.sites
  const deliveries = log.data?.data ?? NONE
  const rows = useRows(deliveries, 'delivery', canRetry)
  const [asking, setAsking] = useState(false)
  const older = log.data?.next_cursor ?? undefined
  const isNarrowed = period !== undefined || Object.values(narrowing).some((value) => value !== undefined)
  const isAboutFailures = search.status === 'action' || search.status === 'failed'
  const narrow = (change: DeliveriesSearch) =>
    void navigate({ search: (now) => ({ ...now, before: undefined, ...change }) })
  useAction({ does: 'Send all failures again', group: 'Deliveries' }, () => setAsking(true))
  return (
    <Page
      title="Deliveries"
      actions={
        isAboutFailures &&
        deliveries.some(canRetry) && (
          <Button icon={<RotateCw />} onClick={() => setAsking(true)}>
            Send all again
          </Button>
        )
      }
    >
      {rows.chosen.size > 0 && <RetryBar deliveries={[...rows.chosen.values()]} onDone={() => rows.clear()} />}
      <Sheet flush>
        <DeliveryFilters search={search} sites={sites ?? []} deliveries={deliveries} narrow={narrow} />
        {log.isError && log.data === undefined ? (
          <Problem error={log.error} retry={() => void log.refetch()} />
        ) : log.data !== undefined && deliveries.length === 0 ? (
          <Nothing search={search} isNarrowed={isNarrowed || before !== undefined} />
        ) : (
          <DeliveryTable
            deliveries={log.data === undefined ? undefined : deliveries}
            sites={sites}
            rows={rows}
            busy={log.isPlaceholderData}
          />
        )}
        {(before !== undefined || older !== undefined) && (
          <footer className="flex justify-between gap-2 border-t border-line px-4 py-2.5 text-sm sm:px-5">
            {before === undefined ? (
              <span className="text-faint">The newest {deliveries.length}</span>
            ) : (
              <Link to="/deliveries" search={(now) => ({ ...now, before: undefined })} className={PAGE_LINK}>
                Show the newest
              </Link>
            )}
            {older !== undefined && (
              <Link to="/deliveries" search={(now) => ({ ...now, before: older })} className={PAGE_LINK}>
                Older
              </Link>
            )}
          </footer>
        )}
      </Sheet>
      <RetryAll open={asking} onOpenChange={setAsking} site={sites?.find(({ id }) => id === search.site)} />
    </Page>
  )
}

const PAGE_LINK = 'rounded-sm text-quiet underline-offset-4 hover:text-ink hover:underline'

function Nothing({ search, isNarrowed }: { search: DeliveriesSearch; isNarrowed: boolean }) {
  if (!isNarrowed) {
    return (
      <Empty
        picture={<Send />}
        title="Nothing has been sent yet"
        action={
          <Link to="/posts" className={buttonLook()}>
            Go to posts
          </Link>
        }
      >
        Publish a post, and what every site answered appears here.
      </Empty>
    )
  }
  const all = (
    <Link to="/deliveries" className={buttonLook()}>
      Show all deliveries
    </Link>
  )
  if (search.status === 'action') {
    return (
      <Empty picture={<CircleCheck />} title="Nothing needs attention" action={all}>
        There is no failed delivery that could be sent again.
      </Empty>
    )
  }
  if (search.status === 'not_live') {
    return (
      <Empty picture={<CircleCheck />} title="Nothing is amiss" action={all}>
        Every page that was looked at shows its post.
      </Empty>
    )
  }
  return (
    <Empty picture={<FileSearch />} title="No delivery matches" action={all}>
      Try fewer filters, or a longer period.
    </Empty>
  )
}
