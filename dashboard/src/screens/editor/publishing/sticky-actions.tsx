import type { ReactNode } from 'react'

/** The buttons, which stay visible while the content above them scrolls. */
export function StickyActions({ children }: { children: ReactNode }) {
  return <div className="sticky bottom-0 -mx-5 -mb-4 flex justify-end gap-2 bg-raised px-5 pt-2 pb-4">{children}</div>
}
