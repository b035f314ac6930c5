import type { Site } from '@postrider/sdk'
import { Link } from '@tanstack/react-router'
import { StopMark } from '../../delivery/stops.tsx'
import { counted } from '../../format.ts'
import { STATES, stateOf } from '../../sites/health.tsx'

/** So many fit into a line or two. */
const SHOWN = 12

/** The sites in a line: how each is; those that need somebody come first. */
export function SiteHealth({ sites }: { sites: readonly Site[] }) {
  if (sites.length === 0) return <p className="text-quiet">No site is connected yet.</p>
  const failing = sites.filter((site) => ['error', 'missing', 'not-live', 'broken'].includes(stateOf(site)))
  const shown = [...failing, ...sites.filter((site) => !failing.includes(site))].slice(0, SHOWN)
  return (
    <ul className="flex flex-wrap gap-x-5 gap-y-2">
      {shown.map((site) => {
        const { standing, word } = STATES[stateOf(site)]
        return (
          <li key={site.id} className="flex min-w-0 items-center gap-1.5">
            <StopMark standing={standing} />
            <Link
              to="/sites/$siteId"
              params={{ siteId: site.id }}
              title={site.name}
              dir="auto"
              className="clip max-w-56 rounded-sm hover:underline"
            >
              {site.name}
            </Link>
            <span className={stateOf(site) === 'receiving' ? 'sr-only' : 'text-sm whitespace-nowrap text-faint'}>
              {word}
            </span>
          </li>
        )
      })}
      {sites.length > SHOWN && (
        <li>
          <Link to="/sites" className="rounded-sm text-quiet hover:underline">
            {counted(sites.length - SHOWN, 'more site')}
          </Link>
        </li>
      )}
    </ul>
  )
}
