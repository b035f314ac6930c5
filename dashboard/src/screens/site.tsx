/** One site: how it is, what went to it, its settings and its secrets. */
import type { Site as SiteBody } from '@postrider/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Code2, ExternalLink } from 'lucide-react'
import { CheckAgain } from '../delivery/check-again.tsx'
import { duration, number, percent } from '../format.ts'
import { overviewOf, sitesQuery } from '../queries.ts'
import { EarlierPosts } from '../sites/earlier-posts.tsx'
import { failedTestOf, HealthBadge } from '../sites/health.tsx'
import { MADE_WITH, madeOf } from '../sites/made-with.ts'
import { SendMissing } from '../sites/send-missing.tsx'
import { SendTest } from '../sites/test-delivery.tsx'
import { buttonLook } from '../ui/button.tsx'
import { Figures } from '../ui/figures.tsx'
import { Notice } from '../ui/notice.tsx'
import { Page, Sheet } from '../ui/page.tsx'
import { Empty, Problem, Skeleton } from '../ui/placeholder.tsx'
import { Ago } from '../ui/time.tsx'
import { Disconnect } from './site/disconnect.tsx'
import { History } from './site/history.tsx'
import { Secrets } from './site/secrets.tsx'
import { Activity, Settings } from './site/settings.tsx'

/** The screen. It starts from the list of sites, so no secret is fetched before somebody asks for it. */
export function Site() {
  const { siteId } = useParams({ from: '/inside/sites/$siteId' })
  const sites = useQuery(sitesQuery)
  if (sites.isError && sites.data === undefined)
    return <Problem alone error={sites.error} retry={() => void sites.refetch()} />
  if (sites.data === undefined) {
    return (
      <div className="mx-auto grid w-full max-w-page gap-5 px-4 pt-9 sm:px-6 lg:px-8" aria-busy="true">
        <Skeleton className="h-9 w-1/2" />
        <Skeleton className="h-40 rounded-lg" />
        <Skeleton className="h-80 rounded-lg" />
      </div>
    )
  }
  const site = sites.data.sites.find(({ id }) => id === siteId)
  if (site === undefined) {
    return (
      <Empty
        alone
        title="There is no such site"
        action={
          <Link to="/sites" className={buttonLook()}>
            All sites
          </Link>
        }
      >
        It may have been disconnected. What was delivered to it stays in the analytics for 90 days.
      </Empty>
    )
  }
  return <Shown key={site.id} site={site} />
}

function Shown({ site }: { site: SiteBody }) {
  return (
    <Page
      title={site.name}
      heading={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span dir="auto" className="min-w-0 wrap-anywhere">
            {site.name}
          </span>
          <HealthBadge site={site} />
        </span>
      }
      lead={
        <span className="flex flex-wrap items-center gap-x-2">
          {MADE_WITH[madeOf(site)]} ·
          <a
            href={site.url}
            target="_blank"
            rel="noreferrer"
            className="inline-flex min-w-0 items-center gap-1 hover:text-ink hover:underline"
          >
            <span className="wrap-anywhere">{site.url}</span>
            <ExternalLink className="size-3.5 shrink-0" aria-hidden="true" />
            <span className="sr-only">(opens in a new window)</span>
          </a>
        </span>
      }
      actions={
        <Link to="/sites/new" search={{ site: site.id }} className={buttonLook()}>
          <Code2 aria-hidden="true" />
          Receiver code
        </Link>
      }
    >
      {site.status === 'error' && (
        <Notice tone="failed" title="Deliveries to this site are failing.">
          This clears with the next successful delivery. Send a test to see what the site answers, or look at the failed
          deliveries below.
        </Notice>
      )}
      <Missing site={site} />
      <NotLive site={site} />
      <FailedTest site={site} />
      <Totals siteId={site.id} />
      <div className="grid grid-cols-1 items-start gap-5 xl:grid-cols-[3fr_2fr]">
        <div className="grid grid-cols-1 gap-5">
          <History site={site} />
          <Sheet title="Settings">
            <Settings site={site} />
          </Sheet>
        </div>
        <div className="grid grid-cols-1 gap-5">
          <Sheet>
            <Activity site={site} />
          </Sheet>
          <Sheet title="Test delivery">
            <SendTest siteId={site.id} isHook={site.kind === 'build_hook'} />
          </Sheet>
          {site.kind === 'webhook' && (
            <Sheet title="Earlier posts">
              <EarlierPosts site={site} />
            </Sheet>
          )}
          <Sheet title="Keys">
            <Secrets site={site} />
          </Sheet>
          <Sheet title="Disconnect">
            <Disconnect site={site} />
          </Sheet>
        </div>
      </div>
    </Page>
  )
}

/** Says how many posts the site lacks, and what becomes of that. */
function Missing({ site }: { site: SiteBody }) {
  const { missing } = site.delivery_stats
  if (missing === 0) return null
  return (
    <Notice
      tone="failed"
      title={missing === 1 ? 'One post is missing here.' : `${number(missing)} posts are missing here.`}
    >
      <div className="grid grid-cols-1 justify-items-start gap-3">
        <p>
          {missing === 1 ? 'It' : 'They'} failed to arrive, or {missing === 1 ? 'was' : 'were'} published while the site
          was paused.
          {site.recovery === 'automatic' &&
            ' What failed in the last week is sent again once the site accepts requests.'}
          {site.status === 'inactive' && ' Make the site active to send what is missing.'}
        </p>
        <SendMissing site={site} />
      </div>
    </Notice>
  )
}

/** Says how many posts the site has accepted and does not show. */
function NotLive({ site }: { site: SiteBody }) {
  const { not_live: count } = site.delivery_stats
  if (count === 0) return null
  return (
    <Notice
      tone="failed"
      title={count === 1 ? 'One page is not up to date here.' : `${number(count)} pages are not up to date here.`}
    >
      <div className="grid grid-cols-1 justify-items-start gap-3">
        <p>
          The site accepted every change, but {count === 1 ? 'this page does' : 'these pages do'} not show it.{' '}
          <Link
            to="/deliveries"
            search={{ status: 'not_live', site: site.id }}
            className="font-[550] underline underline-offset-3"
          >
            See why
          </Link>
        </p>
        <CheckAgain site={site} />
      </div>
    </Notice>
  )
}

/** Says that the last test failed, until something works. */
function FailedTest({ site }: { site: SiteBody }) {
  const test = failedTestOf(site)
  if (test === undefined) return null
  return (
    <Notice
      tone="failed"
      title={
        <>
          {site.delivery_stats.last_delivery === null ? 'This site does not work yet.' : 'The last test failed.'} Tested{' '}
          <Ago at={test.at} />.
        </>
      }
    >
      {test.message}
    </Notice>
  )
}

function Totals({ siteId }: { siteId: string }) {
  const overview = useQuery(overviewOf({ site_id: siteId }))
  const totals = overview.data?.totals
  return (
    <Sheet
      title="The last 30 days"
      aside={
        <Link to="/analytics" search={{ site: siteId }} className="underline underline-offset-3 hover:text-ink">
          Analytics
        </Link>
      }
    >
      {overview.isError && totals === undefined ? (
        <Problem error={overview.error} retry={() => void overview.refetch()} />
      ) : (
        <Figures
          figures={[
            { name: 'Deliveries', value: totals && number(totals.deliveries) },
            { name: 'Success rate', value: totals && percent(totals.success_rate) },
            { name: 'Failed', value: totals && number(totals.failed) },
            { name: 'Needed a retry', value: totals && number(totals.retried) },
            { name: 'Mean response', value: totals && duration(totals.avg_delivery_ms) },
          ]}
        />
      )}
    </Sheet>
  )
}
