import { useQuery } from '@tanstack/react-query'
import { number, utcDay } from '../../format.ts'
import { timelineOf } from '../../queries.ts'
import { Chart } from '../../ui/chart.tsx'
import { Problem, Skeleton } from '../../ui/placeholder.tsx'

/** Fewer days with deliveries make no chart. */
const FEWEST_DAYS = 3

/** What arrived and what failed, day by day. */
export function Month() {
  const { data, isError, error, refetch } = useQuery(timelineOf({ granularity: 'day' }))
  if (data === undefined) {
    return isError ? <Problem error={error} retry={() => void refetch()} /> : <Skeleton className="h-24" />
  }
  // A bar or two are no picture: the figures above say as much.
  if (data.data.filter(({ delivered, failed }) => delivered + failed > 0).length < FEWEST_DAYS) return null
  return (
    <Chart
      compact
      label="Deliveries of the last 30 days"
      units={data.data.map(({ date }) => ({ name: utcDay(date), short: utcDay(date) }))}
      bars={[
        { name: 'Delivered', tone: 'arrived', values: data.data.map(({ delivered }) => delivered) },
        { name: 'Failed', tone: 'failed', values: data.data.map(({ failed }) => failed) },
      ]}
      format={number}
    />
  )
}
