import { ChevronLeft, ChevronRight } from 'lucide-react'
import { counted, number } from '../format.ts'
import { IconButton } from './button.tsx'

type PagerProps = {
  page: number
  pages: number
  limit: number
  total: number
  /** What the list contains, in the singular. */
  noun: string
  onTurn: (page: number) => void
  /** Called when somebody is about to turn to this page. */
  onIntent: (page: number) => void
}

/** The position in a long list, and links to other pages. */
export function Pager({ page, pages, limit, total, noun, onTurn, onIntent }: PagerProps) {
  const first = (page - 1) * limit + 1
  const last = Math.min(page * limit, total)
  return (
    <footer className="figures flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t border-line px-4 py-2.5 text-sm text-faint sm:px-5">
      <p>{pages === 1 ? counted(total, noun) : `${number(first)}–${number(last)} of ${counted(total, noun)}`}</p>
      {pages > 1 && (
        <nav aria-label="Pages" className="flex items-center gap-1">
          <IconButton
            label="Previous page"
            size="sm"
            icon={<ChevronLeft />}
            disabled={page === 1}
            onClick={() => onTurn(page - 1)}
            onPointerEnter={() => page > 1 && onIntent(page - 1)}
          />
          <form
            className="flex items-center gap-1.5"
            onSubmit={(event) => {
              event.preventDefault()
              const wanted = Number(new FormData(event.currentTarget).get('page'))
              if (Number.isInteger(wanted) && wanted !== page) onTurn(Math.max(1, Math.min(wanted, pages)))
            }}
          >
            <input
              key={page}
              name="page"
              aria-label="Page"
              inputMode="numeric"
              defaultValue={page}
              onFocus={({ currentTarget }) => currentTarget.select()}
              className="h-8 w-12 rounded-md bg-sheet text-center text-ink ring-1 ring-line ring-inset hover:ring-edge focus:ring-2 focus:ring-focus focus:outline-none"
            />
            of {number(pages)}
          </form>
          <IconButton
            label="Next page"
            size="sm"
            icon={<ChevronRight />}
            disabled={page === pages}
            onClick={() => onTurn(page + 1)}
            onPointerEnter={() => page < pages && onIntent(page + 1)}
            onFocus={() => page < pages && onIntent(page + 1)}
          />
        </nav>
      )}
    </footer>
  )
}
