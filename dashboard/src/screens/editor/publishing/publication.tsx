/** The status of a post, and the actions it allows. */
import { allows } from '@postrider/server/posts/policy'
import { useQuery } from '@tanstack/react-query'
import { Share2, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { flushSync } from 'react-dom'
import { sentence } from '../../../api.ts'
import { standingOf } from '../../../delivery/standing.ts'
import { counted } from '../../../format.ts'
import { POST_STATUSES } from '../../../posts/status.ts'
import { deliveriesOfPostQuery, sitesQuery } from '../../../queries.ts'
import { OtherClocks } from '../../../schedule/time-fields.tsx'
import { longTime, OWN_ZONE } from '../../../schedule/zoned.ts'
import { type Audience, audienceText } from '../../../sites/audience.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { focusPage } from '../../../ui/focus.ts'
import { Sheet } from '../../../ui/page.tsx'
import { Ago } from '../../../ui/time.tsx'
import { toast } from '../../../ui/toast.tsx'
import type { View } from '../saving/edit-state.ts'
import type { OpenPost } from '../saving/open-post.ts'
import { Arrivals, newestPerSite } from './arrivals.tsx'
import type { Publishing } from './publish-dialog.tsx'
import { plannedZone } from './schedule.tsx'
import { zonePlace } from './zone-names.ts'

type PublicationProps = {
  openPost: OpenPost
  view: View
  editable: boolean
  onPublish: (begin: Publishing) => void
  onSites: () => void
  onOriginal: () => void
  onTakeOff: (site: { id: string; name: string }) => void
  onUnpublish: () => void
  onShare: () => void
  onTrash: () => void
}

/** The post's status, and for a published post its way to each site. */
export function Publication({
  openPost,
  view,
  editable,
  onPublish,
  onSites,
  onOriginal,
  onTakeOff,
  onUnpublish,
  onShare,
  onTrash,
}: PublicationProps) {
  const [busy, setBusy] = useState(false)
  const { post } = view
  const status = post?.status ?? 'draft'
  const can = (action: Parameters<typeof allows>[1]) => editable && allows(status, action)
  const unschedule = async () => {
    setBusy(true)
    await openPost
      .command({ status: 'draft' })
      .catch((error) => toast({ tone: 'failed', text: sentence(error) }))
      .finally(() => flushSync(() => setBusy(false)))
    focusPage() // the button is gone
  }
  return (
    <Sheet title="Publication" aside={<StatusBadge status={status} />}>
      <div className="grid grid-cols-1 gap-4">
        {status !== 'published' && <Unseen postId={post?.id} />}
        {post?.scheduled_at != null && <Due at={new Date(post.scheduled_at).getTime()} zone={plannedZone(post)} />}
        {post?.published_at != null && (
          <p className="text-quiet">
            Published <Ago at={post.published_at} />.
          </p>
        )}
        {post?.unpublish_at != null && <Ends at={new Date(post.unpublish_at).getTime()} />}
        <For audience={post?.site_ids ?? null} onChange={editable ? onSites : undefined} />
        {post !== undefined && (
          <OriginalOf siteId={post.primary_site_id} onChange={editable ? onOriginal : undefined} />
        )}
        {post !== undefined && status === 'published' && (
          <Arrivals postId={post.id} onTakeOff={editable ? onTakeOff : undefined} />
        )}
        <div className="flex flex-wrap gap-2">
          {can('schedule') && (
            <Button size="sm" onClick={() => onPublish('later')}>
              {status === 'scheduled' ? 'Change the time' : 'Schedule'}
            </Button>
          )}
          {can('unschedule') && (
            <Button size="sm" busy={busy} onClick={() => void unschedule()}>
              Unschedule
            </Button>
          )}
          {status === 'published' && can('publish') && (
            <Button size="sm" onClick={() => onPublish('now')}>
              Send to sites
            </Button>
          )}
          {can('unpublish') && (
            <Button size="sm" onClick={onUnpublish}>
              Unpublish
            </Button>
          )}
          {post !== undefined && (
            <Button size="sm" kind="quiet" icon={<Share2 />} onClick={onShare}>
              Share a preview
            </Button>
          )}
          {post !== undefined && editable && (
            <Button size="sm" kind="quiet" icon={<Trash2 />} onClick={onTrash}>
              Delete
            </Button>
          )}
        </div>
      </div>
    </Sheet>
  )
}

/** When it goes out: on the clock by which it was planned, and on the others. */
function Due({ at, zone }: { at: number; zone: string }) {
  return (
    <div>
      <p>
        {longTime(at, zone)}
        {zone !== OWN_ZONE && ` in ${zonePlace(zone)}`}
      </p>
      <OtherClocks at={at} zone={zone} />
    </div>
  )
}

/** Until when it is published. */
function Ends({ at }: { at: number }) {
  return (
    <div>
      <p>Until {longTime(at, OWN_ZONE)}</p>
      <OtherClocks at={at} zone={OWN_ZONE} />
    </div>
  )
}

/** The sites that it is for. */
function For({ audience, onChange }: { audience: Audience; onChange: (() => void) | undefined }) {
  const { data } = useQuery(sitesQuery)
  if (data === undefined) return null
  return (
    <p className="flex flex-wrap items-baseline justify-between gap-x-3 gap-y-1">
      <span className="min-w-0 flex-1 break-words text-quiet">For {audienceText(audience, data.sites)}</span>
      {onChange !== undefined && (
        <Button size="sm" kind="quiet" onClick={onChange}>
          Change<span className="sr-only"> its sites</span>
        </Button>
      )}
    </p>
  )
}

/** The site that has its original. Somebody with one site has no choice. */
function OriginalOf({ siteId, onChange }: { siteId: string | null; onChange: (() => void) | undefined }) {
  const { data } = useQuery(sitesQuery)
  if (data === undefined || (data.sites.length < 2 && siteId === null)) return null
  const site = data.sites.find(({ id }) => id === siteId)
  return (
    <p className="flex flex-wrap items-baseline justify-between gap-x-3 gap-y-1">
      <span className="min-w-0 flex-1 break-words text-quiet">
        {site === undefined ? 'No original' : `Original on ${site.name}`}
      </span>
      {onChange !== undefined && (
        <Button size="sm" kind="quiet" onClick={onChange}>
          Change<span className="sr-only"> its original</span>
        </Button>
      )}
    </p>
  )
}

/** The note on an unpublished post: nobody else sees it, or these sites may still show it. */
function Unseen({ postId }: { postId: string | undefined }) {
  const { data } = useQuery({ ...deliveriesOfPostQuery(postId ?? ''), enabled: postId !== undefined })
  const sites = useQuery(sitesQuery).data?.sites
  const newest = newestPerSite(data?.data ?? []).map((delivery) => {
    const site = sites?.find(({ id }) => id === delivery.site_id)
    return { ...delivery, standing: standingOf(delivery, site) }
  })
  const goesOn = ({ status, standing }: (typeof newest)[number]) => status === 'pending' || standing === 'building'
  const left = newest.filter((one) =>
    one.event === 'post.deleted'
      ? goesOn(one) || one.standing === 'not-live' || one.can_retry
      : one.status !== 'failed',
  )
  // A removal that is not in the list yet has only just begun.
  const isUnderWay = left.some((one) => one.event !== 'post.deleted' || goesOn(one))
  const removed = newest.filter(
    ({ event, standing }) => event === 'post.deleted' && (standing === 'arrived' || standing === 'arrived-late'),
  ).length
  if (postId === undefined || left.length === 0)
    return (
      <p className="text-quiet">Only you can see it.{removed > 0 && ` It is gone from ${counted(removed, 'site')}.`}</p>
    )
  return (
    <>
      <p className="text-quiet">
        {counted(left.length, 'site')} may still show it
        {isUnderWay ? '. Its removal is under way.' : '.'}
      </p>
      <Arrivals postId={postId} siteIds={new Set(left.map(({ site_id: id }) => id))} />
    </>
  )
}

function StatusBadge({ status }: { status: keyof typeof POST_STATUSES }) {
  const { name, tone } = POST_STATUSES[status]
  return <Badge tone={tone}>{name}</Badge>
}
