import { useQuery } from '@tanstack/react-query'
import { number, utcDay } from '../../format.ts'
import { timelineOf } from '../../queries.ts'
import { Chart } from '../../ui/chart.tsx'
import { Problem, Skeleton } from '../../ui/placeholder.tsx'

/** What arrived and what failed, day by day. */
export function Month() {
  const { data, isError, error, refetch } = useQuery(timelineOf({ granularity: 'day' }))
  if (data === undefined) {
    return isError ? <Problem error={error} retry={() => void refetch()} /> : <Skeleton className="h-24" />
  }
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
