import type { LoggedDelivery, Site } from '@postrider/sdk'
import { Link } from '@tanstack/react-router'
import { DELIVERY_STATUSES, type DeliveriesSearch } from '../../addresses.ts'
import { Select } from '../../ui/field.tsx'
import { FilterChip, FilterFields, Filters, FilterTabs, filterTab, SiteFilter } from '../../ui/filters.tsx'

const STATUS_NAMES = {
  action: 'Needs attention',
  not_live: 'Not live',
  pending: 'On their way',
  delivered: 'Delivered',
  delivered_retry: 'After retry',
  failed: 'Failed',
} as const

type DeliveryFiltersProps = {
  search: DeliveriesSearch
  sites: readonly Site[]
  /** The shown deliveries, which know the names of posts and deleted sites. */
  deliveries: readonly LoggedDelivery[]
  narrow: (change: DeliveriesSearch) => void
}

/** The filters of the log; the address holds them. */
export function DeliveryFilters({ search, sites, deliveries, narrow }: DeliveryFiltersProps) {
  const { site, post, period } = search
  return (
    <Filters>
      <FilterTabs label="Status">
        {[undefined, ...DELIVERY_STATUSES].map((status) => (
          <Link
            key={status ?? 'all'}
            to="/deliveries"
            search={(before) => ({ ...before, status, before: undefined })}
            activeOptions={{ exact: true }}
            aria-current={search.status === status ? 'true' : undefined}
            className={filterTab}
          >
            {status === undefined ? 'All' : STATUS_NAMES[status]}
          </Link>
        ))}
      </FilterTabs>
      <FilterFields end>
        {post !== undefined && (
          <FilterChip name="Post" onRemove={() => narrow({ post: undefined })}>
            {deliveries.find(({ post_id: id }) => id === post)?.post_title ?? 'one'}
          </FilterChip>
        )}
        <SiteFilter
          sites={sites}
          value={site}
          onChoose={(chosen) => narrow({ site: chosen })}
          gone={deliveries.find(({ site_id: id }) => id === site)?.site_name ?? 'A deleted site'}
        />
        <Select
          aria-label="Time"
          value={period ?? ''}
          onChange={({ target }) => narrow({ period: periodOf(target.value), from: undefined, to: undefined })}
        >
          <option value="">Any time</option>
          <option value="24h">Last 24 hours</option>
          <option value="7d">Last 7 days</option>
          <option value="30d">Last 30 days</option>
          <option value="dates">Custom dates</option>
        </Select>
        {period === 'dates' && (
          <>
            <Day label="From" value={search.from} onChange={(from) => narrow({ from })} />
            <Day label="To" value={search.to} onChange={(to) => narrow({ to })} />
          </>
        )}
      </FilterFields>
    </Filters>
  )
}

function periodOf(value: string): DeliveriesSearch['period'] {
  return value === '24h' || value === '7d' || value === '30d' || value === 'dates' ? value : undefined
}

type DayProps = { label: string; value: string | undefined; onChange: (value: string | undefined) => void }

function Day({ label, value, onChange }: DayProps) {
  return (
    <input
      type="date"
      aria-label={label}
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
      className="h-9 rounded-md bg-sheet px-2.5 text-[1rem] ring-1 ring-edge ring-inset focus:ring-2 focus:ring-focus focus:outline-none sm:text-base"
    />
  )
}
