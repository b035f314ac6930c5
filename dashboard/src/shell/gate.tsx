import type { ReactNode } from 'react'
import { useTitle } from '../ui/title.ts'
import { Mark } from './mark.tsx'

/** A form before signing in, on a page of its own. */
export function Gate({ title, switchTo, children }: { title: string; switchTo: ReactNode; children: ReactNode }) {
  useTitle(title)
  return (
    <main className="grid min-h-dvh content-center justify-items-center px-4 py-10">
      <div className="w-full max-w-form">
        <div className="mb-7 flex items-center gap-3">
          <Mark className="size-10" />
          <div>
            <p className="text-lg leading-tight font-[680]">Postrider</p>
            <p className="text-quiet">Write once. It arrives everywhere.</p>
          </div>
        </div>
        <div className="rounded-lg bg-sheet px-5 py-6 shadow-sheet ring-1 ring-line sm:px-7">
          <h1 className="mb-5 text-xl font-[650]">{title}</h1>
          {children}
        </div>
        <p className="mt-5 text-center text-quiet">{switchTo}</p>
      </div>
    </main>
  )
}
