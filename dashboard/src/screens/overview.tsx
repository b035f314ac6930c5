/** The overview: what to write, what went out and what comes next; then the sites, and the numbers last. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { number } from '../format.ts'
import { accountQuery, deliveryLogQuery, overviewQuery, proposalsQuery, sitesQuery } from '../queries.ts'
import { buttonLook } from '../ui/button.tsx'
import { Figures } from '../ui/figures.tsx'
import { Page, Sheet } from '../ui/page.tsx'
import { Problem, Skeleton } from '../ui/placeholder.tsx'
import { Month } from './overview/month.tsx'
import { failuresQuery, NeedsYou } from './overview/needs-you.tsx'
import { NotLive, notLiveQuery } from './overview/not-live.tsx'
import {
  ContinueWriting,
  draftsQuery,
  JustPublished,
  NextPosts,
  nextPostsQuery,
  publishedQuery,
} from './overview/posts.tsx'
import { Proposals } from './overview/proposals.tsx'
import { SiteHealth } from './overview/site-health.tsx'
import { useSteps } from './overview/steps.ts'
import { Steps } from './overview/steps-list.tsx'

/** What has not been delivered yet; more than these are not counted. */
const pendingQuery = deliveryLogQuery({ status: 'pending', limit: 100 })

export function Overview() {
  const { user } = useSuspenseQuery(accountQuery).data
  const sites = useQuery(sitesQuery)
  const overview = useQuery(overviewQuery)
  const totals = overview.data?.totals
  const pending = useQuery(pendingQuery).data
  // Nothing was measured: that is no zero.
  const hasNumbers = totals === undefined || totals.deliveries + totals.posts_published > 0
  const { steps, isPending } = useSteps(sites.data?.sites)
  // Each part is as long as what it has to show. They come together, or those above would move those below.
  const parts = [
    sites,
    useQuery(failuresQuery),
    useQuery(notLiveQuery),
    useQuery(proposalsQuery),
    useQuery(draftsQuery),
    useQuery(publishedQuery),
    useQuery(nextPostsQuery),
  ]
  const isComing = parts.some((part) => part.isPending) || isPending
  return (
    <Page
      title="Overview"
      heading={`Hello, ${user.name.split(' ')[0]}`}
      actions={
        <Link
          to="/posts/$postId"
          params={{ postId: 'new' }}
          className={buttonLook({ kind: steps === undefined ? 'primary' : 'secondary' })}
        >
          <Plus aria-hidden="true" />
          New post
        </Link>
      }
    >
      {isComing && (
        <Sheet>
          <Skeleton className="h-48" />
        </Sheet>
      )}
      <div className="contents" hidden={isComing}>
        {steps !== undefined && <Steps steps={steps} />}
        <NeedsYou sites={sites.data?.sites ?? []} />
        <NotLive />
        <Proposals />
        <ContinueWriting />
        <JustPublished sites={sites.data?.sites ?? []} />
        <NextPosts />
        <Sheet title="Sites">
          {sites.data === undefined ? (
            sites.isError ? (
              <Problem error={sites.error} retry={() => void sites.refetch()} />
            ) : (
              <Skeleton className="h-16" />
            )
          ) : (
            <SiteHealth sites={sites.data.sites} />
          )}
        </Sheet>
        {hasNumbers && (
          <Sheet
            title="The last 30 days"
            aside={
              <Link to="/analytics" className="rounded-sm hover:text-ink hover:underline">
                Analytics
              </Link>
            }
          >
            {overview.isError && totals === undefined ? (
              <Problem error={overview.error} retry={() => void overview.refetch()} />
            ) : (
              <div className="grid grid-cols-1 gap-6">
                <Figures
                  figures={[
                    { name: 'New posts published', value: totals && number(totals.posts_published) },
                    { name: 'Delivered', value: totals && number(totals.deliveries - totals.failed) },
                    {
                      name: 'Not delivered yet',
                      value: pending && `${pending.data.length}${pending.next_cursor === null ? '' : '+'}`,
                    },
                    { name: 'Failed', value: totals && number(totals.failed) },
                  ]}
                />
                {totals !== undefined && totals.deliveries > 0 && <Month />}
              </div>
            )}
          </Sheet>
        )}
      </div>
    </Page>
  )
}
