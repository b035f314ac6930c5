import { clsx } from 'clsx'
import type { ComponentProps, ReactNode } from 'react'

/** A table that scrolls inside itself when it is wider than the page. `label` is its caption for screen readers. */
export function Table({ label, busy = false, children }: { label: string; busy?: boolean; children: ReactNode }) {
  return (
    <div className="overflow-x-auto">
      <table aria-label={label} aria-busy={busy} className="w-full border-collapse text-left">
        {children}
      </table>
    </div>
  )
}

type CellProps = { numeric?: boolean; from?: 'sm' | 'md' | 'lg'; grow?: boolean }

const FROM = { sm: 'max-sm:hidden', md: 'max-md:hidden', lg: 'max-lg:hidden' }

/** The head of a column. `from`: the width from which the column is shown. */
export function Th({ numeric, from, grow, ...rest }: Omit<ComponentProps<'th'>, 'className'> & CellProps) {
  return (
    <th
      scope="col"
      {...rest}
      className={clsx(
        'h-9 px-2 text-sm font-[550] whitespace-nowrap text-faint first:pl-4 last:pr-4 sm:first:pl-5 sm:last:pr-5',
        numeric === true && 'text-right',
        grow === true && 'w-full',
        from !== undefined && FROM[from],
      )}
    />
  )
}

/** A cell. A column that can `grow` cuts its contents off instead of widening the table. */
export function Td({ numeric, from, grow, ...rest }: Omit<ComponentProps<'td'>, 'className'> & CellProps) {
  return (
    <td
      {...rest}
      className={clsx(
        'h-12 border-t border-line px-2 py-2 first:pl-4 last:pr-4 sm:first:pl-5 sm:last:pr-5',
        numeric === true && 'figures text-right whitespace-nowrap',
        grow === true && 'w-full max-w-0',
        from !== undefined && FROM[from],
      )}
    />
  )
}

/** A row. `selected`: it is ticked; the keyboard's current row has `data-current`. */
export function Tr({ selected, ...rest }: Omit<ComponentProps<'tr'>, 'className'> & { selected?: boolean }) {
  return (
    <tr
      {...rest}
      className={clsx(
        'transition-colors duration-75 data-current:shadow-[inset_3px_0_0_var(--color-horn)]',
        selected === true ? 'bg-horn-wash' : 'hover:bg-hover',
      )}
    />
  )
}
