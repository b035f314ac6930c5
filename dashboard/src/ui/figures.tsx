import type { ReactNode } from 'react'
import { Skeleton } from './placeholder.tsx'

/** A number and what it counts; undefined while it is loading. */
export type Figure = { name: string; value: ReactNode; note?: ReactNode }

/** A few numbers side by side. */
export function Figures({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl className="grid grid-cols-2 gap-x-4 gap-y-5 sm:grid-cols-[repeat(auto-fit,minmax(8rem,1fr))]">
      {figures.map(({ name, value, note }) => (
        <div key={name} className="flex flex-col-reverse justify-end gap-0.5">
          <dt className="text-sm text-faint">
            {name}
            {note !== undefined && <span className="block">{note}</span>}
          </dt>
          <dd className="figures text-xl font-[620]">
            {value === undefined ? <Skeleton className="my-1.5 h-4 w-14" /> : value}
          </dd>
        </div>
      ))}
    </dl>
  )
}
