import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CheckAgain } from '../../delivery/check-again.tsx'
import { deliveryLogQuery } from '../../queries.ts'
import { NameLink, POST_NAME } from '../../ui/name-link.tsx'
import { Sheet } from '../../ui/page.tsx'
import { ViewOnSite } from '../../ui/view-on-site.tsx'
import { Entry } from './needs-you.tsx'

/** The newest posts that a site accepted and does not show. */
export const notLiveQuery = deliveryLogQuery({ not_live: 'true', limit: 5 })

/** Posts of which their authors believe that they are live, and why they are not; hidden while there are none. */
export function NotLive() {
  const { data } = useQuery(notLiveQuery)
  if (data === undefined || data.data.length === 0) return null
  return (
    <Sheet
      title="Accepted, but not live"
      aside={
        <Link to="/deliveries" search={{ status: 'not_live' }} className="rounded-sm hover:text-ink hover:underline">
          {data.next_cursor === null ? 'See the log' : 'All of them'}
        </Link>
      }
    >
      <ul className="-my-2.5">
        {data.data.map(({ id, post_id, post_title: title, site_id, site_name: site, live: { url, problem } }) => (
          <Entry
            key={id}
            standing="not-live"
            note={
              <span className="whitespace-normal">
                <bdi>{site}</bdi>: {problem}
              </span>
            }
            action={
              <>
                {url !== null && <ViewOnSite url={url} site={site} />}
                <CheckAgain site={{ id: site_id, name: site }} post={{ id: post_id, title }} />
              </>
            }
          >
            <NameLink to="/deliveries/$deliveryId" params={{ deliveryId: id }} name={title} className={POST_NAME} />
          </Entry>
        ))}
      </ul>
    </Sheet>
  )
}
