import { useSyncExternalStore } from 'react'

const WIDE = matchMedia('(min-width: 80rem)')

/** Whether there is room beside the text. */
export function useWide(): boolean {
  return useSyncExternalStore(
    (listener) => {
      WIDE.addEventListener('change', listener)
      return () => WIDE.removeEventListener('change', listener)
    },
    () => WIDE.matches,
  )
}
