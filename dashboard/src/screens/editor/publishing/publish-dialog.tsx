/** Sends a post to its sites, now or later, and then shows how it arrives. */
import type { LoggedDelivery, Site } from '@postrider/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { holdingsOf } from '../../../delivery/holding.ts'
import { standingOf } from '../../../delivery/standing.ts'
import { deliveriesOfPostQuery, sitesQuery } from '../../../queries.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Problem, Skeleton } from '../../../ui/placeholder.tsx'
import type { View } from '../saving/edit-state.ts'
import type { OpenPost } from '../saving/open-post.ts'
import { Arrivals, newestPerSite } from './arrivals.tsx'
import { PublishForm } from './publish-form.tsx'
import { SendForm } from './send-form.tsx'
import { StickyActions } from './sticky-actions.tsx'

/** What the dialog opens with: the choice (now or later), or how the post arrives at the sites. */
export type Publishing = 'now' | 'later' | 'arriving'

type PublishDialogProps = { openPost: OpenPost; view: View; begin: Publishing; onClose: () => void }

/** The open dialog. */
export function PublishDialog({ openPost, view, begin, onClose }: PublishDialogProps) {
  const { post, draft } = view
  const sites = useQuery(sitesQuery)
  const postId = post?.id
  const deliveries = useQuery({ ...deliveriesOfPostQuery(postId ?? ''), enabled: postId !== undefined })
  const [sentTo, setSentTo] = useState<ReadonlySet<string>>()
  // The question must not change while somebody answers it.
  const [published] = useState(post?.status === 'published')
  // A post first stored while the dialog is open has no deliveries: waiting for them would restart the dialog.
  const [fresh] = useState(postId === undefined)
  const known = deliveries.data?.data ?? (fresh ? [] : undefined)
  const arriving = postId !== undefined && (sentTo !== undefined || begin === 'arriving')
  const error = sites.error ?? deliveries.error
  const parts = () => {
    if (arriving)
      return (
        <Arriving
          postId={postId}
          siteIds={sentTo}
          sites={sites.data?.sites ?? []}
          deliveries={known}
          onClose={onClose}
        />
      )
    if (sites.data !== undefined && known !== undefined)
      return published ? (
        <SendForm
          openPost={openPost}
          view={view}
          sites={sites.data.sites}
          having={holdingsOf(known)}
          onSent={setSentTo}
          onClose={onClose}
        />
      ) : (
        <PublishForm
          openPost={openPost}
          view={view}
          sites={sites.data.sites}
          later={begin === 'later' || post?.status === 'scheduled'}
          onSent={setSentTo}
          onClose={onClose}
        />
      )
    if (error === null) return <Skeleton className="h-64" />
    return <Problem error={error} retry={() => void Promise.all([sites.refetch(), deliveries.refetch()])} />
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={arriving ? titleOf(sentTo, known, sites.data?.sites) : published ? 'Send to sites' : 'Publish'}
      description={<span className="font-serif">{draft.title.trim() || 'Untitled'}</span>}
    >
      {parts()}
    </Dialog>
  )
}

/** The newest deliveries to these sites, or to all. */
function newestTo(siteIds: ReadonlySet<string> | undefined, deliveries: readonly LoggedDelivery[] = []) {
  return newestPerSite(deliveries).filter(({ site_id: id }) => siteIds?.has(id) !== false)
}

function titleOf(
  siteIds: ReadonlySet<string> | undefined,
  deliveries: readonly LoggedDelivery[] | undefined,
  sites: readonly Site[] = [],
): string {
  const siteOf = new Map(sites.map((site) => [site.id, site]))
  const shown = newestTo(siteIds, deliveries)
  if (shown.length === 0) return deliveries === undefined ? 'On its way' : 'Published'
  if (shown.some(({ status }) => status === 'pending')) return 'On its way'
  const failed = shown.filter((delivery) => standingOf(delivery, siteOf.get(delivery.site_id)) === 'failed').length
  const isBuilding = ({ site_id: id, live }: LoggedDelivery) =>
    siteOf.get(id)?.kind === 'build_hook' && live.state !== 'verified'
  if (failed === 0 && shown.every(isBuilding)) return 'The build has started'
  if (failed === 0) return shown.some(isBuilding) ? 'On its way' : 'It has arrived'
  return failed === shown.length ? 'It has not arrived' : 'It has not arrived everywhere'
}

type ArrivingProps = {
  postId: string
  siteIds: ReadonlySet<string> | undefined
  sites: readonly Site[]
  deliveries: readonly LoggedDelivery[] | undefined
  onClose: () => void
}

/** How the post arrives. If the dialog is closed, the page shows the same beside the text. */
function Arriving({ postId, siteIds, sites, deliveries, onClose }: ArrivingProps) {
  const none = deliveries !== undefined && newestTo(siteIds, deliveries).length === 0
  return (
    <div className="grid grid-cols-1 gap-5">
      {none ? (
        <p>
          {sites.length === 0
            ? 'There was no site to send it to. Sites that you connect later can fetch it.'
            : 'Nothing was sent: its sites are paused. The page of a site that is active again offers to send what it missed.'}
        </p>
      ) : (
        <Arrivals postId={postId} siteIds={siteIds} />
      )}
      <StickyActions>
        <Button kind="primary" autoFocus onClick={onClose}>
          Done
        </Button>
      </StickyActions>
    </div>
  )
}
