import { useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronsUpDown, Images, Keyboard, LogOut, Monitor, Moon, Sun, UserRound } from 'lucide-react'
import { accountQuery } from '../queries.ts'
import { Menu, MenuChoice, MenuItem, MenuLine, MenuOption } from '../ui/menu.tsx'
import { signOut } from './sign-out.ts'
import { setTheme, type Theme, useTheme } from './theme.ts'

/** The signed-in account, the theme, and signing out. `compact`: only the initial. */
export function AccountMenu({ compact = false, onHelp }: { compact?: boolean; onHelp: () => void }) {
  const { user } = useSuspenseQuery(accountQuery).data
  const theme = useTheme()
  const initial = [...user.name][0]?.toUpperCase()
  return (
    <Menu
      side={compact ? 'bottom' : 'top'}
      align={compact ? 'end' : 'start'}
      trigger={
        <button
          type="button"
          {...(compact ? { 'aria-label': `Account of ${user.name}` } : {})}
          className="flex w-full min-w-0 items-center gap-2.5 rounded-md p-1.5 text-left hover:bg-hover"
        >
          <span
            className="grid size-7 shrink-0 place-items-center rounded-full bg-ink text-sm font-[620] text-on-ink"
            aria-hidden="true"
          >
            {initial}
          </span>
          {!compact && (
            <>
              <span dir="auto" className="clip flex-1">
                {user.name}
              </span>
              <ChevronsUpDown className="size-4 shrink-0 text-faint" aria-hidden="true" />
            </>
          )}
        </button>
      }
    >
      <p className="clip max-w-64 px-2.5 py-1.5 text-sm text-faint">{user.email}</p>
      <MenuLine />
      <MenuChoice label="Appearance" value={theme} onValueChange={(value) => setTheme(value as Theme)}>
        <MenuOption value="system" icon={<Monitor />}>
          Match the system
        </MenuOption>
        <MenuOption value="light" icon={<Sun />}>
          Light
        </MenuOption>
        <MenuOption value="dark" icon={<Moon />}>
          Dark
        </MenuOption>
      </MenuChoice>
      <MenuLine />
      {compact && (
        <MenuItem asChild>
          <Link to="/library">
            <Images aria-hidden="true" />
            Media
          </Link>
        </MenuItem>
      )}
      <MenuItem asChild>
        <Link to="/account">
          <UserRound aria-hidden="true" />
          Account
        </Link>
      </MenuItem>
      <MenuItem icon={<Keyboard />} onSelect={onHelp}>
        Keyboard
      </MenuItem>
      <MenuItem icon={<LogOut />} onSelect={() => void signOut()}>
        Sign out
      </MenuItem>
    </Menu>
  )
}
