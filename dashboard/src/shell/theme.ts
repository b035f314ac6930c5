/** Light, dark, or as the system has it. `public/theme.js` reads the choice before anything is painted. */
import { useSyncExternalStore } from 'react'

const KEY = 'postrider.theme'

/** What can be chosen. */
export type Theme = 'system' | 'light' | 'dark'

const listeners = new Set<() => void>()

function current(): Theme {
  const { theme } = document.documentElement.dataset
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

/** Chooses a theme; kept in this browser where it allows that. */
export function setTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  try {
    if (theme === 'system') localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, theme)
  } catch {
    // Then it holds until the page is left.
  }
  for (const listener of listeners) listener()
}

/** The chosen theme. */
export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, current)
}
