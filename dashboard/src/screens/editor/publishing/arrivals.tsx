/** Shows live how a post arrives at its sites. */
import type { LoggedDelivery, Post, Site } from '@postrider/sdk'
import { postAddress } from '@postrider/server/sites/post-address'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Ellipsis, FileX } from 'lucide-react'
import type { ReactNode } from 'react'
import { api, sentence } from '../../../api.ts'
import { CheckAgain } from '../../../delivery/check-again.tsx'
import { NextBuild } from '../../../delivery/next-build.tsx'
import { reasonOf } from '../../../delivery/reason.ts'
import { isWorthALook, STANDING_NAMES, type Standing, standingOf } from '../../../delivery/standing.ts'
import { StopMark } from '../../../delivery/stops.tsx'
import { counted, duration } from '../../../format.ts'
import { deliveriesOfPostQuery, postQuery, queryClient, sitesQuery } from '../../../queries.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Menu, MenuItem } from '../../../ui/menu.tsx'
import { Problem, Skeleton } from '../../../ui/placeholder.tsx'
import { Ago, Until, useIsPast } from '../../../ui/time.tsx'
import { toast } from '../../../ui/toast.tsx'
import { ViewOnSite } from '../../../ui/view-on-site.tsx'

/** The newest delivery to each site, in the order of their names. */
export function newestPerSite(deliveries: readonly LoggedDelivery[]): LoggedDelivery[] {
  const newest = new Map<string, LoggedDelivery>()
  for (const one of deliveries) if (!newest.has(one.site_id)) newest.set(one.site_id, one)
  return [...newest.values()].sort((a, b) => a.site_name.localeCompare(b.site_name))
}

type ArrivalsProps = {
  postId: string
  siteIds?: ReadonlySet<string> | undefined
  onTakeOff?: ((site: { id: string; name: string }) => void) | undefined
}

/** A line for each site. `siteIds`: only these; `onTakeOff`: to take the post off one of them. */
export function Arrivals({ postId, siteIds, onTakeOff }: ArrivalsProps) {
  const deliveries = useQuery(deliveriesOfPostQuery(postId))
  const sites = useQuery(sitesQuery)
  const post = useQuery(postQuery(postId))
  if (deliveries.isError && deliveries.data === undefined)
    return <Problem error={deliveries.error} retry={() => void deliveries.refetch()} />
  if (deliveries.data === undefined) return <Skeleton className="h-12" />
  const shown = newestPerSite(deliveries.data.data).filter(({ site_id: id }) => siteIds?.has(id) !== false)
  if (shown.length === 0) return <p className="text-sm text-faint">It has not been sent to any site.</p>
  const siteOf = new Map(sites.data?.sites.map((site) => [site.id, site]))
  const standings = shown.map((one) => standingOf(one, siteOf.get(one.site_id)))
  return (
    <div className="grid grid-cols-1 gap-3">
      <p className="sr-only" role="status">
        {summary(shown, standings)}
      </p>
      <ul className="grid grid-cols-1">
        {shown.map((delivery, index) => (
          <Arrival
            key={delivery.site_id}
            delivery={delivery}
            standing={standings[index] ?? 'absent'}
            site={siteOf.get(delivery.site_id)}
            post={post.data}
            isOriginal={delivery.site_id === post.data?.primary_site_id}
            onTakeOff={onTakeOff}
          />
        ))}
      </ul>
    </div>
  )
}

type ArrivalProps = Pick<ArrivalsProps, 'onTakeOff'> & {
  delivery: LoggedDelivery
  standing: Standing
  site: Site | undefined
  post: Post | undefined
  isOriginal: boolean
}

function Arrival({ delivery, standing, site, post, isOriginal, onTakeOff }: ArrivalProps) {
  const again = useMutation({
    mutationFn: () => api.deliveries.retry(delivery.id),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['deliveries'] }),
    onError: (error) => toast({ tone: 'failed', text: sentence(error) }),
  })
  // What the site itself said is right where its pattern is not.
  const shownAt = delivery.live.url ?? (site && post && postAddress(site, post))
  const canHurry = standing === 'trying' || (standing === 'failed' && delivery.can_retry)
  return (
    <li className="flex items-start gap-2.5 border-b border-line py-2.5 first:pt-0 last:border-0 last:pb-0">
      <span className="mt-0.5">
        <StopMark standing={standing} large />
      </span>
      <div className="min-w-0 flex-1">
        <p className="flex items-center gap-2">
          <span dir="auto" className="clip font-[550]" title={delivery.site_name}>
            {delivery.site_name}
          </span>
          {isOriginal && <Badge>Original</Badge>}
        </p>
        <p className="text-sm text-quiet">{storyOf(delivery, standing, site?.kind === 'build_hook')}</p>
        {/* Below the words, because the panel is narrow. */}
        <div className="mt-1.5 flex flex-wrap items-center gap-2 empty:hidden">
          {standing === 'not-live' && (
            <CheckAgain
              site={{ id: delivery.site_id, name: delivery.site_name }}
              post={{ id: delivery.post_id, title: delivery.post_title }}
            />
          )}
          {canHurry && (
            <Button size="sm" busy={again.isPending} onClick={() => again.mutate()}>
              {standing === 'failed' ? 'Send again' : 'Try now'}
            </Button>
          )}
          {shownAt !== undefined && isWorthALook(standing, delivery.event) && (
            <ViewOnSite url={shownAt} site={delivery.site_name} />
          )}
        </div>
      </div>
      {onTakeOff !== undefined && delivery.event !== 'post.deleted' && !delivery.site_deleted && (
        <Menu trigger={<IconButton label={`More for ${delivery.site_name}`} size="sm" icon={<Ellipsis />} />}>
          <MenuItem
            icon={<FileX />}
            danger
            onSelect={() => onTakeOff({ id: delivery.site_id, name: delivery.site_name })}
          >
            Take it off this site
          </MenuItem>
        </Menu>
      )}
    </li>
  )
}

/** What became of a delivery, in words. `isBuilt`: its host builds the site. */
function storyOf(delivery: LoggedDelivery, standing: Standing, isBuilt: boolean): ReactNode {
  const { attempts, finished_at: at, next_attempt_at: next, response_code: code, response_time_ms: ms } = delivery
  const reason = reasonOf(code, delivery.last_error) ?? 'No answer'
  const removed = delivery.event === 'post.deleted'
  const atOnce = removed ? 'Being removed' : 'Being sent'
  switch (standing) {
    case 'waiting':
      return isBuilt ? <NextBuild at={next} words="Waits for the next build, in" otherwise={atOnce} /> : atOnce
    case 'trying':
      return (
        <>
          Attempt {attempts}: {asSentence(reason)} <NextAttempt number={attempts + 1} at={next} />
        </>
      )
    case 'building':
      return `The host is building the site. Postrider checks until the page ${removed ? 'is gone' : 'shows it'}; if it takes long, look at the builds at the host.`
    case 'not-live':
      return `${removed ? 'Removed, but still there' : 'Accepted, but not live'}. ${delivery.live.problem}`
    case 'arrived':
    case 'arrived-late':
      if (isBuilt && delivery.live.state !== 'verified')
        return (
          <>
            The host began to build the site {removed && 'without it '}
            {at !== null && <Ago at={at} />}
          </>
        )
      return (
        <>
          {delivery.live.state === 'verified' && !removed && 'Live. '}
          {removed ? 'Removed' : standing === 'arrived' ? 'Delivered' : `Delivered at attempt ${attempts},`}
          {at !== null && (
            <>
              {' '}
              <Ago at={at} />
            </>
          )}
          {/* An attempt that was not accepted says nothing of the arrival: the site has confirmed it by itself. */}
          {code === null || code >= 300 ? ', as the site says' : ms !== null && `, answered in ${duration(ms)}`}
        </>
      )
    case 'failed':
      // A site that pulls its posts reports failures without any attempt.
      return attempts === 0 ? asSentence(reason) : `Failed after ${counted(attempts, 'attempt')}. ${asSentence(reason)}`
    default:
      return STANDING_NAMES[standing]
  }
}

/** A reason may be what the site itself has said, with or without a full stop. */
function asSentence(reason: string): string {
  return /[.!?]$/.test(reason) ? reason : `${reason}.`
}

function NextAttempt({ number, at }: { number: number; at: string | null }) {
  const due = useIsPast(at)
  if (at === null || due) return `Attempt ${number} is under way.`
  return (
    <>
      Attempt {number} in <Until at={at} />.
    </>
  )
}

/** A summary that screen readers announce when it changes. */
function summary(deliveries: readonly LoggedDelivery[], standings: readonly Standing[]): string {
  const removals = new Set(deliveries.flatMap(({ event }, index) => (event === 'post.deleted' ? [index] : [])))
  const parts = [
    ...progress(
      'Arrived at',
      standings.filter((_, index) => !removals.has(index)),
    ),
    ...progress(
      'Removed from',
      standings.filter((_, index) => removals.has(index)),
    ),
  ]
  return `${parts.join(', ')}.`
}

function progress(done: string, standings: readonly Standing[]): string[] {
  if (standings.length === 0) return []
  const count = (...some: Standing[]) => standings.filter((one) => some.includes(one)).length
  return [
    `${done} ${count('arrived', 'arrived-late')} of ${counted(standings.length, 'site')}`,
    ...(count('trying') > 0 ? [`${count('trying')} being tried again`] : []),
    ...(count('building') > 0 ? [`${count('building')} being built`] : []),
    ...(count('not-live') > 0 ? [`${count('not-live')} not live`] : []),
    ...(count('failed') > 0 ? [`${count('failed')} failed`] : []),
  ]
}
