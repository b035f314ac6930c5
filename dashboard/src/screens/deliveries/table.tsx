import type { LoggedDelivery, Site } from '@postrider/sdk'
import { clsx } from 'clsx'
import { memo, type ReactNode, useMemo } from 'react'
import { EVENT_NAMES } from '../../delivery/events.ts'
import { NextBuild } from '../../delivery/next-build.tsx'
import { reasonOf } from '../../delivery/reason.ts'
import { SendAgain } from '../../delivery/send-again.tsx'
import { type Standing, standingName, standingOf } from '../../delivery/standing.ts'
import { StopMark } from '../../delivery/stops.tsx'
import { duration, isLate, lateness } from '../../format.ts'
import type { Rows } from '../../shell/rows.ts'
import { Badge } from '../../ui/badge.tsx'
import { Tick } from '../../ui/choice.tsx'
import { NameLink, POST_NAME } from '../../ui/name-link.tsx'
import { Skeleton } from '../../ui/placeholder.tsx'
import { Table, Td, Th, Tr } from '../../ui/table.tsx'
import { Ago, Until } from '../../ui/time.tsx'

type DeliveryTableProps = {
  /** Undefined while they are loading. */
  deliveries: readonly LoggedDelivery[] | undefined
  sites: readonly Site[] | undefined
  rows: Rows<LoggedDelivery>
  /** The table still shows the previous query. */
  busy: boolean
}

/** Deliveries in rows. Those that can be sent again can be chosen. */
export function DeliveryTable({ deliveries, sites, rows, busy }: DeliveryTableProps) {
  const siteOf = useMemo(() => new Map(sites?.map((site) => [site.id, site])), [sites])
  const repeatable = deliveries?.filter((one) => one.can_retry) ?? []
  const chosen = repeatable.filter(({ id }) => rows.chosen.has(id)).length
  return (
    <Table label="Deliveries" busy={deliveries === undefined || busy}>
      <thead>
        <tr>
          <Th>
            {repeatable.length > 0 ? (
              <Tick
                aria-label="Select all failures on this page"
                checked={chosen === repeatable.length}
                partly={chosen > 0 && chosen < repeatable.length}
                onChange={rows.toggleAll}
              />
            ) : (
              <span className="sr-only">Selection</span>
            )}
          </Th>
          <Th grow>Post</Th>
          <Th from="md">Site</Th>
          <Th>Result</Th>
          <Th from="lg">When</Th>
          <Th from="sm">
            <span className="sr-only">Actions</span>
          </Th>
        </tr>
      </thead>
      <tbody>
        {deliveries === undefined
          ? [...'abcdefghij'].map((row) => <Waiting key={row} />)
          : deliveries.map((delivery, index) => (
              <DeliveryRow
                key={delivery.id}
                delivery={delivery}
                continues={isSameEvent(delivery, deliveries[index - 1])}
                site={siteOf.get(delivery.site_id)}
                chosen={rows.chosen.has(delivery.id)}
                current={rows.current === delivery.id}
                toggle={rows.toggle}
                enter={rows.enter}
              />
            ))}
      </tbody>
    </Table>
  )
}

type DeliveryRowProps = Pick<Rows<LoggedDelivery>, 'toggle' | 'enter'> & {
  delivery: LoggedDelivery
  /** The row above is about the same event of the same post: its title is not said again as loudly. */
  continues: boolean
  site: Site | undefined
  chosen: boolean
  current: boolean
}

function isSameEvent(one: LoggedDelivery, above: LoggedDelivery | undefined): boolean {
  return above?.post_id === one.post_id && above.event === one.event
}

const DeliveryRow = memo(function DeliveryRow(props: DeliveryRowProps) {
  const { delivery, continues, site, chosen, current, toggle, enter } = props
  const standing = standingOf(delivery, site)
  return (
    <Tr
      selected={chosen}
      data-row={delivery.id}
      {...(current ? { 'data-current': '' } : {})}
      onFocus={() => enter(delivery.id)}
    >
      <Td>
        {delivery.can_retry && (
          <Tick
            aria-label={`Select ${delivery.post_title} to ${delivery.site_name}`}
            checked={chosen}
            onChange={({ nativeEvent }) => toggle(delivery, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
          />
        )}
      </Td>
      <Td grow>
        <NameLink
          to="/deliveries/$deliveryId"
          params={{ deliveryId: delivery.id }}
          data-open
          name={delivery.post_title}
          className={continues ? CONTINUED_NAME : POST_NAME}
        />
        <p className={clsx('clip text-sm text-faint', continues && 'pl-4')}>
          {!continues && EVENT_NAMES[delivery.event]}
          <span className="md:hidden">
            {!continues && ' · '}
            <bdi>{delivery.site_name}</bdi>
          </span>
          <span className="lg:hidden">
            {' · '}
            <Ago at={delivery.created_at} />
          </span>
        </p>
      </Td>
      <Td from="md">
        <span dir="auto" className="clip block max-w-44" title={delivery.site_name}>
          {delivery.site_name}
        </span>
      </Td>
      <Td>
        <span className="flex items-center gap-2">
          <StopMark standing={standing} />
          <span className="min-w-0 max-sm:sr-only">
            <span className="block whitespace-nowrap">{standingName(standing, delivery.event)}</span>
            <span className="clip block max-w-60 text-sm text-faint">
              {resultOf(delivery, standing, site?.kind === 'build_hook')}
            </span>
            {isLate(delivery.late_by_seconds) && <Badge tone="failed">{lateness(delivery.late_by_seconds)} late</Badge>}
          </span>
        </span>
      </Td>
      <Td from="lg">
        <span className="text-quiet">
          <Ago at={delivery.created_at} />
        </span>
      </Td>
      <Td numeric from="sm">
        <SendAgain delivery={delivery} standing={standing} />
      </Td>
    </Tr>
  )
})

const CONTINUED_NAME = 'rounded-sm pl-4 font-serif text-sm text-faint hover:underline'

/** The result in one line: the answer, or why there is none and what comes next. */
function resultOf(delivery: LoggedDelivery, standing: Standing, isBuilt: boolean): ReactNode {
  const { attempts, response_code: code, response_time_ms: ms, last_error: error, next_attempt_at: next } = delivery
  const reason = reasonOf(code, error)
  switch (standing) {
    case 'waiting':
      return isBuilt && <NextBuild at={next} words="Next build in" otherwise={null} />
    case 'trying':
      if (next === null) return reason
      return (
        <>
          {reason}, again in <Until at={next} />
        </>
      )
    case 'paused':
    case 'failed':
      return reason
    case 'overtaken':
      return undefined
    case 'not-live':
      return delivery.live.problem
    default:
      return [code, ms !== null && duration(ms), attempts > 1 && `attempt ${attempts}`].filter(Boolean).join(' · ')
  }
}

function Waiting() {
  return (
    <tr>
      <Td>
        <Skeleton className="size-4.5" />
      </Td>
      <Td grow>
        <Skeleton className="h-4 w-3/5" />
        <Skeleton className="mt-2 h-3 w-1/4" />
      </Td>
      <Td from="md">
        <Skeleton className="h-4 w-24" />
      </Td>
      <Td>
        <Skeleton className="h-4 w-20" />
      </Td>
      <Td from="lg">
        <Skeleton className="h-4 w-20" />
      </Td>
      <Td from="sm" />
    </tr>
  )
}
