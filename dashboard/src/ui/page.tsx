import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { useTitle } from './title.ts'

type PageProps = {
  /** The heading, and the title of the browser's tab. */
  title: string
  /** Shown instead of the title, when the heading is more than a text. */
  heading?: ReactNode
  lead?: ReactNode
  actions?: ReactNode
  narrow?: boolean
  children: ReactNode
}

/** A screen: its heading, its actions, and its contents one below the other. */
export function Page({ title, heading, lead, actions, narrow = false, children }: PageProps) {
  useTitle(title)
  return (
    <div
      className={clsx(
        'mx-auto w-full px-4 pt-6 pb-24 sm:px-6 lg:px-8 lg:pt-9 lg:pb-16',
        narrow ? 'max-w-prose' : 'max-w-page',
      )}
    >
      <header className="mb-6 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 basis-64">
          <h1 className="text-2xl font-[650] tracking-[-0.015em] text-balance">{heading ?? title}</h1>
          {lead !== undefined && <div className="mt-1 text-quiet">{lead}</div>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
      <div className="grid grid-cols-1 gap-5">{children}</div>
    </div>
  )
}

type SheetProps = { title?: ReactNode; aside?: ReactNode; flush?: boolean; children: ReactNode }

/** A sheet of paper on the page. `flush`: its content reaches the edges, as tables do. */
export function Sheet({ title, aside, flush = false, children }: SheetProps) {
  return (
    <section className="overflow-clip rounded-lg bg-sheet shadow-sheet ring-1 ring-line">
      {title !== undefined && (
        <header className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 px-4 pt-3.5 sm:px-5">
          <h2 className="font-[620]">{title}</h2>
          {aside !== undefined && <div className="text-sm text-faint">{aside}</div>}
        </header>
      )}
      <div className={clsx(!flush && 'px-4 py-4 sm:px-5', flush && title !== undefined && 'mt-3')}>{children}</div>
    </section>
  )
}
