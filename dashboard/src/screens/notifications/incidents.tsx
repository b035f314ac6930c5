import type { Incident } from '@postrider/sdk'
import { Link } from '@tanstack/react-router'
import { StopMark } from '../../delivery/stops.tsx'
import { counted } from '../../format.ts'
import { NameLink } from '../../ui/name-link.tsx'
import { Ago } from '../../ui/time.tsx'

/** Incidents that last, then those that are over. */
export function Incidents({ incidents }: { incidents: readonly Incident[] }) {
  if (incidents.length === 0) return <p className="text-quiet">Nothing is wrong that needs you.</p>
  const isAllOver = incidents.every(({ closed_at }) => closed_at !== null)
  return (
    <>
      {isAllOver && <p className="mb-3 text-quiet">Nothing is wrong that needs you. This is over:</p>}
      <ul className="-my-2.5">
        {incidents.map((incident) => (
          <Entry key={incident.id} incident={incident} />
        ))}
      </ul>
    </>
  )
}

const MORE = 'mt-1 inline-block text-sm font-[550] underline underline-offset-3'

function Entry({ incident }: { incident: Incident }) {
  const { kind, site, opened_at, closed_at, reason, failures, missing, not_live } = incident
  const trouble = kind === 'not_live' ? 'Accepts changes, but does not show them' : 'Does not accept posts'
  return (
    <li className="flex items-start gap-3 border-b border-line py-2.5 last:border-0">
      <StopMark standing={closed_at !== null ? 'arrived' : kind === 'failing' ? 'failed' : 'not-live'} large />
      <div className="min-w-0 flex-1">
        <NameLink
          to="/sites/$siteId"
          params={{ siteId: site.id }}
          name={site.name}
          className="rounded-sm font-[550] hover:underline"
        />
        <p className="text-sm text-quiet">{trouble}</p>
        <p className="text-sm text-faint">
          {closed_at === null ? (
            <>
              Began <Ago at={opened_at} />
            </>
          ) : (
            <>
              Began <Ago at={opened_at} />, over <Ago at={closed_at} />
            </>
          )}
          {failures > 0 && ` · ${counted(failures, 'delivery', 'deliveries')} failed`}
        </p>
        {closed_at === null && reason !== null && <p className="mt-1 text-sm">{reason}</p>}
        {kind === 'not_live' && not_live > 0 && (
          <Link to="/deliveries" search={{ status: 'not_live', site: site.id }} className={MORE}>
            {counted(not_live, 'post')} not live: see which
          </Link>
        )}
        {kind === 'failing' && missing > 0 && (
          <Link to="/deliveries" search={{ status: 'action', site: site.id }} className={MORE}>
            {counted(missing, 'post')} missing: see and send again
          </Link>
        )}
      </div>
    </li>
  )
}
