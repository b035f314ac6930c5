import type { Site } from '@postrider/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Inbox } from 'lucide-react'
import { EVENT_NAMES } from '../../delivery/events.ts'
import { standingOf } from '../../delivery/standing.ts'
import { StandingLabel } from '../../delivery/stops.tsx'
import { siteDeliveriesOf } from '../../queries.ts'
import { NameLink } from '../../ui/name-link.tsx'
import { Sheet } from '../../ui/page.tsx'
import { Empty, Problem, Skeleton } from '../../ui/placeholder.tsx'
import { Table, Td, Th, Tr } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'

/** The latest deliveries to the site. */
export function History({ site }: { site: Site }) {
  const { id: siteId } = site
  const log = useQuery(siteDeliveriesOf(siteId))
  return (
    <Sheet
      title="Deliveries"
      aside={
        <Link to="/deliveries" search={{ site: siteId }} className="underline underline-offset-3 hover:text-ink">
          All deliveries
        </Link>
      }
      flush
    >
      {log.isError && log.data === undefined ? (
        <Problem error={log.error} retry={() => void log.refetch()} />
      ) : log.data === undefined ? (
        <div className="p-5">
          <Skeleton className="h-40" />
        </div>
      ) : log.data.data.length === 0 ? (
        <Empty picture={<Inbox />} title="Nothing has been sent to it yet">
          What you publish from now on appears here.
        </Empty>
      ) : (
        <Table label="Deliveries to this site" busy={log.isFetching}>
          <thead>
            <tr>
              <Th grow>Post</Th>
              <Th from="sm">What</Th>
              <Th>Status</Th>
              <Th from="md">When</Th>
            </tr>
          </thead>
          <tbody>
            {log.data.data.map((delivery) => (
              <Tr key={delivery.id}>
                <Td grow>
                  <NameLink
                    to="/deliveries/$deliveryId"
                    params={{ deliveryId: delivery.id }}
                    name={delivery.post_title}
                    className="hover:underline"
                  />
                </Td>
                <Td from="sm">
                  <span className="whitespace-nowrap text-quiet">{EVENT_NAMES[delivery.event]}</span>
                </Td>
                <Td>
                  <StandingLabel standing={standingOf(delivery, site)} event={delivery.event} />
                </Td>
                <Td from="md">
                  <Ago at={delivery.finished_at ?? delivery.created_at} />
                </Td>
              </Tr>
            ))}
          </tbody>
        </Table>
      )}
    </Sheet>
  )
}
