/** What went wrong with sites, and who is told of it. */
import { useQuery } from '@tanstack/react-query'
import { channelsQuery, incidentsQuery } from '../queries.ts'
import { Page, Sheet } from '../ui/page.tsx'
import { Problem, Skeleton } from '../ui/placeholder.tsx'
import { Channels } from './notifications/channels.tsx'
import { Incidents } from './notifications/incidents.tsx'

/** The screen. */
export function Notifications() {
  const incidents = useQuery(incidentsQuery)
  const channels = useQuery({ ...channelsQuery, refetchOnMount: 'always' })
  return (
    <Page title="Notifications" narrow lead="You hear once when a site is in trouble, and once when it is fine again.">
      <Sheet title="Sites in trouble">
        {incidents.isError && incidents.data === undefined ? (
          <Problem error={incidents.error} retry={() => void incidents.refetch()} />
        ) : (
          <Loaded data={incidents.data}>{(list) => <Incidents incidents={list} />}</Loaded>
        )}
      </Sheet>
      <Sheet title="Who is told">
        {channels.isError && channels.data === undefined ? (
          <Problem error={channels.error} retry={() => void channels.refetch()} />
        ) : (
          <Loaded data={channels.data}>{(list) => <Channels {...list} />}</Loaded>
        )}
      </Sheet>
    </Page>
  )
}

function Loaded<Data>({ data, children }: { data: Data | undefined; children: (data: Data) => React.ReactNode }) {
  return data === undefined ? <Skeleton className="h-24" /> : children(data)
}
