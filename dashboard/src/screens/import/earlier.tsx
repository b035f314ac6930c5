import type { Import } from '@postrider/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { counted } from '../../format.ts'
import { importsQuery } from '../../queries.ts'
import { Sheet } from '../../ui/page.tsx'
import { Ago } from '../../ui/time.tsx'

const STATES: Record<Import['status'], string> = {
  reading: 'Being read',
  ready: 'Ready to import',
  importing: 'Under way',
  complete: 'Imported',
  failed: 'Failed',
  undoing: 'Being undone',
  undone: 'Undone',
}

/** Imports of the last month. Nothing, if there are none. */
export function EarlierImports() {
  const { data } = useQuery(importsQuery)
  if (data === undefined || data.data.length === 0) return null
  return (
    <Sheet title="Earlier imports" aside="Kept for 30 days">
      <ul className="grid gap-2">
        {data.data.map((one) => (
          <li key={one.import_id} className="flex flex-wrap items-baseline justify-between gap-x-4">
            <Link
              to="/import"
              search={{ id: one.import_id }}
              className="min-w-0 truncate font-[550] underline-offset-3 hover:underline"
            >
              {one.name === '' ? 'A file without a name' : one.name}
            </Link>
            <span className="text-sm text-quiet">
              {STATES[one.status]} · {counted(one.counts.new + one.counts.changed, 'post')} ·{' '}
              <Ago at={one.created_at} />
            </span>
          </li>
        ))}
      </ul>
    </Sheet>
  )
}
