import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Bell as Icon } from 'lucide-react'
import { incidentsQuery } from '../queries.ts'

/** The way to the notifications, with the number of sites in trouble. `compact`: only the icon. */
export function Bell({ compact = false }: { compact?: boolean }) {
  const open = useQuery(incidentsQuery).data?.filter(({ closed_at }) => closed_at === null).length ?? 0
  return (
    <Link
      to="/notifications"
      className={clsx(
        'flex h-9 items-center gap-2.5 rounded-md text-quiet hover:bg-hover hover:text-ink aria-[current=page]:font-[620] aria-[current=page]:text-ink [&_svg]:size-4.5 [&_svg]:shrink-0',
        compact ? 'px-2' : 'px-2.5',
      )}
    >
      <Icon aria-hidden="true" />
      <span className={compact ? 'sr-only' : 'flex-1'}>Notifications</span>
      {open > 0 && (
        <span className="figures grid h-5 min-w-5 place-items-center rounded-full bg-failed-wash px-1.5 text-xs font-[620] text-failed">
          {open}
          <span className="sr-only"> {open === 1 ? 'site' : 'sites'} in trouble</span>
        </span>
      )}
    </Link>
  )
}
