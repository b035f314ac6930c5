/** All sites, and how each one is. */
import type { Site } from '@postrider/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Globe, Plus, SearchX } from 'lucide-react'
import { useRef } from 'react'
import { SITE_STATES, type SiteState } from '../addresses.ts'
import { counted, number, percent } from '../format.ts'
import { sitesQuery } from '../queries.ts'
import { useAction } from '../shell/actions.ts'
import { findSites } from '../sites/find.ts'
import { HealthBadge, STATES, stateOf } from '../sites/health.tsx'
import { MADE_WITH, madeOf } from '../sites/made-with.ts'
import { missingWords, SendMissing } from '../sites/send-missing.tsx'
import { Button, buttonLook } from '../ui/button.tsx'
import { FilterTabs, filterTab, SearchInput } from '../ui/filters.tsx'
import { NameLink } from '../ui/name-link.tsx'
import { Page, Sheet } from '../ui/page.tsx'
import { Empty, Problem, Skeleton } from '../ui/placeholder.tsx'
import { Ago } from '../ui/time.tsx'

/** So many are seen at a glance; more can be searched. */
const AT_A_GLANCE = 9

const GRID = 'grid grid-cols-1 gap-4 md:grid-cols-2 xl:grid-cols-3'

/** The screen. */
export function Sites() {
  const sites = useQuery(sitesQuery)
  const none = sites.data?.total === 0
  const connect = (
    <Link to="/sites/new" className={buttonLook({ kind: 'primary' })}>
      <Plus aria-hidden="true" />
      Connect a site
    </Link>
  )
  return (
    <Page
      title="Sites"
      {...(none ? {} : { lead: sites.data === undefined ? '\u00a0' : counted(sites.data.total, 'connected site') })}
      {...(none ? {} : { actions: connect })}
    >
      {sites.isError && sites.data === undefined ? (
        <Sheet>
          <Problem error={sites.error} retry={() => void sites.refetch()} />
        </Sheet>
      ) : sites.data === undefined ? (
        <div className={GRID} aria-busy="true">
          {[1, 2, 3].map((key) => (
            <Skeleton key={key} className="h-46 rounded-lg" />
          ))}
        </div>
      ) : none ? (
        <Sheet>
          <Empty picture={<Globe />} title="No site is connected yet" action={connect}>
            Posts go to your sites by signed webhooks. Connecting one takes a few minutes: an address, some code to
            copy, and a test.
          </Empty>
        </Sheet>
      ) : (
        <SiteCards sites={sites.data.sites} />
      )}
    </Page>
  )
}

function SiteCards({ sites }: { sites: readonly Site[] }) {
  const { search = '', state } = useSearch({ from: '/inside/sites' })
  const navigate = useNavigate({ from: '/sites' })
  const list = useRef<HTMLUListElement>(null)
  const narrow = (words: string) =>
    void navigate({
      search: (before) => ({ ...before, search: words.trim() === '' ? undefined : words }),
      replace: search !== '',
    })
  const inState = state === undefined ? sites : sites.filter((site) => stateOf(site) === state)
  const found = findSites(inState, search)
  return (
    <div className="grid grid-cols-1 gap-4">
      {(sites.length > AT_A_GLANCE || search !== '' || state !== undefined) && (
        <search className="flex flex-wrap items-center gap-2">
          <StateTabs current={state} />
          <SiteSearch value={search} onChange={narrow} onEnter={() => list.current?.querySelector('a')?.focus()} />
        </search>
      )}
      {found.length === 0 ? (
        <Sheet>
          <Empty
            picture={<SearchX />}
            title="No site matches"
            action={<Button onClick={() => void navigate({ search: {} })}>Show all sites</Button>}
          >
            {inState.length === 0
              ? 'No site is in this state now.'
              : `No ${state === undefined ? 'site' : 'site in this state'} has these words in its name, its address or its platform.`}
          </Empty>
        </Sheet>
      ) : (
        <ul ref={list} className={GRID}>
          {found.map((site) => (
            <SiteCard key={site.id} site={site} />
          ))}
        </ul>
      )}
    </div>
  )
}

function StateTabs({ current }: { current: SiteState | undefined }) {
  return (
    <FilterTabs label="State">
      {[undefined, ...SITE_STATES].map((state) => (
        <Link
          key={state ?? 'all'}
          to="/sites"
          search={(before) => ({ ...before, state })}
          activeOptions={{ exact: true }}
          aria-current={current === state ? 'true' : undefined}
          className={filterTab}
        >
          {state === undefined ? 'All' : STATES[state].word}
        </Link>
      ))}
    </FilterTabs>
  )
}

type SiteSearchProps = { value: string; onChange: (words: string) => void; onEnter: () => void }

function SiteSearch(props: SiteSearchProps) {
  const field = useRef<HTMLInputElement>(null)
  useAction({ does: 'Search sites', group: 'Sites', keys: '/' }, () => {
    field.current?.focus()
    field.current?.select()
  })
  return <SearchInput ref={field} label="Search sites" {...props} />
}

function SiteCard({ site }: { site: Site }) {
  const { total, success_rate: rate, last_delivery: last, missing } = site.delivery_stats
  return (
    <li className="relative grid min-w-0 grid-cols-1 content-between gap-5 rounded-lg bg-sheet p-4 shadow-sheet ring-1 ring-line hover:ring-edge sm:p-5">
      <div className="grid grid-cols-1 gap-2">
        <div className="flex items-start justify-between gap-3">
          <h2 className="min-w-0 flex-1 text-lg font-[620]">
            <NameLink
              to="/sites/$siteId"
              params={{ siteId: site.id }}
              name={site.name}
              className="after:absolute after:inset-0 after:rounded-lg focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-focus"
            />
          </h2>
          <HealthBadge site={site} />
        </div>
        <p className="clip text-sm text-faint" title={site.url}>
          {MADE_WITH[madeOf(site)]} · {site.url.replace(/^https?:\/\/|\/$/g, '')}
        </p>
      </div>
      <dl className="grid grid-cols-[auto_auto_minmax(0,1fr)] gap-x-5">
        <Fact name="Success rate" value={percent(rate)} />
        <Fact name="Deliveries" value={number(total)} />
        <Fact name="Last delivery" value={last === null ? '—' : <Ago at={last} />} />
      </dl>
      {missing > 0 && (
        <div className="flex items-center justify-between gap-3 border-t border-line pt-3">
          <p className="text-sm text-failed">{missingWords(site)}</p>
          <div className="relative">
            <SendMissing site={site} />
          </div>
        </div>
      )}
    </li>
  )
}

function Fact({ name, value }: { name: string; value: React.ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col-reverse">
      <dt className="text-sm text-faint">{name}</dt>
      <dd className="figures clip font-[620]">{value}</dd>
    </div>
  )
}
