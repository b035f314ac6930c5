import type { ReactNode } from 'react'
import type { Standing } from './standing.ts'
import { StopMark } from './stops.tsx'

/** A stop with its name. `note` is a few words below the name. */
export type NamedStop = { key: string; site: ReactNode; standing: Standing; note: ReactNode }

/** The route: the sites in a line, each with its mark. It wraps where the page is narrow. */
export function Route({ stops }: { stops: readonly NamedStop[] }) {
  return (
    <ul className="grid grid-cols-[repeat(auto-fill,minmax(8rem,1fr))] gap-y-5">
      {stops.map(({ key, site, standing, note }) => (
        <li key={key} className="group relative min-w-0 pr-4">
          <span className="relative mb-2 flex h-5 items-center">
            <span className="absolute inset-x-0 -right-4 h-px bg-line group-last:right-0" aria-hidden="true" />
            <span className="relative bg-sheet pr-1.5">
              <StopMark standing={standing} large />
            </span>
          </span>
          <p dir="auto" className="clip font-[550]">
            {site}
          </p>
          <p className="clip text-sm text-faint">{note}</p>
        </li>
      ))}
    </ul>
  )
}
