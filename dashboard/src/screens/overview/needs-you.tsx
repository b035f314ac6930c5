import type { Site } from '@postrider/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { MISSING_AT } from '../../delivery/events.ts'
import { reasonOf } from '../../delivery/reason.ts'
import { SendAgain } from '../../delivery/send-again.tsx'
import type { Standing } from '../../delivery/standing.ts'
import { StopMark } from '../../delivery/stops.tsx'
import { counted } from '../../format.ts'
import { deliveryLogQuery } from '../../queries.ts'
import { NameLink, POST_NAME } from '../../ui/name-link.tsx'
import { Sheet } from '../../ui/page.tsx'
import { Problem } from '../../ui/placeholder.tsx'
import { Ago } from '../../ui/time.tsx'

const SHOWN = 5

/** The newest failures that can be sent again. */
export const failuresQuery = deliveryLogQuery({ can_retry: 'true', limit: SHOWN })

/** Failures that somebody has to look at, and sites that accept nothing; hidden while there are none. */
export function NeedsYou({ sites }: { sites: readonly Site[] }) {
  const { data, isError, error, refetch } = useQuery(failuresQuery)
  if (isError && data === undefined) {
    return (
      <Sheet title="Failures">
        <Problem error={error} retry={() => void refetch()} />
      </Sheet>
    )
  }
  if (data === undefined) return null
  const named = new Set(data.data.map(({ site_id: id }) => id))
  const stuck = sites.filter(({ id, status }) => status === 'error' && !named.has(id))
  if (data.data.length + stuck.length === 0) return null
  return (
    <Sheet
      title="Needs attention"
      aside={
        data.data.length > 0 && (
          <Link to="/deliveries" search={{ status: 'action' }} className="rounded-sm hover:text-ink hover:underline">
            {data.next_cursor === null ? 'See the log' : 'All failures'}
          </Link>
        )
      }
    >
      <ul className="-my-2.5">
        {stuck.slice(0, SHOWN).map(({ id, name }) => (
          <Entry key={id} note="Its last deliveries failed.">
            <NameLink
              to="/sites/$siteId"
              params={{ siteId: id }}
              name={name}
              className="rounded-sm font-[550] hover:underline"
            />
          </Entry>
        ))}
        {stuck.length > SHOWN && (
          <Entry note="Also failing.">
            <Link to="/sites" search={{ state: 'error' }} className="rounded-sm font-[550] hover:underline">
              {counted(stuck.length - SHOWN, 'more site')}
            </Link>
          </Entry>
        )}
        {data.data.map((delivery) => {
          const { id, post_title: title, site_name: site, finished_at: at } = delivery
          return (
            <Entry
              key={id}
              note={
                <>
                  {MISSING_AT[delivery.event]} <bdi>{site}</bdi>:{' '}
                  {reasonOf(delivery.response_code, delivery.last_error)}
                  {at !== null && (
                    <>
                      {' · '}
                      <Ago at={at} />
                    </>
                  )}
                </>
              }
              action={<SendAgain delivery={delivery} standing="failed" />}
            >
              <NameLink to="/deliveries/$deliveryId" params={{ deliveryId: id }} name={title} className={POST_NAME} />
            </Entry>
          )
        })}
      </ul>
    </Sheet>
  )
}

type EntryProps = { standing?: Standing; note: ReactNode; action?: ReactNode; children: ReactNode }

/** One entry. `children`: the link to what it is about. */
export function Entry({ standing = 'failed', note, action, children }: EntryProps) {
  return (
    <li className="flex items-center gap-3 border-b border-line py-2.5 last:border-0">
      <StopMark standing={standing} large />
      {/* On a phone, what can be done is below what it is about. */}
      <div className="flex min-w-0 flex-1 flex-col gap-2 sm:flex-row sm:items-center sm:gap-3">
        <div className="min-w-0 flex-1">
          {children}
          <p className="clip text-sm text-faint">{note}</p>
        </div>
        {action !== undefined && <div className="flex flex-wrap items-center gap-2">{action}</div>}
      </div>
    </li>
  )
}
