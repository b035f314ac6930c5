import { clsx } from 'clsx'
import { type Day, longDay, shortDay } from './days.ts'
import { CalendarEntry } from './entry.tsx'
import type { PlanProps } from './grid.tsx'

/** The days that have posts, one below the other, where there is no room for a table. */
export function Agenda({ days, entries, today, onDrop: _, ...shown }: PlanProps & { days: readonly Day[] }) {
  const filled = days.filter((day) => entries.has(day))
  if (filled.length === 0)
    return <p className="px-4 py-8 text-center text-quiet md:hidden">Nothing is scheduled or published then.</p>
  return (
    <ol className="grid grid-cols-1 md:hidden">
      {filled.map((day) => (
        <li
          key={day}
          aria-current={day === today ? 'date' : undefined}
          className="grid grid-cols-1 gap-2 border-t border-line px-4 py-3 first:border-t-0"
        >
          <h2 className={clsx('text-sm', day === today ? 'font-[620]' : 'text-quiet')}>
            <span aria-hidden="true">
              {shortDay(day)}
              {day === today && ' · Today'}
            </span>
            <span className="sr-only">
              {longDay(day)}
              {day === today && ', today'}
            </span>
          </h2>
          <ul className="grid grid-cols-1 gap-1.5">
            {entries.get(day)?.map((entry) => (
              <CalendarEntry key={entry.post.id} {...shown} entry={entry} onDrag={() => undefined} />
            ))}
          </ul>
        </li>
      ))}
    </ol>
  )
}
