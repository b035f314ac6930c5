/** The status of a post, and the actions it allows. */
import { allows } from '@postrider/server/posts/policy'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { flushSync } from 'react-dom'
import { sentence } from '../../../api.ts'
import { counted } from '../../../format.ts'
import { POST_STATUSES } from '../../../posts/status.ts'
import { deliveriesOfPostQuery } from '../../../queries.ts'
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
import { OtherClocks, plannedZone } from './schedule.tsx'
import { zonePlace } from './zone-names.ts'
import { longTime, OWN_ZONE } from './zoned.ts'

type PublicationProps = {
  openPost: OpenPost
  view: View
  editable: boolean
  onPublish: (begin: Publishing) => void
  onUnpublish: () => void
}

/** The post's status, and for a published post its way to each site. */
export function Publication({ openPost, view, editable, onPublish, onUnpublish }: PublicationProps) {
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
    <Sheet title="Publication" aside={<Standing status={status} />}>
      <div className="grid grid-cols-1 gap-4">
        {status !== 'published' && <Unseen postId={post?.id} />}
        {post?.scheduled_at != null && <Due at={new Date(post.scheduled_at).getTime()} zone={plannedZone(post)} />}
        {post?.published_at != null && (
          <p className="text-quiet">
            First published <Ago at={post.published_at} />.
          </p>
        )}
        {post !== undefined && status === 'published' && <Arrivals postId={post.id} />}
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

/** The note on an unpublished post: nobody else sees it, or these sites may still show it. */
function Unseen({ postId }: { postId: string | undefined }) {
  const { data } = useQuery({ ...deliveriesOfPostQuery(postId ?? ''), enabled: postId !== undefined })
  const left = newestPerSite(data?.data ?? []).filter(({ event, status, can_retry: canRetry }) =>
    event === 'post.deleted' ? status === 'pending' || canRetry : status !== 'failed',
  )
  // A removal that is not in the list yet has only just begun.
  const isUnderWay = left.some(({ event, status }) => event !== 'post.deleted' || status === 'pending')
  if (postId === undefined || left.length === 0) return <p className="text-quiet">Only you can see it.</p>
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

function Standing({ status }: { status: keyof typeof POST_STATUSES }) {
  const { name, tone } = POST_STATUSES[status]
  return <Badge tone={tone}>{name}</Badge>
}
