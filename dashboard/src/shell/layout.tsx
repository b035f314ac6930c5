import { Link, Outlet } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useLiveUpdates } from '../live.ts'
import { IconButton } from '../ui/button.tsx'
import { Keys } from '../ui/keys.tsx'
import { AccountMenu } from './account-menu.tsx'
import { useAction, useActionKeys } from './actions.ts'
import { ActionsEverywhere } from './actions-everywhere.tsx'
import { Bell } from './bell.tsx'
import { Mark } from './mark.tsx'
import { BottomNavigation, SideNavigation } from './navigation.tsx'
import { SignInAgain } from './sign-in-again.tsx'

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))
const KeyboardHelp = lazy(async () => ({ default: (await import('./keyboard-help.tsx')).KeyboardHelp }))

/** The layout around every screen that requires signing in. */
export function Layout() {
  const [open, setOpen] = useState<'palette' | 'help'>()
  const close = (next: boolean) => next || setOpen(undefined)
  useActionKeys()
  useLiveUpdates()
  useAction({ does: 'Search', group: 'Anywhere', keys: 'mod+k', hidden: true }, () => setOpen('palette'))
  useAction({ does: 'Keyboard shortcuts', group: 'Anywhere', keys: '?', alsoFoundBy: 'help' }, () => setOpen('help'))
  return (
    <div className="lg:grid lg:min-h-dvh lg:grid-cols-[15rem_1fr]">
      <a
        href="#main"
        className="fixed top-2 left-2 z-50 -translate-y-16 rounded-md bg-ink px-3 py-2 text-on-ink focus:translate-y-0"
      >
        Skip to the page
      </a>
      <aside className="sticky top-0 flex h-dvh flex-col gap-5 border-r border-line bg-paper px-3 py-4 max-lg:hidden">
        <Link to="/" className="flex items-center gap-2.5 rounded-md px-2 text-lg font-[680] tracking-[-0.01em]">
          <Mark />
          Postrider
        </Link>
        <button
          type="button"
          onClick={() => setOpen('palette')}
          className="flex h-9 items-center gap-2.5 rounded-md bg-sheet px-2.5 text-faint ring-1 ring-line ring-inset hover:ring-edge"
        >
          <Search className="size-4" aria-hidden="true" />
          <span className="flex-1 text-left">Search</span>
          <Keys keys="mod+k" />
        </button>
        <SideNavigation />
        <div className="mt-auto grid gap-1">
          <Bell />
          <AccountMenu onHelp={() => setOpen('help')} />
        </div>
      </aside>
      <header className="sticky top-0 z-30 flex h-13 items-center gap-2 border-b border-line bg-paper px-3 lg:hidden">
        <Link to="/" className="mr-auto flex items-center gap-2 rounded-md font-[680]">
          <Mark />
          Postrider
        </Link>
        <IconButton label="Search" icon={<Search />} onClick={() => setOpen('palette')} />
        <Bell compact />
        <div>
          <AccountMenu compact onHelp={() => setOpen('help')} />
        </div>
      </header>
      <main id="main" tabIndex={-1} className="min-w-0">
        <Outlet />
      </main>
      <BottomNavigation />
      <Suspense>
        {open === 'palette' && <Palette open onOpenChange={close} />}
        {open === 'help' && <KeyboardHelp open onOpenChange={close} />}
      </Suspense>
      <ActionsEverywhere />
      <SignInAgain />
    </div>
  )
}
