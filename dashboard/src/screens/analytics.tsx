/** How deliveries went: totals, over time, and per site. The address holds the period, unit and site. */
import type { AnalyticsRange, DeliveriesOverTime, Overview } from '@postrider/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ChartColumn } from 'lucide-react'
import { duration, number, percent } from '../format.ts'
import { overviewOf, sitesQuery, timelineOf } from '../queries.ts'
import { Chart } from '../ui/chart.tsx'
import { Field, Input, Select } from '../ui/field.tsx'
import { Figures } from '../ui/figures.tsx'
import { NameLink } from '../ui/name-link.tsx'
import { Page, Sheet } from '../ui/page.tsx'
import { Empty, Problem, Skeleton } from '../ui/placeholder.tsx'
import { Table, Td, Th, Tr } from '../ui/table.tsx'
import { fitting, RANGE_NAMES, RANGES, type Span, spanOf, UNITS, unitsOf } from './analytics/span.ts'

/** The screen. */
export function Analytics() {
  const search = useSearch({ from: '/inside/analytics' })
  const span = spanOf(search, Date.now())
  const range: AnalyticsRange = {
    from: span.from,
    ...(span.to === undefined ? {} : { to: span.to }),
    ...(search.site === undefined ? {} : { site_id: search.site }),
  }
  const overview = useQuery({ ...overviewOf(range), placeholderData: keepPreviousData })
  const timeline = useQuery({ ...timelineOf({ ...range, granularity: span.unit }), placeholderData: keepPreviousData })
  return (
    <Page title="Analytics" lead="Counted by the hour in which a delivery finished, in UTC.">
      <Choices span={span} />
      <Sheet>
        {overview.isError && overview.data === undefined ? (
          <Problem error={overview.error} retry={() => void overview.refetch()} />
        ) : (
          <Totals totals={overview.data?.totals} />
        )}
      </Sheet>
      {timeline.isError && timeline.data === undefined ? (
        <Sheet>
          <Problem error={timeline.error} retry={() => void timeline.refetch()} />
        </Sheet>
      ) : overview.data?.totals.deliveries === 0 ? (
        <Sheet>
          <Empty picture={<ChartColumn />} title="No deliveries in this period">
            Deliveries appear here once they have arrived or failed.
          </Empty>
        </Sheet>
      ) : (
        <Timeline timeline={timeline.data} />
      )}
      {/* Below what may be charts or a list: it comes once that is known, so that it does not move. */}
      {timeline.isPending || <Sites sites={overview.data?.sites ?? []} />}
    </Page>
  )
}

function Totals({ totals }: { totals: Overview['totals'] | undefined }) {
  return (
    <Figures
      figures={[
        { name: 'Deliveries', value: totals && number(totals.deliveries) },
        { name: 'Success rate', value: totals && percent(totals.success_rate) },
        { name: 'Failed', value: totals && number(totals.failed) },
        { name: 'Needed a retry', value: totals && number(totals.retried) },
        { name: 'Mean response', value: totals && duration(totals.avg_delivery_ms) },
        { name: 'New posts published', value: totals && number(totals.posts_published) },
      ]}
    />
  )
}

/** Fewer units with deliveries make a list, not a chart. */
const FEWEST_UNITS = 3

/** The numbers over time: charts, or a list while there is little to draw. */
function Timeline({ timeline }: { timeline: DeliveriesOverTime | undefined }) {
  const measured = timeline?.data.filter(({ delivered, failed }) => delivered + failed > 0)
  if (timeline === undefined || measured === undefined || measured.length >= FEWEST_UNITS)
    return <Charts timeline={timeline} />
  return <FewUnits timeline={{ ...timeline, data: measured }} />
}

function FewUnits({ timeline: { data, granularity } }: { timeline: DeliveriesOverTime }) {
  const units = unitsOf(data, granularity)
  return (
    <Sheet title="Deliveries" aside={`Per ${granularity}`} flush>
      <Table label={`Deliveries per ${granularity}`}>
        <thead>
          <tr>
            <Th grow>When</Th>
            <Th numeric>Delivered</Th>
            <Th numeric>Failed</Th>
            <Th numeric>Needed a retry</Th>
            <Th numeric from="sm">
              Mean response
            </Th>
          </tr>
        </thead>
        <tbody>
          {data.map(({ date, delivered, failed, retried, avg_ms: ms }, index) => (
            <Tr key={date}>
              <Td grow>{units[index]?.name}</Td>
              <Td numeric>{number(delivered)}</Td>
              <Td numeric>{number(failed)}</Td>
              <Td numeric>{number(retried)}</Td>
              <Td numeric from="sm">
                {duration(ms)}
              </Td>
            </Tr>
          ))}
        </tbody>
      </Table>
    </Sheet>
  )
}

/** The charts, or placeholders until the timeline is known. */
function Charts({ timeline }: { timeline: DeliveriesOverTime | undefined }) {
  const charts = timeline === undefined ? undefined : chartsOf(timeline)
  return (
    <>
      <Sheet title="Deliveries" aside={timeline && `Per ${timeline.granularity}`}>
        {charts?.deliveries ?? WAITING}
      </Sheet>
      <div className="grid grid-cols-1 gap-5 lg:grid-cols-2">
        <Sheet title="Success rate" aside="Of finished deliveries">
          {charts?.rate ?? WAITING}
        </Sheet>
        <Sheet title="Response time" aside="Of successful attempts">
          {charts?.time ?? WAITING}
        </Sheet>
      </div>
    </>
  )
}

const WAITING = <Skeleton className="h-76 sm:h-70" />

function chartsOf({ data, granularity }: DeliveriesOverTime) {
  const units = unitsOf(data, granularity)
  const rates = data.map(({ delivered, failed }) =>
    delivered + failed === 0 ? null : Math.round((delivered / (delivered + failed)) * 1000) / 10,
  )
  return {
    deliveries: (
      <Chart
        label={`Deliveries per ${granularity}`}
        units={units}
        format={number}
        bars={[
          { name: 'Delivered', tone: 'arrived', values: data.map(({ delivered }) => delivered) },
          { name: 'Failed', tone: 'failed', values: data.map(({ failed }) => failed) },
        ]}
        lines={[{ name: 'Needed a retry', tone: 'trying', values: data.map(({ retried }) => retried) }]}
      />
    ),
    rate: (
      <Chart
        label={`Success rate per ${granularity}`}
        units={units}
        format={percent}
        top={100}
        lines={[{ name: 'Success rate', tone: 'arrived', values: rates }]}
      />
    ),
    time: (
      <Chart
        label={`Mean response time per ${granularity}`}
        units={units}
        format={duration}
        lines={[{ name: 'Mean', tone: 'plain', values: data.map(({ avg_ms: ms }) => ms) }]}
      />
    ),
  }
}

function Sites({ sites }: { sites: Overview['sites'] }) {
  if (sites.length === 0) return null
  return (
    <Sheet title="Sites" flush>
      <Table label="Deliveries per site">
        <thead>
          <tr>
            <Th grow>Site</Th>
            <Th numeric>Deliveries</Th>
            <Th numeric>Success rate</Th>
          </tr>
        </thead>
        <tbody>
          {sites.map(({ id, name, deliveries, success_rate: rate }) => (
            <Tr key={id}>
              <Td grow>
                <NameLink
                  to="/analytics"
                  search={(former) => ({ ...former, site: id })}
                  name={name}
                  className="font-[550] hover:underline"
                />
              </Td>
              <Td numeric>{number(deliveries)}</Td>
              <Td numeric>{percent(rate)}</Td>
            </Tr>
          ))}
        </tbody>
      </Table>
    </Sheet>
  )
}

/** The choice of period, unit and site. Every choice changes the address at once. */
function Choices({ span }: { span: Span }) {
  const search = useSearch({ from: '/inside/analytics' })
  const navigate = useNavigate({ from: '/analytics' })
  const sites = useQuery(sitesQuery)
  const choose = (change: Partial<typeof search>) =>
    void navigate({ search: (former) => ({ ...former, ...change }), replace: true })
  const known = sites.data?.sites.some(({ id }) => id === search.site) ?? false
  return (
    <div className="grid grid-cols-2 gap-x-3 gap-y-4 sm:flex sm:flex-wrap sm:*:basis-44">
      <Field label="Time">
        <Select
          value={span.range}
          onChange={({ target: { value } }) => {
            const range = RANGES.find((one) => one === value)
            const own = range === 'own' ? { from: span.from.slice(0, 10), to: span.lastDay } : {}
            choose({ range, from: undefined, to: undefined, unit: undefined, ...own })
          }}
        >
          {RANGES.map((range) => (
            <option key={range} value={range}>
              {RANGE_NAMES[range]}
            </option>
          ))}
        </Select>
      </Field>
      {span.range === 'own' && (
        <>
          <Field label="From">
            <Input
              type="date"
              value={span.from}
              max={span.lastDay}
              onChange={({ target: { value } }) => value !== '' && choose({ from: value })}
            />
          </Field>
          <Field label="To">
            <Input
              type="date"
              value={span.lastDay}
              min={span.from}
              onChange={({ target: { value } }) => value !== '' && choose({ to: value })}
            />
          </Field>
        </>
      )}
      <Field label="Per">
        <Select
          value={span.unit}
          onChange={({ target: { value } }) => choose({ unit: UNITS.find((unit) => unit === value) })}
        >
          {UNITS.filter((unit) => fitting(unit, span.days)).map((unit) => (
            <option key={unit} value={unit}>
              {unit[0]?.toUpperCase()}
              {unit.slice(1)}
            </option>
          ))}
        </Select>
      </Field>
      <Field label="Site">
        <Select
          value={search.site ?? ''}
          onChange={({ target: { value } }) => choose({ site: value === '' ? undefined : value })}
        >
          <option value="">All sites</option>
          {search.site !== undefined && !known && <option value={search.site}>A site that was deleted</option>}
          {sites.data?.sites.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      </Field>
    </div>
  )
}
