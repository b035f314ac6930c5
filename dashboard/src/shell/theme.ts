/** The theme: light, dark, or the system's. `public/theme.js` reads the choice before anything is painted. */
import { useSyncExternalStore } from 'react'

const KEY = 'postrider.theme'

/** The themes to choose from. */
export type Theme = 'system' | 'light' | 'dark'

const listeners = new Set<() => void>()

function current(): Theme {
  const { theme } = document.documentElement.dataset
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

/** Chooses a theme; kept in this browser if it allows storage. */
export function setTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  try {
    if (theme === 'system') localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, theme)
  } catch {
    // Without storage the choice holds until the page is left.
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
