import { Link, type LinkProps } from '@tanstack/react-router'
import { CalendarDays, ChartColumn, FileText, Globe, House, Images, Send } from 'lucide-react'
import type { ReactNode } from 'react'

/** `beside`: only beside the page; at the bottom of a phone is no room for it, and the account's menu has it. */
type Place = { to: NonNullable<LinkProps['to']>; name: string; icon: ReactNode; beside?: true }

/** The main screens. */
export const PLACES: readonly Place[] = [
  { to: '/', name: 'Overview', icon: <House /> },
  { to: '/posts', name: 'Posts', icon: <FileText /> },
  { to: '/calendar', name: 'Calendar', icon: <CalendarDays /> },
  { to: '/library', name: 'Media', icon: <Images />, beside: true },
  { to: '/sites', name: 'Sites', icon: <Globe /> },
  { to: '/deliveries', name: 'Deliveries', icon: <Send /> },
  { to: '/analytics', name: 'Analytics', icon: <ChartColumn /> },
]

const within = (to: string) => ({ exact: to === '/', includeSearch: false })

/** The main screens, beside the page. */
export function SideNavigation() {
  return (
    <nav aria-label="Main" className="grid gap-0.5">
      {PLACES.map(({ to, name, icon }) => (
        <Link
          key={to}
          to={to}
          activeOptions={within(to)}
          className="relative flex h-9 items-center gap-2.5 rounded-md px-2.5 text-quiet transition-colors duration-100 before:absolute before:inset-y-2 before:-left-3 before:w-[3px] before:rounded-full hover:bg-hover hover:text-ink aria-[current=page]:font-[620] aria-[current=page]:text-ink aria-[current=page]:before:bg-horn [&_svg]:size-4.5 [&_svg]:shrink-0"
        >
          {icon}
          {name}
        </Link>
      ))}
    </nav>
  )
}

/** The same at the bottom, within reach of the thumb. */
export function BottomNavigation() {
  return (
    <nav
      aria-label="Main"
      className="fixed inset-x-0 bottom-0 z-30 flex border-t border-line bg-sheet pb-[env(safe-area-inset-bottom)] lg:hidden"
    >
      {PLACES.filter(({ beside }) => beside !== true).map(({ to, name, icon }) => (
        <Link
          key={to}
          to={to}
          activeOptions={within(to)}
          className="relative flex min-w-0 flex-1 flex-col items-center gap-0.5 py-2 text-xs text-faint before:absolute before:inset-x-4 before:top-0 before:h-[3px] before:rounded-b-full aria-[current=page]:font-[620] aria-[current=page]:text-ink aria-[current=page]:before:bg-horn [&_svg]:size-5"
        >
          {icon}
          <span className="clip max-w-full">{name}</span>
        </Link>
      ))}
    </nav>
  )
}
