import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { useState } from 'react'
import { type Day, longDay, weekdayName } from './days.ts'
import { CalendarEntry, type EntryProps } from './entry.tsx'
import type { Entry } from './plan.ts'

export type PlanProps = Pick<EntryProps, 'sites' | 'now' | 'onMove'> & {
  entries: ReadonlyMap<Day, readonly Entry[]>
  today: Day
  /** A post was dropped on a day. */
  onDrop: (entry: Entry, day: Day) => void
}

type GridProps = PlanProps & {
  label: string
  weeks: readonly Day[][]
  /** Days of other months are paler; undefined for a week. */
  month: string | undefined
}

/** In a month, further posts of a day are on the page of its week. */
const MOST_IN_MONTH = 3

/** Weeks as the rows of a table, with a day in each cell on which posts can be dropped. */
export function CalendarGrid({ label, weeks, month, entries, today, onDrop, ...shown }: GridProps) {
  const [dragged, setDragged] = useState<Entry>()
  const [over, setOver] = useState<Day>()
  const end = () => {
    setDragged(undefined)
    setOver(undefined)
  }
  return (
    <table aria-label={label} className="w-full table-fixed border-collapse max-md:hidden">
      <thead>
        <tr>
          {weeks[0]?.map((day) => (
            <th key={day} scope="col" className="h-9 px-2 text-left text-sm font-[550] text-faint">
              {weekdayName(day)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week[0]}>
            {week.map((day) => (
              <td
                key={day}
                aria-current={day === today ? 'date' : undefined}
                data-day={day}
                onDragOver={(event) => {
                  if (dragged === undefined || day < today) return
                  event.preventDefault()
                  setOver(day)
                }}
                onDragLeave={() => setOver((now) => (now === day ? undefined : now))}
                onDrop={(event) => {
                  event.preventDefault()
                  if (dragged !== undefined && dragged.day !== day) onDrop(dragged, day)
                  end()
                }}
                className={clsx(
                  'border-t border-l border-line p-1.5 align-top first:border-l-0',
                  month === undefined ? 'h-96' : 'h-32',
                  over === day && 'bg-hover outline-2 -outline-offset-2 outline-focus',
                  dragged !== undefined && day < today && 'opacity-55',
                )}
              >
                <DayNumber day={day} isToday={day === today} isOther={month !== undefined && !day.startsWith(month)} />
                <DayEntries
                  {...shown}
                  day={day}
                  entries={entries.get(day) ?? []}
                  most={month === undefined ? undefined : MOST_IN_MONTH}
                  onDrag={(entry) => (entry === undefined ? end() : setDragged(entry))}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function DayNumber({ day, isToday, isOther }: { day: Day; isToday: boolean; isOther: boolean }) {
  return (
    <p className={clsx('figures mb-1 text-sm', isOther ? 'text-faint' : 'text-ink')}>
      <time
        dateTime={day}
        className={clsx(
          'inline-grid h-6 min-w-6 place-items-center rounded-full px-1',
          isToday && 'bg-ink font-[620] text-on-ink',
        )}
      >
        <span aria-hidden="true">{Number(day.slice(8))}</span>
        <span className="sr-only">
          {longDay(day)}
          {isToday && ', today'}
        </span>
      </time>
    </p>
  )
}

type DayEntriesProps = Omit<EntryProps, 'entry' | 'brief'> & {
  day: Day
  entries: readonly Entry[]
  most: number | undefined
}

function DayEntries({ day, entries, most, ...shown }: DayEntriesProps) {
  if (entries.length === 0) return null
  const first = most !== undefined && entries.length > most ? entries.slice(0, most - 1) : entries
  const others = entries.length - first.length
  return (
    <ul className="grid grid-cols-1 gap-1">
      {first.map((entry) => (
        <CalendarEntry key={entry.post.id} {...shown} entry={entry} brief={most !== undefined} />
      ))}
      {others > 0 && (
        <li>
          <Link
            to="/calendar"
            search={(before) => ({ ...before, view: 'week', date: day })}
            className="rounded-sm px-2 text-sm text-quiet hover:text-ink hover:underline"
          >
            {others} more<span className="sr-only"> on {longDay(day)}</span>
          </Link>
        </li>
      )}
    </ul>
  )
}
