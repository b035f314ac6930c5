/** What goes out when, and what went out: a month or a week of posts, in which scheduled ones can be moved. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight, Plus } from 'lucide-react'
import { useState } from 'react'
import type { CalendarSearch } from '../addresses.ts'
import { LOCALE } from '../format.ts'
import { calendarQuery, sitesQuery } from '../queries.ts'
import { instantOf, OWN_ZONE, wallTime } from '../schedule/zoned.ts'
import { useAction } from '../shell/actions.ts'
import { buttonLook } from '../ui/button.tsx'
import { FilterFields, Filters, FilterTabs, filterTab, SiteFilter } from '../ui/filters.tsx'
import { Notice } from '../ui/notice.tsx'
import { Page, Sheet } from '../ui/page.tsx'
import { Problem, Skeleton } from '../ui/placeholder.tsx'
import { useMinute } from '../ui/time.tsx'
import { Agenda } from './calendar/agenda.tsx'
import {
  addDays,
  addMonths,
  type Day,
  firstWeekdayOf,
  monthName,
  rangeName,
  weekOf,
  weeksOfMonth,
} from './calendar/days.ts'
import { CalendarGrid } from './calendar/grid.tsx'
import { MoveDialog } from './calendar/move-dialog.tsx'
import { type Entry, entriesOf, movedTo } from './calendar/plan.ts'
import { useMove } from './calendar/use-move.ts'

const FIRST_WEEKDAY = firstWeekdayOf(LOCALE)

/** The weeks that are shown, and what they are called. */
function shownWeeks(view: 'month' | 'week', day: Day): { weeks: Day[][]; name: string } {
  if (view === 'month') return { weeks: weeksOfMonth(day, FIRST_WEEKDAY), name: monthName(day) }
  const week = weekOf(day, FIRST_WEEKDAY)
  return { weeks: [week], name: rangeName(week[0] ?? day, week.at(-1) ?? day) }
}

/** The instant at which a day begins on the reader's clock; clocks that are set forward at midnight skip it. */
function beginningOf(day: Day): string {
  const at =
    instantOf({ date: day, time: '00:00', zone: OWN_ZONE }) ?? instantOf({ date: day, time: '01:00', zone: OWN_ZONE })
  return new Date(at ?? Date.parse(day)).toISOString()
}

export function Calendar() {
  const { view = 'month', date, site } = useSearch({ from: '/inside/calendar' })
  const navigate = useNavigate({ from: '/calendar' })
  const now = useMinute()
  const today = wallTime(now, OWN_ZONE).date
  const day = date ?? today
  const { weeks, name } = shownWeeks(view, day)
  const days = weeks.flat()
  const from = days[0] ?? day
  const to = addDays(days.at(-1) ?? day, 1)
  const plan = useQuery({ ...calendarQuery(beginningOf(from), beginningOf(to)), placeholderData: keepPreviousData })
  const sites = useQuery(sitesQuery).data?.sites ?? []
  const entries = Map.groupBy(entriesOf(plan.data?.posts ?? [], OWN_ZONE, site), (entry) => entry.day)
  const { asked, setAsked, drop, move } = useMoving()

  const step = (by: 1 | -1): Day => (view === 'month' ? addMonths(day, by) : addDays(day, 7 * by))
  const go = (next: CalendarSearch) => void navigate({ search: (before) => ({ ...before, ...next }) })
  useAction({ does: 'Today', group: 'Calendar', keys: 't' }, () => go({ date: undefined }))

  const shown = { entries, sites, now, today, onMove: (entry: Entry) => setAsked({ entry }), onDrop: drop }
  return (
    <Page
      title="Calendar"
      actions={
        <Link to="/posts/$postId" params={{ postId: 'new' }} className={buttonLook({ kind: 'primary' })}>
          <Plus aria-hidden="true" />
          New post
        </Link>
      }
    >
      <Sheet flush>
        <Filters>
          <FilterTabs label="View">
            {(['month', 'week'] as const).map((one) => (
              <Link
                key={one}
                to="/calendar"
                search={(before) => ({ ...before, view: one === 'month' ? undefined : one })}
                activeOptions={{ exact: true }}
                aria-current={view === one ? 'true' : undefined}
                className={filterTab}
              >
                {one === 'month' ? 'Month' : 'Week'}
              </Link>
            ))}
          </FilterTabs>
          <Steps name={name} view={view} back={step(-1)} forth={step(1)} />
          <FilterFields end>
            <SiteFilter sites={sites} value={site} onChoose={(next) => go({ site: next })} />
          </FilterFields>
        </Filters>
        {plan.isError && plan.data === undefined ? (
          <Problem error={plan.error} retry={() => void plan.refetch()} />
        ) : plan.data === undefined ? (
          <Skeleton className="m-4 h-96" />
        ) : (
          <div aria-busy={plan.isPlaceholderData}>
            {plan.data.more && (
              <div className="p-4">
                <Notice tone="trying">There are more posts than fit here. Look at a week, or at one site.</Notice>
              </div>
            )}
            <CalendarGrid
              {...shown}
              label={name}
              weeks={weeks}
              month={view === 'month' ? day.slice(0, 7) : undefined}
            />
            <Agenda {...shown} days={days} />
          </div>
        )}
      </Sheet>
      {asked !== undefined && (
        <MoveDialog
          entry={asked.entry}
          day={asked.day}
          onMove={(at) => move.mutate({ entry: asked.entry, to: at })}
          onClose={() => setAsked(undefined)}
        />
      )}
    </Page>
  )
}

/** Moving posts: to a day at the same time of the day, or to a time that is asked for. */
function useMoving() {
  const move = useMove()
  const [asked, setAsked] = useState<{ entry: Entry; day?: Day }>()
  const drop = (entry: Entry, day: Day) => {
    const to = movedTo(entry, day, OWN_ZONE)
    // That time of the day has passed, or clocks leave it out then.
    if (to === undefined || to <= Date.now()) setAsked({ entry, day })
    else move.mutate({ entry, to })
  }
  return { asked, setAsked, drop, move }
}

type StepsProps = { name: string; view: 'month' | 'week'; back: Day; forth: Day }

/** The name of what is shown, and the ways to what comes before and after. */
function Steps({ name, view, back, forth }: StepsProps) {
  const look = buttonLook({ size: 'sm', kind: 'quiet' })
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-1">
      <Link to="/calendar" search={(before) => ({ ...before, date: back })} className={look}>
        <ChevronLeft aria-hidden="true" />
        <span className="sr-only">Previous {view}</span>
      </Link>
      <Link to="/calendar" search={(before) => ({ ...before, date: forth })} className={look}>
        <ChevronRight aria-hidden="true" />
        <span className="sr-only">Next {view}</span>
      </Link>
      <h2 aria-live="polite" className="px-1 font-[620]">
        {name}
      </h2>
      <Link to="/calendar" search={(before) => ({ ...before, date: undefined })} className={look}>
        Today
      </Link>
    </div>
  )
}
