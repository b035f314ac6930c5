/** One delivery: every attempt, what comes next, and exactly what is sent. */
import type { DeliveryDetails, Site } from '@postrider/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { FileText, ListFilter } from 'lucide-react'
import { EVENT_AT } from '../delivery/events.ts'
import { SendAgain } from '../delivery/send-again.tsx'
import { isAccepted, isWorthALook, STANDING_TONES, standingName, standingOf } from '../delivery/standing.ts'
import { StopMark } from '../delivery/stops.tsx'
import { clock, duration, isLate, lateness } from '../format.ts'
import { deliveryQuery, sitesQuery } from '../queries.ts'
import { Badge } from '../ui/badge.tsx'
import { buttonLook } from '../ui/button.tsx'
import { Code } from '../ui/copy.tsx'
import { Figures } from '../ui/figures.tsx'
import { Page, Sheet } from '../ui/page.tsx'
import { Problem, Skeleton } from '../ui/placeholder.tsx'
import { Ago } from '../ui/time.tsx'
import { ViewOnSite } from '../ui/view-on-site.tsx'
import { Request } from './delivery/request.tsx'
import { LiveStep, Timeline } from './delivery/timeline.tsx'

export function Delivery() {
  const { deliveryId } = useParams({ from: '/inside/deliveries/$deliveryId' })
  const { data, isError, error, refetch } = useQuery(deliveryQuery(deliveryId))
  const sites = useQuery(sitesQuery).data?.sites
  if (data !== undefined) {
    const site = sites?.find(({ id }) => id === data.site_id)
    return <Shown delivery={data} site={site} refresh={() => void refetch()} />
  }
  return (
    <Page title="Delivery">
      <Sheet>{isError ? <Problem error={error} retry={() => void refetch()} /> : <Skeleton className="h-64" />}</Sheet>
    </Page>
  )
}

/** `site`: what it is now; undefined if it is gone or not known yet. */
type ShownProps = { delivery: DeliveryDetails; site: Site | undefined; refresh: () => void }

function Shown({ delivery, site: present, refresh }: ShownProps) {
  const standing = standingOf(delivery, present)
  const isBuilt = present?.kind === 'build_hook'
  const { post_title: title, site_name: site, post_id: postId, metadata } = delivery
  return (
    <Page
      title={`${title} to ${site}`}
      heading={<bdi className="font-serif">{title}</bdi>}
      lead={
        <span className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <Badge tone={STANDING_TONES[standing]} icon={<StopMark standing={standing} />}>
            {standingName(standing, delivery.event)}
          </Badge>
          {isLate(delivery.late_by_seconds) && <Badge tone="failed">{lateness(delivery.late_by_seconds)} late</Badge>}
          <span className="min-w-0 break-words">
            {EVENT_AT[delivery.event]}{' '}
            {delivery.site_deleted ? (
              `${site}, which is deleted`
            ) : (
              <Link
                to="/sites/$siteId"
                params={{ siteId: delivery.site_id }}
                className="rounded-sm font-[550] text-ink underline-offset-4 hover:underline"
              >
                {site}
              </Link>
            )}
          </span>
          <Ago at={delivery.created_at} />
        </span>
      }
      actions={
        <>
          {delivery.live.url !== null && isWorthALook(standing, delivery.event) && (
            <ViewOnSite url={delivery.live.url} site={site} size="md" />
          )}
          {!delivery.post_deleted && (
            <Link to="/posts/$postId" params={{ postId }} className={buttonLook({ kind: 'quiet' })}>
              <FileText aria-hidden="true" />
              Open the post
            </Link>
          )}
          <Link to="/deliveries" search={{ post: postId }} className={buttonLook({ kind: 'quiet' })}>
            <ListFilter aria-hidden="true" />
            All its deliveries
          </Link>
          <SendAgain delivery={delivery} standing={standing} main />
        </>
      }
    >
      <div className="grid grid-cols-1 items-start gap-5 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <Sheet title="What happened">
          <Timeline delivery={delivery} standing={standing} isBuilt={isBuilt}>
            {isAccepted(standing) && (
              <LiveStep delivery={delivery} isLooked={present?.verify === true} isBuilt={isBuilt} />
            )}
          </Timeline>
        </Sheet>
        <Sheet title="Summary">
          <Figures
            figures={[
              { name: 'Attempts', value: delivery.attempts },
              { name: 'Last answer', value: delivery.response_code ?? '—' },
              // Without an answer the time is how long the attempt took to fail.
              {
                name: 'Answered in',
                value: duration(delivery.response_code === null ? null : delivery.response_time_ms),
              },
            ]}
          />
          <dl className="mt-5 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-sm">
            <dt className="text-faint">Sent to</dt>
            <dd className="font-mono break-all">{delivery.webhook_url}</dd>
            <dt className="text-faint">Delivery</dt>
            <dd className="font-mono break-all">{delivery.id}</dd>
            <dt className="text-faint">Created</dt>
            <dd>{clock(delivery.created_at)}</dd>
          </dl>
        </Sheet>
      </div>
      {metadata !== undefined && (
        <Sheet title="What the site said when it confirmed">
          <Code label="Metadata" text={JSON.stringify(metadata, null, 2)} />
        </Sheet>
      )}
      <Request delivery={delivery} refresh={refresh} />
    </Page>
  )
}
